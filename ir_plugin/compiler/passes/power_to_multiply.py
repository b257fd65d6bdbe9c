"""Replaces squares by products, which can be fused and computed in place."""

from __future__ import annotations

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.matching import number_of
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter
from ir_plugin.operations.arithmetic.binary import Multiply, Power


@follows("rms_norm_fusion")
class PowerToMultiply(Pattern):
    """Replace Power with the constant exponent 2 by the product of its base with itself.

    The base, of f32 or f64, has the known shape of the result, which the exponent does not raise.
    """

    roots = (Power,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        (base, exponent), output = op.inputs, op.outputs[0]
        if base is None or base.shape is None or base.shape != output.shape or base.constant is not None:
            return
        if output.element_type.name in ("f32", "f64") and number_of(exponent) == 2:
            rewriter.replace(op, [Op(Multiply(auto_broadcast="numpy"), [base, base], op.outputs, op.nodes)])
