"""Removes ops whose outputs nobody reads."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import remove_unread


@follows("levels_fusion")
def dead_code(graph: Graph) -> None:
    """Remove ops whose outputs nobody reads, unless they write a variable."""
    remove_unread(graph)
