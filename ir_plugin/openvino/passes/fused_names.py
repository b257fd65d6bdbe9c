"""A pass that removes the names of fused layers."""

from __future__ import annotations

from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.base import BuiltInPass

_KEY = "fused_names"


class FusedNamesCleanup(BuiltInPass, name="FusedNamesCleanup"):
    """Removes `fused_names` from the runtime information of all nodes, in bodies too."""

    def transform(self, graph: Graph) -> bool:
        """Clean a model or a body."""
        is_changed = False
        for node in graph.nodes:
            for key in [key for key in node.rt_info if key.startswith(_KEY)]:
                del node.rt_info[key]
                is_changed = True
        for _, _, subgraph in graph.bodies():
            is_changed |= self.transform(subgraph.body)
        return is_changed
