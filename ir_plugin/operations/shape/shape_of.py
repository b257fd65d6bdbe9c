"""ShapeOf: return the shape of a tensor as a tensor. Specification: shape/ShapeOf-3, ShapeOf-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, Bounds, ElementType, TensorInfo


class ShapeOf(Operation, version=3):
    """Return the lengths of `data` as a 1-D tensor of `output_type`, independent of its values."""

    widen = False

    output_type: ElementType

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return one element per dimension, with the bounds of the dimension as the bounds of its value."""
        if data.shape.dims is None:
            return TensorInfo(self.output_type, [-1])
        limit = np.iinfo(self.output_type.dtype).max
        lower = np.array([min(dim.lower, limit) for dim in data.shape], self.output_type.dtype)
        upper = np.array([min(dim.upper, limit) for dim in data.shape], self.output_type.dtype)
        return TensorInfo(self.output_type, [len(data.shape)], bounds=Bounds(lower, upper))

    def evaluate(self, data: Array) -> Array:
        """Return the lengths."""
        return np.array(data.shape, self.output_type.dtype)


class ShapeOf1(ShapeOf, version=1):
    """As ShapeOf-3, but always of type i64."""

    output_type = ElementType.i64
