"""TopK: select the largest or smallest elements along an axis. Specification: sort/TopK-11, TopK-3, TopK-1."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import outside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, require_rank
from ir_plugin.operations.traits import Along, Selects, ValueInputs
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class TopK(Operation, version=11):
    """Select the `k` largest (`mode` max) or smallest (min) elements along `axis`, and return their indices.

    `sort` orders them by value or by index; none orders by value. The first of equal elements are selected and keep
    their order, whether `stable` is set or not. The page leaves NaN open: here it is larger than every number, as
    NumPy sorts it. A `k` above the length of the axis is an error; the page says nothing of it, and OpenVINO infers k
    elements that its CPU then refuses.
    """

    traits = (Along("axis"), ValueInputs((1,)), Selects((1,)))
    needs_values = (1,)
    axis: int
    mode: str
    sort: str
    stable: bool
    index_element_type: ElementType

    def infer(self, data: TensorInfo, k: TensorInfo) -> tuple[TensorInfo, TensorInfo]:
        """Return the type of `data` and the index type, with the shape of `data` but k along the axis."""
        require_type("data", data, "number", "boolean")
        self._check_k(k)
        require_rank("k", k.shape, 0)
        shape = data.shape
        if shape.ndim is not None:
            axis = normalize_axis("axis", self.axis, shape.ndim)
            shape = shape.replace(axis, self._count(k, shape[axis]))
        return data.with_shape(shape), TensorInfo(self.index_element_type, shape)

    def _check_k(self, k: TensorInfo) -> None:
        require_type("k", k, "integer")

    def _count(self, k: TensorInfo, length: Dimension) -> Dimension:
        """Return the number of elements selected from an axis of this length."""
        if k.bounds is None:
            return Dimension.between(0, length.upper)
        lower, upper = (int(bound.reshape(-1)[0]) for bound in k.bounds)
        if upper < 0:
            raise ShapeError("k", f"k is {upper}; it must not be negative")
        if lower > length.upper:
            raise ShapeError("k", f"k is {lower}, but axis {self.axis} of data has {length} elements only")
        return Dimension.between(lower, min(upper, length.upper))

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of k."""
        return {1: Range(1, inputs.length(0, self.axis))}

    def ranges_for(self, needed: Range, inputs: KnownInputs) -> Ranges:
        """Return the range for elements that are whole numbers; of others, the indices are what is read as such."""
        data = inputs.tensor(0)
        return {0: needed} if data is not None and data.element_type.is_integer else {}

    def selected_values(self, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the elements at the indices and those returned, whose order counts if they are sorted by value."""
        data, indices = inputs[0], outputs[1].astype(np.int64)
        if data is None or outside(indices, 0, data.shape[self.axis] - 1) is not None:
            return None
        if (np.diff(np.sort(indices, self.axis), axis=self.axis) == 0).any():
            return None
        values = [np.take_along_axis(data, indices, self.axis), outputs[0]]
        return values if self.sort == "value" else [np.sort(array, self.axis) for array in values]

    def evaluate(self, data: Array, k: Array) -> tuple[Array, Array]:
        """Return the elements and their indices."""
        count, length = int(k.reshape(-1)[0]), data.shape[self.axis]
        if not 0 <= count <= length:
            raise ShapeError("k", f"k is {count}; axis {self.axis} of data has {length} elements")
        single = first_best(data, self.axis % data.ndim, self.mode == "max") if count == 1 else None
        if single is not None:
            return np.take_along_axis(data, single, self.axis), single
        rows = np.ascontiguousarray(np.moveaxis(data, self.axis, -1))
        positions = best(rows, count, largest=self.mode == "max", by_position=self.sort == "index")
        values = np.take_along_axis(rows, positions, axis=-1)
        return np.moveaxis(values, -1, self.axis), np.moveaxis(positions, -1, self.axis)


class TopK3(TopK, version=3):
    """As TopK-11, but without `stable`: the order of equal elements is unspecified; here they keep their order."""

    stable = False


class TopK1(TopK3, version=1):
    """As TopK-3, but `k` is of type i8, i32 or i64."""

    def _check_k(self, k: TensorInfo) -> None:
        require_type("k", k, "i8", "i32", "i64")


SHORT_STEP = 2**12
"""The smallest distance between elements of a row at which rows are searched side by side."""


def first_best(data: Array, axis: int, largest: bool) -> Array | None:
    """Return the index of the first largest or smallest element of each row along an axis.

    Return None where rows are contiguous in memory, where a row has a NaN, and for dtypes that are not NumPy's own.
    """
    if data.size == 0 or prod(data.shape[axis + 1 :]) < SHORT_STEP or data.dtype.isbuiltin != 1:
        return None
    extremes = data.max(axis) if largest else data.min(axis)
    if data.dtype.kind == "f" and bool(np.isnan(extremes).any()):
        return None
    positions = np.zeros(extremes.shape, np.int64)
    elements = np.moveaxis(data, axis, 0)
    for position in reversed(range(len(elements))):
        np.copyto(positions, position, where=elements[position] == extremes)
    return np.expand_dims(positions, axis)


def best(rows: Array, count: int, largest: bool, by_position: bool) -> Array:
    """Return the indices of the `count` largest or smallest elements of each row, the first of equal ones."""
    length = rows.shape[-1]
    if count == 0 or rows.size == 0:
        return np.zeros((*rows.shape[:-1], count), np.int64)
    if rows.dtype.kind == "f" and bool(np.isnan(rows).any()):
        positions = _sorted(rows, largest)[..., :count]
        return np.sort(positions, axis=-1) if by_position else positions
    if count == 1:
        extremes = rows.argmax(axis=-1) if largest else rows.argmin(axis=-1)
        result: Array = extremes[..., None]
        return result
    selected = np.broadcast_to(np.arange(length), rows.shape) if count == length else _selected(rows, count, largest)
    if by_position:
        return selected
    return np.take_along_axis(selected, _sorted(np.take_along_axis(rows, selected, axis=-1), largest), axis=-1)


def _selected(rows: Array, count: int, largest: bool) -> Array:
    """Return the ascending indices of the best elements of each row."""
    at = rows.shape[-1] - count if largest else count - 1
    limit = np.partition(rows, at, axis=-1)[..., at : at + 1]
    selected = rows >= limit if largest else rows <= limit
    tied = np.count_nonzero(selected, axis=-1) > count
    if tied.any():
        equal = rows[tied] == limit[tied]
        better = selected[tied] & ~equal
        missing = count - np.count_nonzero(better, axis=-1, keepdims=True)
        selected[tied] = better | equal & (np.cumsum(equal, axis=-1) <= missing)
    return np.nonzero(selected)[-1].reshape(*rows.shape[:-1], count)


def _sorted(rows: Array, largest: bool) -> Array:
    """Return the indices of the elements of each row from best to worst, ascending for equal elements."""
    if not largest:
        return np.argsort(rows, axis=-1, kind="stable")
    result: Array = rows.shape[-1] - 1 - np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return result
