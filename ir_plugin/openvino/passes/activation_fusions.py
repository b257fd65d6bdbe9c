"""Passes that replace the nodes of an activation function by one."""

from __future__ import annotations

from ir_plugin.compiler.activations import LAST_OPS, fused_activation
from ir_plugin.compiler.model_rewriter import build, constant_values
from ir_plugin.model import Node, Output
from ir_plugin.openvino.passes.base import MatcherPass
from ir_plugin.openvino.passes.fusion import Fusion, replace_root
from ir_plugin.openvino.passes.pattern import AnyInput, WrapType
from ir_plugin.openvino.passes.predicates import consumers_count
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.activation.unary import Mish, SoftPlus

_SINGLE = consumers_count(1)
_TOLERANCE = 1e-3
"""The accuracy of f16 in a file."""


def activation_fusions() -> list[MatcherPass]:
    """Return the passes."""
    return [
        ActivationFusion(),
        _softplus(),
        _mish(),
        _clamp(),
        _softmax(),
    ]


class ActivationFusion(MatcherPass):
    """Replaces spelled activations, which the compiler fuses too, by Swish, HSwish, HSigmoid or Gelu."""

    _default_name = "ActivationFusion"

    def apply(self, node: Node) -> bool:
        """Replace a node with which an activation ends, and return whether it was."""
        fused = fused_activation(node, _TOLERANCE) if node.is_a(*LAST_OPS) else None
        if fused is None:
            return False
        operation, source = fused
        attributes = {name: getattr(operation, name) for name in operation.fields()}
        return replace_root(self, node.outputs[0], build(type(operation), [source], **attributes))


def _softplus() -> MatcherPass:
    """Return the pass from `log(exp(x) + 1)` to SoftPlus."""
    data, one = AnyInput(), WrapType("opset13.Constant")
    total = WrapType("opset13.Add", [WrapType("opset13.Exp", data, _SINGLE), one], _SINGLE)

    def fused(matched: dict[Node, Output]) -> Node | None:
        return build(SoftPlus, [matched[data]]) if _scalar(matched[one]) == 1 else None

    return Fusion("SoftPlusFusion", WrapType("opset13.Log", total), fused)


def _mish() -> MatcherPass:
    """Return the pass from `x * tanh(softplus(x))` to Mish."""
    data = AnyInput()
    softplus = WrapType("opset13.SoftPlus", data, _SINGLE)
    root = WrapType("opset13.Multiply", [data, WrapType("opset13.Tanh", softplus, _SINGLE)])
    return Fusion("MishFusion", root, lambda matched: build(Mish, [matched[data]]))


def _clamp() -> MatcherPass:
    """Return the pass from `minimum(maximum(x, low), high)` to Clamp."""
    data, low, high = AnyInput(), WrapType("opset13.Constant"), WrapType("opset13.Constant")
    root = WrapType("opset13.Minimum", [WrapType("opset13.Maximum", [data, low], _SINGLE), high])

    def fused(matched: dict[Node, Output]) -> Node | None:
        bounds = _scalar(matched[low]), _scalar(matched[high])
        if bounds[0] is None or bounds[1] is None or bounds[0] > bounds[1]:
            return None
        return build(Clamp, [matched[data]], min=bounds[0], max=bounds[1])

    return Fusion("ClampFusion", root, fused)


def _softmax() -> MatcherPass:
    """Return the pass from `exp(x) / sum(exp(x))` over one axis to Softmax."""
    data, axes = AnyInput(), WrapType("opset13.Constant")
    exp = WrapType("opset13.Exp", data)
    total = WrapType("opset13.ReduceSum", [exp, axes], _SINGLE)
    root = WrapType("opset13.Divide", [exp, total])

    def fused(matched: dict[Node, Output]) -> Node | None:
        values = constant_values(matched[axes])
        keeps = matched[total].node.operation.keep_dims
        same = matched[root].node.inputs[0].source == matched[total].node.inputs[0].source
        if values is None or values.size != 1 or not keeps or not same:
            return None
        return build(Softmax, [matched[data]], axis=int(values.reshape(())))

    return Fusion("SoftmaxFusion", root, fused)


def _scalar(value: Output) -> float | None:
    """Return the number that a constant without dimensions holds, None for another one."""
    values = constant_values(value)
    return float(values) if values is not None and values.ndim == 0 else None
