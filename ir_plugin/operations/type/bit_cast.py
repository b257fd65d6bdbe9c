"""BitCast: the bits of the elements as another type. ONNX's BitCast-26."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.packing import from_memory, to_memory


class BitCast(Operation, version="extension"):
    """The same bits as elements of `destination_type`, which has as many bits. An operation of ours, for ONNX."""

    widen = False

    destination_type: ElementType

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return `destination_type` and the shape of the input."""
        source, target = data.element_type, self.destination_type
        if ElementType.string in (source, target) or target.is_dynamic:
            raise ShapeError("destination_type", f"the bits of {source.name} cannot be read as {target.name}")
        if source.is_static and source.bits != target.bits:
            raise ShapeError(
                "destination_type",
                f"{source.name} has {source.bits} bits and {target.name} {target.bits}; they must have equally many",
            )
        return TensorInfo(target, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the elements of the other type."""
        target = self.destination_type
        source = self.input_types[0] or ElementType.from_dtype(data.dtype)
        elements = np.ascontiguousarray(to_memory(data, source)).reshape(data.shape)
        if not target.is_low_bit:
            return from_memory(elements.view(target.memory_dtype), target)
        codes: Array = elements.view(np.uint8) & np.uint8(2**target.bits - 1)
        if target.is_integer and target.has_sign:
            sign = np.uint8(1 << target.bits - 1)
            codes = (codes ^ sign) - sign
        return from_memory(codes.view(target.memory_dtype), target)
