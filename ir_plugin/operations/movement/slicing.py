"""Positions and lengths of slices, shared by StridedSlice, Slice and SliceScatter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from ir_plugin.errors import ShapeError
from ir_plugin.operations.shapes import normalize_axes, require_rank, unbounded, values_of
from ir_plugin.tensors import UNBOUNDED, Dimension, PartialShape, TensorInfo

_ENDLESS = 2**90
"""An unlimited index, in arithmetic of Python ints."""


class Interval(NamedTuple):
    """The smallest and the largest value that an index may have."""

    lower: int
    upper: int


ANYWHERE = Interval(-_ENDLESS, _ENDLESS)


def intervals_of(tensor: TensorInfo | None, count: int) -> list[Interval]:
    """Return the interval of each index; the limits of i32 and i64 stand for no limit."""
    bounds = None if tensor is None else tensor.bounds
    if bounds is None:
        return [ANYWHERE] * count
    most = unbounded(bounds.lower.dtype)

    def wide(value: int) -> int:
        return _ENDLESS if value >= most else -_ENDLESS if value < -most else value

    pairs = zip(bounds.lower.reshape(-1).tolist(), bounds.upper.reshape(-1).tolist(), strict=True)
    return [Interval(wide(lower), wide(upper)) for lower, upper in pairs]


def span(length: int, start: int, stop: int, step: int) -> tuple[int, int, int]:
    """Return the first position of a slice, the position after the last, and the number of positions.

    Negative indices count from the end, and all are clamped as in Python, but for a start before the first position
    of a backward slice, which is clamped to 0.
    """
    start += length if start < 0 else 0
    stop += length if stop < 0 else 0
    if step > 0:
        start, stop = min(max(start, 0), length), min(max(stop, 0), length)
        return start, stop, max(0, -((start - stop) // step))
    start, stop = min(max(start, 0), length - 1), min(max(stop, -1), length - 1)
    return start, stop, max(0, -((stop - start) // -step))


def sliced(dim: Dimension, start: Interval, stop: Interval, step: int) -> Dimension:
    """Return the interval of lengths of a slice along an axis.

    For a fixed length the positions are monotonic in each index on either side of zero, and the number of
    positions is linear in the length between the points where an index is clamped, so only the ends are tried.
    """
    starts, stops = _ends(start), _ends(stop)
    longest = _ENDLESS // 4 if dim.upper == UNBOUNDED else dim.upper
    turns = {abs(index) + near for index in starts | stops for near in (-1, 0, 1)}
    lengths = {dim.lower, longest} | {turn for turn in turns if dim.lower <= turn <= longest}
    counts = [span(length, *ends, step)[2] for length in lengths for ends in product(starts, stops)]
    return Dimension.between(min(counts), max(counts))


def _ends(index: Interval) -> set[int]:
    return {index.lower, index.upper} | {end for end in (-1, 0) if index.lower <= end <= index.upper}


def any_slice_of(shape: PartialShape) -> PartialShape:
    """Return the shape that covers every slice of a tensor."""
    return shape if shape.dims is None else PartialShape([Dimension(0, dim.max_length) for dim in shape])


def check_indices(**tensors: TensorInfo | None) -> int | None:
    """Check that inputs with one index per axis are 1-D and equally long; return their length, or None if unknown."""
    length = Dimension()
    for part, tensor in tensors.items():
        if tensor is None:
            continue
        require_rank(part, tensor.shape, 1)
        merged = length if tensor.shape.dims is None else length.merge(tensor.shape[0])
        if merged is None:
            raise ShapeError(part, f"{part} holds {tensor.shape[0]} values, {next(iter(tensors))} {length}")
        length = merged
    return int(length) if length.is_static else None


def check_steps(part: str, step: TensorInfo | None) -> None:
    """Raise if a step is known to be 0."""
    require_steps(part, () if step is None else values_of(step) or ())


def require_steps(part: str, steps: Sequence[int]) -> None:
    """Raise if a step is 0."""
    if 0 in steps:
        raise ShapeError(part, f"{part}[{steps.index(0)}] is 0; the step of a slice cannot be 0")


def slice_shape(
    shape: PartialShape, start: TensorInfo, stop: TensorInfo, step: TensorInfo, axes: TensorInfo | None = None
) -> PartialShape:
    """Return the shape of slices along `axes`, by default the first axes; raises for inconsistent inputs."""
    count = check_indices(start=start, stop=stop, step=step, axes=axes)
    check_steps("step", step)
    if shape.dims is None:
        return shape
    if not len(shape):
        raise ShapeError("data", "data is a scalar; it must have at least one dimension to slice")
    if count is not None and count > len(shape):
        raise ShapeError("start", f"start holds {count} values; data {shape} has the rank {len(shape)}")
    axis_values = values_of(axes) if axes is not None else range(count) if count is not None else None
    if axis_values is None or count is None:
        return any_slice_of(shape)
    steps = values_of(step)
    dims, any_slice = list(shape), list(any_slice_of(shape))
    starts, stops = intervals_of(start, count), intervals_of(stop, count)
    for i, axis in enumerate(normalize_axes("axes", tuple(axis_values), len(shape))):
        dims[axis] = any_slice[axis] if steps is None else sliced(dims[axis], starts[i], stops[i], steps[i])
    return PartialShape(dims)
