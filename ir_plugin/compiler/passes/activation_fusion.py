"""Fuses the ops of decomposed activations into one op, and decomposes others into ops that can be fused."""

from __future__ import annotations

from ir_plugin.compiler.activations import LAST_OPS, fused_activation
from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import number_beside
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.hard_sigmoid import HardSigmoid
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Multiply

_TYPES = ("f32", "f64")


@follows("scale_folding")
class HardSigmoidDecomposition(Pattern):
    """Replace HardSigmoid with constant inputs by Multiply, Add and Clamp, which fuse into an epilogue."""

    roots = (HardSigmoid,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        output, (data, alpha, beta) = op.outputs[0], op.inputs
        if data is None or data.element_type is not output.element_type or output.element_type.name not in _TYPES:
            return
        if number_beside(data, alpha) is None or number_beside(data, beta) is None:
            return
        product, total = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
        ops = [
            Op(Multiply(auto_broadcast="numpy"), [data, alpha], [product], op.nodes),
            Op(Add(auto_broadcast="numpy"), [product, beta], [total], list(op.nodes)),
            Op(Clamp(min=0.0, max=1.0), [total], [output], list(op.nodes)),
        ]
        rewriter.replace(op, ops)


@follows("scale_folding")
class SwishDecomposition(Pattern):
    """Replace Swish with a constant beta: 1 by Swish without beta, others by Multiply, Sigmoid and Multiply."""

    roots = (Swish,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        output, (data, beta) = op.outputs[0], (*op.inputs, None)[:2]
        number = number_beside(data, beta)
        if data is None or number is None or output.element_type.name not in _TYPES:
            return
        if number == 1:
            rewriter.replace(op, [Op(Swish(), [data], [output], op.nodes)])
            return
        product, gate = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
        ops = [
            Op(Multiply(auto_broadcast="numpy"), [data, beta], [product], op.nodes),
            Op(Sigmoid(), [product], [gate], list(op.nodes)),
            Op(Multiply(auto_broadcast="numpy"), [data, gate], [output], list(op.nodes)),
        ]
        rewriter.replace(op, ops)


@follows("scale_folding")
class ActivationFusion(Pattern):
    """Fuse subgraphs that compute Swish, HSwish, HSigmoid or Gelu into that op; decompose HardSigmoid and scaled Swish.

    The patterns are x * sigmoid(x), x * clip(x + 3, 0, 6) / 6, clip(x + 3, 0, 6) / 6, x * (1 + erf(x / √2)) / 2, and
    x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2. All parts read one x of f32 or f64, and no number raises its rank;
    parts that others read stay.
    """

    roots = LAST_OPS

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        fused = fused_activation(op) if op.outputs[0].element_type.name in _TYPES else None
        if fused is not None and fused[1].shape == op.outputs[0].shape:
            rewriter.replace(op, [Op(fused[0], [fused[1]], op.outputs, op.nodes)])
