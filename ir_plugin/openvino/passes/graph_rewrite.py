"""Groups of matcher passes that visit the nodes of a model in one traversal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from ir_plugin.errors import require
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.model.traversal import postorder
from ir_plugin.openvino.passes.base import BuiltInPass, MatcherPass


class GraphRewrite(BuiltInPass, name="GraphRewrite"):
    """Visits the nodes from inputs to outputs; the first matcher pass that changes a node ends the visit of it."""

    def __init__(self) -> None:
        self.passes_list: list[MatcherPass] = []

    def add_matcher(self, transformation: MatcherPass) -> MatcherPass:
        """Append a matcher pass, and return it."""
        require(transformation, MatcherPass, "a MatcherPass", "transformation")
        self.passes_list.append(transformation)
        return transformation

    def transform(self, graph: Graph) -> bool:
        """Visit the nodes of a model and of its bodies, and return whether any was changed."""
        is_changed = False
        waiting = deque(self._order(postorder(graph)))
        while waiting:
            node = waiting.popleft()
            if node.is_detached:
                continue
            for subgraph in node.operation.subgraphs.values() if node.operation is not None else ():
                is_changed |= self.transform(subgraph.body)
            is_changed |= self._visit(node, waiting)
        return is_changed

    def _order(self, nodes: list[Node]) -> Iterator[Node]:
        return iter(nodes)

    def _visit(self, node: Node, waiting: deque[Node]) -> bool:
        """Apply the matcher passes to a node until one changes it; nodes that they register come next."""
        for matcher_pass in self.passes_list:
            is_changed = matcher_pass.apply(node)
            waiting.extendleft(reversed(matcher_pass.take_new_nodes()))
            if is_changed:
                return True
        return False


class BackwardGraphRewrite(GraphRewrite, name="BackwardGraphRewrite"):
    """Visits the nodes from outputs to inputs."""

    def _order(self, nodes: list[Node]) -> Iterator[Node]:
        return reversed(nodes)
