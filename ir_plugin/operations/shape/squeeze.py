"""Squeeze: remove dimensions of length 1. Specification: shape/Squeeze-15, Squeeze-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.operations.shapes import axis_or_scalar, values_of
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class Squeeze(Operation, version=15):
    """Remove the dimensions of length 1 from `data`, or only those that `axes` names.

    A named dimension that is not 1 stays. A dynamic dimension that may be 1 counts as 1; with `allow_axis_skip`, or
    without axes, the rank of the output is unknown instead.

    Differs from the page: `axes` may be floats, which are cut to whole numbers.
    Example: `axes` [1.0] names axis 1.

    Differs from the page: a scalar may have the axis 0 or -1, and stays. Example: `data` [] with `axes` [0] is [].
    """

    needs_values = (1,)
    widen = False
    carriers = (0,)

    allow_axis_skip: bool

    def infer(self, data: TensorInfo, axes: TensorInfo | None = None) -> TensorInfo:
        """Return the type of `data` and the remaining dimensions."""
        if axes is not None:
            check_axes(axes)
        if data.shape.dims is None:
            return data.with_shape(None)
        values = () if axes is None else values_of(axes)
        if values is None:
            return data.with_shape(self._unknown(data.shape, axes))
        squeezable = [i for i, dim in enumerate(data.shape) if dim.contains(1)]
        named = {axis_or_scalar("axes", axis, len(data.shape)) for axis in values}
        removed = [i for i in squeezable if i in named or not named]
        if (not named or self.allow_axis_skip) and any(data.shape[i].is_dynamic for i in removed):
            return data.with_shape(None)
        return data.with_shape([dim for i, dim in enumerate(data.shape) if i not in removed])

    def infer_in_run(self, data: TensorInfo, axes: TensorInfo | None = None) -> TensorInfo:
        """As `infer`, but of unknown rank where a named dimension may be other than 1, and stay."""
        inferred = self.infer(data, axes)
        values = None if axes is None else values_of(axes)
        if not data.shape.dims or axes is None:
            return inferred
        if values is None:
            return data.with_shape(None)
        named = [data.shape[axis_or_scalar("axes", axis, len(data.shape))] for axis in values]
        return data.with_shape(None) if any(dim.contains(1) and dim.contains(2) for dim in named) else inferred

    def _unknown(self, shape: PartialShape, axes: TensorInfo | None) -> PartialShape:
        """Return the shape for unknown axes."""
        if axes is None or axes.shape.size != 1:
            return PartialShape(None)
        return self._squeezed_once(shape) if any(dim.contains(1) for dim in shape) else shape

    def _squeezed_once(self, _shape: PartialShape) -> PartialShape:
        return PartialShape(None)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: inputs.axes(0)}

    def evaluate(self, data: Array, axes: Array | None = None) -> Array:
        """Return the squeezed data."""
        if axes is None or axes.size == 0:
            return data.reshape([length for length in data.shape if length != 1])
        named = {axis_or_scalar("axes", axis, data.ndim) for axis in axes.reshape(-1).tolist()}
        return data.reshape([length for i, length in enumerate(data.shape) if length != 1 or i not in named])


class Squeeze1(Squeeze, version=1):
    """As Squeeze-15, but without `allow_axis_skip`, and a single unknown axis counts as squeezed.

    Older versions of the specification make a named dimension that is not 1 an error.
    """

    allow_axis_skip = False

    def _squeezed_once(self, shape: PartialShape) -> PartialShape:
        return PartialShape.dynamic(len(shape) - 1)


def check_axes(axes: TensorInfo) -> None:
    """Raise unless the axes are integers, in a scalar or a 1-D tensor."""
    note_type("axes", axes, "integer", accepted=("number",))
    if axes.shape.ndim is not None and axes.shape.ndim > 1:
        raise ShapeError("axes", f"axes has the shape {axes.shape}; it must be a scalar or 1-D")
