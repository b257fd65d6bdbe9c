"""Clamp: numbers limited to an interval. Specification: activation/Clamp-1."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.elementwise import Unary
from ir_plugin.tensors import Array, TensorInfo


class Clamp(Unary, version=1):
    """Every element limited to [min, max]; NaN stays.

    OpenVINO's CPU differs: NaN becomes `min`. Example: NaN with `min` -1 gives NaN; the CPU gives -1.

    For whole numbers `min` is rounded up and `max` down.
    """

    carriers = (0,)

    min: float
    max: float

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        for name, value in (("min", self.min), ("max", self.max)):
            if math.isnan(value):
                raise ShapeError(name, f"{name} is nan; it must be a number")
        if self.min > self.max:
            raise ShapeError("min", f"min {self.min} is above max, {self.max}")
        return super().infer(data)

    def apply(self, data: Array) -> Array:
        """Return the clamped elements."""
        lower, upper = self.min, self.max
        if data.dtype.kind in "iu":
            info = np.iinfo(data.dtype)
            lower = math.ceil(min(max(lower, info.min), info.max))
            upper = math.floor(min(max(upper, info.min), info.max))
        result: Array = np.minimum(np.maximum(data, data.dtype.type(lower)), data.dtype.type(upper))
        return result
