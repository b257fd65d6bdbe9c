"""Removes ops whose outputs nobody reads."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph, Op
from ir_plugin.compiler.rewriter import remove_ops
from ir_plugin.operations.infrastructure.read_value import ReadValue


def dead_code(graph: Graph) -> None:
    """Remove ops whose outputs nobody reads, unless they write a variable."""
    for op in reversed(graph.ops):
        is_read = any(value.users or value.is_result for value in op.outputs)
        if not is_read and not _writes_variable(op):
            remove_ops(graph, [op])


def _writes_variable(op: Op) -> bool:
    """Return whether an op assigns to a variable: it names one and does not only read it."""
    return not op.is_a(ReadValue) and hasattr(op.operation, "variable_id")
