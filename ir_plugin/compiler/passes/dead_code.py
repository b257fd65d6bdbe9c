"""Removes ops whose outputs nobody reads."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.rewriter import remove_unread


def dead_code(graph: Graph) -> None:
    """Remove ops whose outputs nobody reads, unless they write a variable."""
    remove_unread(graph)
