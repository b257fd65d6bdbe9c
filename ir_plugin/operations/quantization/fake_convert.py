"""FakeConvert: round to an 8-bit floating-point type and back. Specification: quantization/FakeConvert-13."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import broadcast
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.packing import to_type

_LARGEST = {"f8e4m3": np.float32(448), "f8e5m2": np.float32(57344)}


class FakeConvert(Operation, version=13):
    """Round data · scale - shift to `destination_type`, and map it back: add shift, divide by scale.

    Values beyond the largest finite number of that type saturate. NaN stays NaN; OpenVINO's CPU gives the lowest
    number.
    """

    destination_type: str

    def infer(self, data: TensorInfo, scale: TensorInfo, shift: TensorInfo | None = None) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("data", data, "f32", "f16", "bf16")
        shape = data.shape
        for name, tensor in [("scale", scale), ("shift", shift)]:
            if tensor is None:
                continue
            if data.element_type.merge(tensor.element_type) is None:
                raise ShapeError(
                    name, f"{name} has the element type {tensor.element_type.name}, data has {data.element_type.name}"
                )
            shape = broadcast(shape, tensor.shape, ("data", name))
            if not shape.compatible(data.shape):
                raise ShapeError(name, f"{name} {tensor.shape} cannot be broadcast to data {data.shape}")
        if shift is not None and not scale.shape.compatible(shift.shape):
            raise ShapeError("shift", f"scale has the shape {scale.shape}, shift {shift.shape}; they must be equal")
        return TensorInfo(merge_types(data, scale, *([] if shift is None else [shift])), shape)

    def evaluate(self, data: Array, scale: Array, shift: Array | None = None) -> Array:
        """Return the rounded elements."""
        scaled = data * scale if shift is None else data * scale - shift
        target = ElementType(self.destination_type)
        limit = _LARGEST[self.destination_type]
        rounded = to_type(np.clip(scaled, -limit, limit), target).astype(np.float32)
        result: Array = rounded / scale if shift is None else (rounded + shift) / scale
        return result
