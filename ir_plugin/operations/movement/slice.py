"""Slice: slice data as Python does. Specification: movement/Slice-8."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.movement.slicing import require_steps, slice_shape
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axes
from ir_plugin.operations.traits import Along, ValueInputs
from ir_plugin.tensors import Array, TensorInfo


class Slice(Operation, version=8):
    """Take `data[start:stop:step]` along each of `axes`, by default the first axes, with Python's rules.

    A negative index counts from the end, an index beyond the axis is clamped, and a negative step goes backwards.
    Specification: movement/Slice-8.

    Differs from the page: a backward slice that begins before the first element begins with it.
    Example: [1, 2, 3] from -5 to -9 by -1 gives [1].
    """

    traits = (Along(4), ValueInputs((1, 2, 3, 4)))
    needs_values = (1, 2, 3, 4)
    widen = False
    carriers = (0,)

    def infer(
        self, data: TensorInfo, start: TensorInfo, stop: TensorInfo, step: TensorInfo, axes: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the type of `data` and the shape of the slice."""
        for part, tensor in (("start", start), ("stop", stop), ("step", step), ("axes", axes)):
            if tensor is not None:
                require_type(part, tensor, "integer")
        return data.with_shape(slice_shape(data.shape, start, stop, step, axes))

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the steps and of the axes."""
        return {3: Range(1, 4), 4: inputs.axes(0)}

    def evaluate(self, data: Array, start: Array, stop: Array, step: Array, axes: Array | None = None) -> Array:
        """Return the slice, a view of `data`."""
        return data[slices(data.shape, start, stop, step, axes)]


def slices(shape: Sequence[int], start: Array, stop: Array, step: Array, axes: Array | None) -> tuple[slice, ...]:
    """Return the Python slice of each axis; raises `ShapeError` for invalid steps or axes."""
    axis_slices = [slice(None)] * len(shape)
    sliced_axes = range(start.size) if axes is None else normalize_axes("axes", axes.tolist(), len(shape))
    steps = step.tolist()
    require_steps("step", steps)
    for axis, begin, end, by in zip(sliced_axes, start.tolist(), stop.tolist(), steps, strict=True):
        axis_slices[axis] = slice(max(begin, -shape[axis]) if by < 0 else begin, end, by)
    return tuple(axis_slices)
