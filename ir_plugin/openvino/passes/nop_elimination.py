"""A pass that removes nodes without effect."""

from __future__ import annotations

from ir_plugin.compiler.identities import IDENTITIES, unchanged_input
from ir_plugin.compiler.model_rewriter import bypass
from ir_plugin.model import Node
from ir_plugin.openvino.passes.base import MatcherPass
from ir_plugin.operations.base import OperationClass


class NopElimination(MatcherPass):
    """Removes nodes of some operations that return an input unchanged."""

    _default_name = "EliminateNop"

    def __init__(self, *definitions: OperationClass) -> None:
        super().__init__()
        self._definitions = definitions or IDENTITIES

    def apply(self, node: Node) -> bool:
        """Remove a node, and return whether it has no effect."""
        source = unchanged_input(node) if node.is_a(*self._definitions) else None
        return source is not None and bypass(node.outputs[0], source)
