"""Common subexpressions: equal nodes are computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ir_plugin.compiler.folding import is_foldable
from ir_plugin.compiler.model_rewriter import bypass
from ir_plugin.model import Node, Output
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import Array
from ir_plugin.tensors.mapped import release_pages

_KEPT = (Parameter, Result, ReadValue, Assign)
_HASHED_BYTES = 256
"""The size up to which constants are hashed by value; larger ones are hashed by type, and compared by value."""
BLOCK_BYTES = 1 << 20
"""The bytes of the blocks in which large constants are compared."""


def share_equal_nodes(order: Sequence[Node], is_allowed: Callable[[Node], bool]) -> bool:
    """Let readers of equal nodes read the first of them, and return whether there were any.

    Equal are type, attributes and inputs, of which Constants are equal by their values.
    """
    first: dict[Hashable, Node] = {}
    is_changed = False
    for node in order:
        if is_foldable(node.operation) and not node.is_a(*_KEPT) and is_allowed(node):
            earlier = first.setdefault(_key(node), node)
            pairs = zip(node.outputs, earlier.outputs, strict=True) if earlier is not node else ()
            is_changed |= sum(bypass(old, new) for old, new in pairs if old.readers) > 0
    return is_changed


def _key(node: Node) -> Hashable:
    if node.is_a(Const):
        return _ConstantKey(node.outputs[0])
    sources = (source and (_ConstantKey(source) if source.node.is_a(Const) else source) for source in node.sources)
    return node.get_type_info(), node.operation.attribute_key(), tuple(sources)


@dataclass(frozen=True, eq=False)
class _ConstantKey:
    """The key of a Constant, whose values are compared where type and shape are equal."""

    port: Output

    def __hash__(self) -> int:
        return hash((self._type(), self._values() if self.port.node.get_byte_size() <= _HASHED_BYTES else None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _ConstantKey) or self._type() != other._type():
            return False
        return self.port is other.port or _are_equal(self._array(), other._array())

    def _type(self) -> Hashable:
        operation = self.port.node.operation
        return operation.element_type, operation.shape

    def _values(self) -> Hashable:
        array = self._array()
        return array.tobytes() if array.dtype.kind != "O" else repr(array.tolist())

    def _array(self) -> Array:
        array: Array = self.port.node.operation.evaluate()
        return array


def _are_equal(first: Array, second: Array) -> bool:
    """Return whether arrays of one type and shape have the same bytes, compared in blocks of their first axis."""
    if first.dtype.kind == "O":
        return bool(first.tolist() == second.tolist())
    left, right = np.atleast_1d(first), np.atleast_1d(second)
    rows = max(len(left) * BLOCK_BYTES // max(left.nbytes, 1), 1)
    is_equal = all(
        left[row : row + rows].tobytes() == right[row : row + rows].tobytes() for row in range(0, len(left), rows)
    )
    for array in (first, second):
        release_pages(array)
    return is_equal
