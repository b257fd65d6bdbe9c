"""Sequences of tensors, of the extension. ONNX: SequenceConstruct-11, SequenceAt-11, SequenceInsert-11, and others."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import item_type, merge_types, require_type
from ir_plugin.operations.containers.items import of_item, owned, position_of
from ir_plugin.operations.shapes import normalize_axis, require_rank
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo
from ir_plugin.tensors.containers import vector_of


def _sequence(item: ElementType, length: int = -1) -> TensorInfo:
    return TensorInfo(ElementType.container("sequence", item), [length])


class _OnSequence(Operation):
    """An operation that reads or returns sequences."""

    widen = False
    takes_containers = True


class SequenceConstruct(_OnSequence, version="extension"):
    """The sequence of the inputs, which may differ in their shapes; without inputs, the empty one of `element_type`."""

    element_type: ElementType

    def infer(self, *inputs: TensorInfo) -> TensorInfo:
        """Return a sequence of as many items as there are inputs."""
        common = merge_types(*inputs) if inputs else self.element_type
        return _sequence(common, len(inputs))

    def evaluate(self, *inputs: Array) -> Array:
        """Return a vector of copies of the inputs."""
        return vector_of(map(owned, inputs))


class SequenceAt(_OnSequence, version="extension"):
    """The item of a sequence at a position; negative positions count from the end."""

    def infer(self, sequence: TensorInfo, position: TensorInfo) -> TensorInfo:
        """Return the type of the items, and an unknown shape."""
        require_type("position", position, "i32", "i64")
        require_rank("position", position.shape, 0, 1)
        return of_item(item_type("sequence", sequence, "sequence"))

    def evaluate(self, sequence: Array, position: Array) -> Array:
        """Return a copy of the item."""
        item: Array = owned(sequence[position_of(position, len(sequence))])
        return item


class SequenceInsert(_OnSequence, version="extension"):
    """The sequence with another item before a position, or at its end."""

    def infer(self, sequence: TensorInfo, item: TensorInfo, position: TensorInfo | None = None) -> TensorInfo:
        """Return a longer sequence."""
        items = item_type("sequence", sequence, "sequence")
        common = items.merge(item.element_type)
        if common is None:
            raise ShapeError(
                "item", f"item has the element type {item.element_type.name}, the sequence has {items.name}"
            )
        if position is not None:
            require_type("position", position, "i32", "i64")
        return _sequence(common)

    def evaluate(self, sequence: Array, item: Array, position: Array | None = None) -> Array:
        """Return a longer vector."""
        length = len(sequence)
        index = length if position is None else position_of(position, length, extra=1)
        return vector_of([*sequence[:index], owned(item), *sequence[index:]])


class SequenceErase(_OnSequence, version="extension"):
    """The sequence without the item at a position, or without its last one."""

    def infer(self, sequence: TensorInfo, position: TensorInfo | None = None) -> TensorInfo:
        """Return a shorter sequence."""
        if position is not None:
            require_type("position", position, "i32", "i64")
        return _sequence(item_type("sequence", sequence, "sequence"))

    def evaluate(self, sequence: Array, position: Array | None = None) -> Array:
        """Return a shorter vector."""
        length = len(sequence)
        if not length:
            raise EvaluationError("the sequence is empty; there is no item to erase")
        index = length - 1 if position is None else position_of(position, length)
        return vector_of([*sequence[:index], *sequence[index + 1 :]])


class SequenceLength(_OnSequence, version="extension"):
    """The number of items of a sequence, in i64."""

    def infer(self, sequence: TensorInfo) -> TensorInfo:
        """Return a scalar."""
        item_type("sequence", sequence, "sequence")
        return TensorInfo(ElementType.i64, [])

    def evaluate(self, sequence: Array) -> Array:
        """Return the length of the vector."""
        return np.array(len(sequence), np.int64)


class SplitToSequence(_OnSequence, version="extension"):
    """The parts of a tensor along `axis`: of the lengths in `split`, or of one length, the last one shorter.

    Without `split`, parts have the length 1, and lack the axis unless `keepdims` is true.
    """

    axis: int
    keepdims: bool

    def infer(self, data: TensorInfo, split: TensorInfo | None = None) -> TensorInfo:
        """Return a sequence, of a length that is known for lengths in `split`, or without it."""
        if data.shape.ndim is not None:
            normalize_axis("axis", self.axis, data.shape.ndim)
        if split is None:
            dim = data.shape[self.axis] if data.shape.ndim is not None else Dimension()
            return _sequence(data.element_type, int(dim) if dim.is_static else -1)
        require_type("split", split, "i32", "i64")
        require_rank("split", split.shape, 0, 1)
        is_list = split.shape.ndim == 1 and split.shape[0].is_static
        return _sequence(data.element_type, int(split.shape[0]) if is_list else -1)

    def evaluate(self, data: Array, split: Array | None = None) -> Array:
        """Return a vector of copies of the parts."""
        axis = normalize_axis("axis", self.axis, data.ndim)
        length = data.shape[axis]
        if split is None:
            parts = [np.take(data, index, axis) for index in range(length)]
            return vector_of(np.expand_dims(part, axis) if self.keepdims else part for part in parts)
        lengths = _lengths(split, length)
        ends = np.cumsum(lengths)
        return vector_of(
            np.take(data, range(end - part, end), axis) for part, end in zip(lengths, ends.tolist(), strict=True)
        )


def _lengths(split: Array, length: int) -> list[int]:
    """Return the lengths of parts that cover an axis."""
    if split.ndim == 0:
        part = int(split)
        if part < 1:
            raise EvaluationError(f"split is {part}; it must be 1 or more")
        return [min(part, length - start) for start in range(0, length, part)]
    lengths: list[int] = split.tolist()
    if min(lengths, default=0) < 0 or sum(lengths) != length:
        raise EvaluationError(f"split is {lengths}; the parts must cover the length {length} of the axis")
    return lengths


class ConcatFromSequence(_OnSequence, version="extension"):
    """The items of a sequence joined along `axis`, which is a new one if `new_axis` is true."""

    axis: int
    new_axis: bool

    def infer(self, sequence: TensorInfo) -> TensorInfo:
        """Return the type of the items, and an unknown shape."""
        return TensorInfo(item_type("sequence", sequence, "sequence"), None)

    def evaluate(self, sequence: Array) -> Array:
        """Return the joined items."""
        if not len(sequence):
            raise EvaluationError("the sequence is empty; there is nothing to join")
        items: list[Array] = list(sequence)
        axis = normalize_axis("axis", self.axis, items[0].ndim + self.new_axis)
        if self.new_axis:
            items = [np.expand_dims(item, axis) for item in items]
        if len({(*item.shape[:axis], *item.shape[axis + 1 :]) for item in items}) > 1:
            listed = ", ".join(str(list(item.shape)) for item in items[:4])
            raise EvaluationError(f"the items cannot be joined along the axis {axis}: {listed}")
        return np.concatenate(items, axis)
