"""Removes ops whose outputs nobody reads."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph, Op
from ir_plugin.compiler.rewriter import remove_ops


def dead_code(graph: Graph) -> None:
    """Remove ops whose outputs nobody reads, unless they write a variable."""
    for op in reversed(graph.ops):
        if not _changes_variable(op) and not any(value.users or value.is_result for value in op.outputs):
            remove_ops(graph, [op])


def _changes_variable(op: Op) -> bool:
    return "variable_id" in op.operation.__dict__ and op.type != "ReadValue"
