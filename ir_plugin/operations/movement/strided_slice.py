"""StridedSlice: slice data with masks. Specification: movement/StridedSlice-1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.movement.slicing import (
    ANYWHERE,
    Interval,
    check_indices,
    check_steps,
    intervals_of,
    sliced,
    span,
)
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import values_of, whole_numbers
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo

_MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


class Step(NamedTuple):
    """One axis operation: `kind` keep, slice or shrink at index `position` of begin and end, or new without an axis."""

    kind: str
    axis: int = -1
    position: int = -1


class StridedSlice(Operation, version=1):
    """Take `data[begin:end:stride]` along the first axes, modified by masks with one digit 0 or 1 per index.

    `begin_mask` and `end_mask` ignore an index and slice from or to the end, `new_axis_mask` inserts an axis of length
    1, `shrink_axis_mask` takes one element and drops the axis, `ellipsis_mask` skips axes so that the remaining indices
    apply to the last ones. Short masks are extended with zeros. A negative index counts from the end, an index beyond
    the axis is clamped; going backwards, a begin before the first element is the first. The page says that a slice
    with begin = end has one element and that a backward `end_mask` leaves out the first element, which contradicts its
    own equations (`array[::-1]`); both are as in Python here, and in OpenVINO.
    Specification: movement/StridedSlice-1.

    Differs from the page: `strides` may be floats, which are cut to whole numbers.
    Example: A stride of 2.0 takes every second element.
    """

    traits = (ValueInputs((1, 2, 3)),)
    needs_values = (1, 2, 3)
    widen = False
    carriers = (0,)

    begin_mask: tuple[int, ...]
    end_mask: tuple[int, ...]
    new_axis_mask: tuple[int, ...]
    shrink_axis_mask: tuple[int, ...]
    ellipsis_mask: tuple[int, ...]

    def infer(
        self, data: TensorInfo, begin: TensorInfo, end: TensorInfo, strides: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the type of `data` and the shape of the slice."""
        for part, tensor in (("begin", begin), ("end", end)):
            require_type(part, tensor, "integer")
        if strides is not None:
            note_type("strides", strides, "integer", accepted=("number",))
        self._check_masks()
        count = check_indices(begin=begin, end=end, strides=strides)
        check_steps("strides", strides)
        if data.shape.dims is None or count is None:
            return data.with_shape(None)
        return data.with_shape(self._shape(data.shape, begin, end, strides, count))

    def _check_masks(self) -> None:
        for name in _MASKS:
            mask: tuple[int, ...] = getattr(self, name)
            if any(digit not in (0, 1) for digit in mask):
                raise ShapeError(name, f"{name} is {list(mask)}; its values must be 0 or 1")
        if sum(self.ellipsis_mask) > 1:
            raise ShapeError("ellipsis_mask", f"ellipsis_mask {list(self.ellipsis_mask)} has more than one 1")

    def _shape(
        self, shape: PartialShape, begin: TensorInfo, end: TensorInfo, strides: TensorInfo | None, count: int
    ) -> PartialShape:
        begins, ends = intervals_of(begin, count), intervals_of(end, count)
        steps = (1,) * count if strides is None else values_of(strides)
        dims = []
        for step in self.steps(len(shape), count):
            if step.kind == "new":
                dims.append(Dimension(1))
            elif step.kind == "keep":
                dims.append(shape[step.axis])
            elif step.kind == "slice" and steps is None:
                dims.append(Dimension(0, shape[step.axis].max_length))
            elif step.kind == "slice" and steps is not None:
                at = step.position
                start, stop = self._masked(begins[at], ends[at], steps[at], at)
                dims.append(sliced(shape[step.axis], start, stop, steps[at]))
        return PartialShape(dims)

    def _masked(self, begin: Interval, end: Interval, step: int, at: int) -> tuple[Interval, Interval]:
        """Return the intervals of begin and end, unlimited where a mask ignores them."""
        low, high = Interval(*[ANYWHERE.lower] * 2), Interval(*[ANYWHERE.upper] * 2)
        open_begin, open_end = (low, high) if step > 0 else (high, low)
        return open_begin if _digit(self.begin_mask, at) else begin, open_end if _digit(self.end_mask, at) else end

    def steps(self, rank: int, count: int) -> Iterator[Step]:
        """Yield the operation of each axis in order."""
        indexed = sum(not self._is(at, "new_axis") and not self._is(at, "ellipsis") for at in range(count))
        if indexed > rank:
            raise ShapeError("begin", f"begin holds indices of {indexed} axes; data has the rank {rank}")
        axis = 0
        for at in range(count):
            if self._is(at, "ellipsis"):
                yield from (Step("keep", axis + offset) for offset in range(rank - indexed))
                axis += rank - indexed
            elif self._is(at, "new_axis"):
                yield Step("new")
            else:
                yield Step("shrink" if self._is(at, "shrink_axis") else "slice", axis, at)
                axis += 1
        yield from (Step("keep", position) for position in range(axis, rank))

    def _is(self, at: int, name: str) -> bool:
        mask: tuple[int, ...] = getattr(self, f"{name}_mask")
        return _digit(mask, at) == 1

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the begins, bounded by the shortest axis, and of the strides."""
        shortest = min((inputs.length(0, axis) for axis in range(inputs.rank(0))), default=1)
        return {1: Range.below(shortest), 3: Range(1, 4)}

    def evaluate(self, data: Array, begin: Array, end: Array, strides: Array | None = None) -> Array:
        """Return the slice, a view of `data`."""
        begins, ends = begin.tolist(), end.tolist()
        steps = [1] * len(begins) if strides is None else whole_numbers("strides", strides)
        selection: list[slice | int | None] = []
        for step in self.steps(data.ndim, len(begins)):
            if step.kind == "new":
                selection.append(None)
            elif step.kind == "keep":
                selection.append(slice(None))
            else:
                at, length = step.position, data.shape[step.axis]
                if step.kind == "shrink":
                    index = 0 if _digit(self.begin_mask, at) else begins[at]
                    selection.append(_single(index, length, at, step.axis))
                    continue
                start, stop = self._masked(Interval(*[begins[at]] * 2), Interval(*[ends[at]] * 2), steps[at], at)
                selection.append(_python_slice(length, start.lower, stop.lower, steps[at]))
        return data[tuple(selection)]


def _digit(mask: tuple[int, ...], at: int) -> int:
    return mask[at] if at < len(mask) else 0


def _single(index: int, length: int, at: int, axis: int) -> int:
    if not -length <= index < length:
        allowed = str([-length, length - 1]) if length else "none, as the axis has length 0"
        raise EvaluationError(
            f"begin[{at}] is {index}, outside the allowed range of axis {axis} of data, of which it takes one element: "
            + allowed
        )
    return index


def _python_slice(length: int, start: int, stop: int, step: int) -> slice:
    first, after, count = span(length, start, stop, step)
    if count == 0:
        return slice(0, 0)
    return slice(first, None if after < 0 else after, step)
