"""Roll: shift elements cyclically along axes. Specification: movement/Roll-7."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.operations.shapes import axis_or_scalar, require_rank, values_of
from ir_plugin.tensors import Array, TensorInfo


class Roll(Operation, version=7):
    """Shift `data` cyclically by `shift` along each of `axes`; a scalar applies to all, shifts of one axis add up.

    Differs from the page: a scalar may have the axis 0 or -1, along which it stays. Example: 2.5 rolled by 1 is 2.5.
    """

    needs_values = (2,)
    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo, shift: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        for part, tensor in (("shift", shift), ("axes", axes)):
            require_type(part, tensor, "integer")
            require_rank(part, tensor.shape, 0, 1)
        if shift.shape.ndim == 1 and not shift.shape.compatible(axes.shape):
            raise ShapeError(
                "shift", f"shift has the shape {shift.shape}, axes {axes.shape}; write a scalar or one shift per axis"
            )
        axis_values = values_of(axes)
        if axis_values is not None and data.shape.ndim is not None:
            for axis in axis_values:
                axis_or_scalar("axes", axis, data.shape.ndim)
        return data.with_shape(data.shape)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {2: inputs.axes(0)}

    def evaluate(self, data: Array, shift: Array, axes: Array) -> Array:
        """Return the shifted data."""
        rolled_axes = [axis_or_scalar("axes", axis, data.ndim) for axis in axes.reshape(-1).tolist()]
        if data.ndim == 0:
            return data
        shifts = shift.reshape(-1).tolist() if shift.ndim else [shift.item()] * len(rolled_axes)
        return np.roll(data, tuple(shifts), tuple(rolled_axes))
