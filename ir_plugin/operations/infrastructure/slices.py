"""Slices of inputs by iteration, and the joined results: the port maps of loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.model import SubGraphInput, SubGraphOutput
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.tensors import Array, Dimension, PartialShape


def count(length: int, entry: SubGraphInput) -> int:
    """Return the number of slices of an axis of this length, from index `start` to index `end`, both included.

    Negative indices count from the end. A slice has `part_size` positions, and the next one begins `stride` further on,
    backwards where that is negative.
    """
    start = entry.start + (length if entry.start < 0 else 0)
    end = entry.end + (length if entry.end < 0 else 0)
    allowed = range(length) if length else (-1, 0)
    for name, attribute, index in (("start", entry.start, start), ("end", entry.end, end)):
        if index not in allowed:
            raise ShapeError(name, f"{name} {attribute} is outside the axis to slice, which has the length {length}")
    covered = (end - start if entry.stride > 0 else start - end) + 1 if length else 0
    if covered < 0:
        ends = f"from start {entry.start} to end {entry.end}"
        raise ShapeError("stride", f"a stride of {entry.stride} does not lead {ends}")
    step = abs(entry.stride)
    if step == entry.part_size and covered % step:
        raise ShapeError("part_size", f"{covered} positions cannot be cut into parts of {step}")
    return 0 if covered < entry.part_size else (covered - entry.part_size) // step + 1


def count_of(array: Array, entry: SubGraphInput) -> int:
    """Return the number of slices of an array."""
    return count(array.shape[normalize_axis("axis", entry.axis or 0, array.ndim)], entry)


def slice_of(array: Array, entry: SubGraphInput, iteration: int) -> Array:
    """Return a view of the slice of an input for one iteration."""
    axis = normalize_axis("axis", entry.axis or 0, array.ndim)
    first = first_of(array.shape[axis], entry, iteration)
    return array[(slice(None),) * axis + (slice(first, first + entry.part_size),)]


def first_of(length: int, entry: SubGraphInput, iteration: int) -> int:
    """Return the first position of the slice for one iteration of an axis of this length."""
    first = entry.start + (length if entry.start < 0 else 0) + iteration * entry.stride
    return first - (entry.part_size - 1) if entry.stride < 0 else first


def shape_of(shape: PartialShape, entry: SubGraphInput) -> PartialShape:
    """Return the shape of a slice."""
    if shape.ndim is None:
        return shape
    return shape.replace(normalize_axis("axis", entry.axis or 0, shape.ndim), entry.part_size)


def length_of(shape: PartialShape, entry: SubGraphInput) -> Dimension:
    """Return the length of the axis that is sliced."""
    if shape.ndim is None:
        return Dimension()
    return shape[normalize_axis("axis", entry.axis or 0, shape.ndim)]


def joined_shape(shape: PartialShape, entry: SubGraphOutput, number: int | None) -> PartialShape:
    """Return the shape of `number` results joined along the entry's axis; None stands for an unknown number."""
    if shape.ndim is None:
        return shape
    axis = normalize_axis("axis", entry.axis or 0, shape.ndim)
    dim = shape[axis]
    if number == 0:
        return shape.replace(axis, 0)
    if number is None or dim.is_dynamic:
        return shape.replace(axis, Dimension() if dim != 0 else 0)
    return shape.replace(axis, dim * number)


def joined(arrays: Sequence[Array], entry: SubGraphOutput) -> Array:
    """Return the results of all iterations joined along the entry's axis, in reverse for a negative stride."""
    ordered = arrays[::-1] if entry.stride < 0 else arrays
    axis = normalize_axis("axis", entry.axis or 0, arrays[0].ndim)
    rest = {array.shape[:axis] + array.shape[axis + 1 :] for array in arrays}
    if len(rest) > 1 or len({array.ndim for array in arrays}) > 1:
        shapes = ", ".join(str(list(shape)) for shape in sorted({array.shape for array in arrays})[:4])
        raise EvaluationError(f"the results of the iterations cannot be joined along axis {axis}: {shapes}")
    return np.concatenate(ordered, axis)
