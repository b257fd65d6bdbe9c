"""Removes ops that return their input unchanged."""

from __future__ import annotations

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.identities import IDENTITIES, unchanged_input
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter
from ir_plugin.operations.arithmetic.binary import Add


@follows("constant_folding")
class IdentityElimination(Pattern):
    """Remove ops that return their input unchanged, such as Reshape to the same shape.

    Among them are reshapes that lead back to the shape before, products with 1, and slices of everything. The output is
    no result, and sums with 0 stay, as they make -0 to 0.
    """

    roots = tuple(definition for definition in IDENTITIES if definition is not Add)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        source = None if op.outputs[0].is_result else unchanged_input(op)
        if source is not None:
            rewriter.bypass(op, source)
