"""Passes that replace the nodes of an activation function by one."""

from __future__ import annotations

from math import isclose, sqrt

from ir_plugin.compiler.model_rewriter import build, constant_values
from ir_plugin.model import Node, Output
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import HSigmoid, HSwish, Mish, Sigmoid, SoftPlus
from ir_plugin.operations.base import OperationClass
from ir_plugin.passes.base import MatcherPass
from ir_plugin.passes.fusion import Fusion
from ir_plugin.passes.pattern import AnyInput, WrapType
from ir_plugin.passes.predicates import consumers_count

_SINGLE = consumers_count(1)


def activation_fusions() -> list[MatcherPass]:
    """Return the passes."""
    return [
        _product(Sigmoid, Swish),
        _product(HSigmoid, HSwish),
        _softplus(),
        _mish(),
        _clamp(),
        _gelu(),
        _softmax(),
    ]


def _product(factor: OperationClass, activation: OperationClass) -> MatcherPass:
    """Return the pass from `x * factor(x)` to an activation function."""
    data = AnyInput()
    root = WrapType("opset13.Multiply", [data, WrapType(f"opset13.{factor.type}", data, _SINGLE)])
    return Fusion(f"{activation.type}Fusion", root, lambda matched: build(activation, [matched[data]]))


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


def _gelu() -> MatcherPass:
    """Return the pass from `x * (1 + erf(x / sqrt(2))) * 0.5`, in any order of the factors, to Gelu."""
    data = AnyInput()
    factor, one, half = (WrapType("opset13.Constant") for _ in range(3))
    erf = WrapType("opset13.Erf", WrapType(["opset13.Multiply"], [data, factor], _SINGLE), _SINGLE)
    bracket = WrapType("opset13.Add", [erf, one], _SINGLE)
    root = WrapType("opset13.Multiply", [WrapType("opset13.Multiply", [data, bracket], _SINGLE), half])

    def fused(matched: dict[Node, Output]) -> Node | None:
        numbers = [_number(matched[node]) for node in (factor, one, half)]
        expected = (sqrt(0.5), 1.0, 0.5)
        if not all(isclose(a, b, rel_tol=1e-3) for a, b in zip(numbers, expected, strict=True)):
            return None
        return build(Gelu, [matched[data]])

    return Fusion("GeluFusion", root, fused)


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


def _number(value: Output) -> float:
    """Return the number that a constant of one element holds, NaN for another one."""
    values = constant_values(value)
    return float(values.reshape(())) if values is not None and values.size == 1 else float("nan")
