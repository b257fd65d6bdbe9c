"""A pass that computes equal nodes once."""

from __future__ import annotations

from ir_plugin.compiler.model_rewriter import drop_unused
from ir_plugin.compiler.sharing import share_equal_nodes
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.operations.infrastructure.const import Const

_MAX_BYTES = 256
"""The size up to which constants are shared."""


class SharedOpOptimization(BuiltInPass, name="SharedOpOptimization"):
    """Lets readers of equal nodes read the first: equal are type, attributes and inputs, or small constants."""

    def transform(self, graph: Graph) -> bool:
        """Change a model or a body, and return whether it was changed."""
        is_changed = share_equal_nodes(graph.ordered(), _may_share)
        if is_changed:
            drop_unused(graph)
        return is_changed


def _may_share(node: Node) -> bool:
    return not node.is_a(Const) or node.get_byte_size() <= _MAX_BYTES
