"""A pass that computes equal nodes once."""

from __future__ import annotations

from collections.abc import Hashable

from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.passes.base import BuiltInPass
from ir_plugin.passes.building import bypass
from ir_plugin.passes.manager import drop_unused

_MOST_BYTES = 256
"""The size up to which constants are compared."""
_KEPT = (Parameter, Result, ReadValue, Assign)


class SharedOpOptimization(BuiltInPass, name="SharedOpOptimization"):
    """Lets readers of equal nodes read the first: equal are type, attributes and inputs, or small constants."""

    def transform(self, graph: Graph) -> bool:
        """Change a model or a body, and return whether it was changed."""
        first: dict[Hashable, Node] = {}
        is_changed = False
        for node in graph.ordered():
            key = _key(node)
            if key is None:
                continue
            earlier = first.setdefault(key, node)
            if earlier is not node:
                pairs = zip(node.outputs, earlier.outputs, strict=True)
                is_changed |= sum(bypass(old, new) for old, new in pairs if old.readers) > 0
        if is_changed:
            drop_unused(graph)
        return is_changed


def _key(node: Node) -> Hashable | None:
    """Return a key that equal nodes share, None for a node that is always kept."""
    operation = node.operation
    if operation is None or operation.stateful or operation.subgraphs or node.is_a(*_KEPT):
        return None
    if operation.is_a(Const):
        if node.get_byte_size() > _MOST_BYTES:
            return None
        values = operation.evaluate()
        return Const, operation.element_type, values.shape, values.dtype, repr(values.tolist())
    return node.get_type_info(), operation.attribute_key(), tuple(port.source for port in node.inputs)
