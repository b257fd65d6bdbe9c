"""Removes ops that return their input unchanged."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.identities import IDENTITIES, unchanged_input
from ir_plugin.compiler.passes.dead_code import dead_code
from ir_plugin.compiler.rewriter import replace_uses, rewrites
from ir_plugin.operations.arithmetic.binary import Add

_EXACT = tuple(definition for definition in IDENTITIES if definition is not Add)


@rewrites(*_EXACT)
def identity_elimination(graph: Graph) -> None:
    """Remove ops that return their input unchanged, such as Reshape to the same shape.

    Among them are reshapes that lead back to the shape before, products with 1, and slices of everything. The output is
    no result, and sums with 0 stay, as they make -0 to 0.
    """
    is_changed = False
    for op in graph.ops:
        source = unchanged_input(op) if op.is_a(*_EXACT) and not op.outputs[0].is_result else None
        if source is not None:
            replace_uses(graph, op.outputs[0], source)
            is_changed = True
    if is_changed:
        dead_code(graph)
