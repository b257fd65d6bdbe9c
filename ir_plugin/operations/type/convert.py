"""Convert: convert elements to another type. Specification: type/Convert-1."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.traits import Elementwise
from ir_plugin.operations.type.conversion import converted, converted_bounds, require_convertible
from ir_plugin.tensors import Array, Bounds, ElementType, TensorInfo


class Convert(Operation, version=1):
    """Convert elements to `destination_type`: integers wrap, floats are truncated to integers, nonzero is true.

    `conversion.converted` documents the cases that the page leaves undefined. All 64 bits of integers count. Strings
    cannot be converted.

    Differs from the page: NaN and floats out of range become the lowest i32 (i64 for types of 64 bits and u32), of
    which the low bits count. Example: NaN of f32 becomes -2147483648 of i32 and 0 of u8; the page leaves it undefined.

    OpenVINO's CPU differs: floats beyond 32 bits become the lowest or highest i32, also in 64 bits.
    Example: 5e9 of f32 becomes 5000000000 of i64; the CPU gives -2147483648.

    OpenVINO's CPU differs: NaN is false. Example: NaN converted to boolean is true; the CPU gives false.
    """

    traits = (Elementwise(),)
    widen = False
    carriers = (0,)

    destination_type: ElementType

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return `destination_type` and the shape of the input."""
        if self.destination_type.is_dynamic or self.destination_type.is_container:
            name = self.destination_type.name
            raise ShapeError(
                "destination_type", f"destination_type is {name}; it must be a type that a tensor can hold"
            )
        require_convertible("destination_type", data.element_type, self.destination_type)
        return TensorInfo(self.destination_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the converted elements."""
        return converted(data, self.destination_type)

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the converted interval."""
        (data,) = inputs
        return [] if data is None else [converted_bounds(data, self.destination_type)]
