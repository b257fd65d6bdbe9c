"""PRelu: the parametric rectified linear unit. Specification: activation/PReLU-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_types
from ir_plugin.operations.elementwise import wrap_low_bits
from ir_plugin.operations.shapes import broadcast
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class PRelu(Operation, version=1):
    """x where it is not negative, slope · x elsewhere.

    A `slope` of one dimension, as long as the second of `data`, belongs to the channels; any other is broadcast to
    `data` as NumPy does, where a single number may have any rank.

    Differs from the page: `data` and `slope` may have different types, also boolean; results are rounded to the type of
    `data`.
    Example: -3 of i32 with the slope 0.5 of f32 gives -2: -1.5, rounded to even.
    """

    mixed_inputs = (0, 1)

    def infer(self, data: TensorInfo, slope: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        element_type = note_types({"data": data, "slope": slope}, "number")
        if (
            data.shape.dims is not None
            and slope.shape.dims is not None
            and not belongs_to_channels(data.shape, slope.shape)
            and not all(dim.compatible(Dimension(1)) for dim in slope.shape)
        ):
            merged = broadcast(data.shape, slope.shape, ("data", "slope"))
            if not merged.compatible(data.shape):
                raise ShapeError("slope", f"slope {slope.shape} cannot be broadcast to data {data.shape}")
        return TensorInfo(element_type, data.shape)

    def evaluate(self, data: Array, slope: Array) -> Array:
        """Return the function of every element."""
        if belongs_to_channels(PartialShape(data.shape), PartialShape(slope.shape)):
            slope = slope.reshape((-1,) + (1,) * (data.ndim - 2))
        result = np.asarray(data * slope.reshape(()) if slope.size == 1 else data * slope)
        np.copyto(result, data, where=~(data < 0))
        return wrap_low_bits(self, result)


def belongs_to_channels(data: PartialShape, slope: PartialShape) -> bool:
    """Return whether `slope` has one element for each channel of `data`."""
    return len(slope) == 1 and len(data) > 1 and slope[0].compatible(data[1])
