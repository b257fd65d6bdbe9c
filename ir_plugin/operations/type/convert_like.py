"""ConvertLike: convert elements to the type of another tensor. Specification: type/ConvertLike-1."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.operations.base import Operation
from ir_plugin.operations.type.conversion import converted, converted_bounds, require_convertible
from ir_plugin.tensors import Array, Bounds, TensorInfo


class ConvertLike(Operation, version=1):
    """Convert the elements of `data` to the type of `like` as Convert-1 does; the values of `like` are ignored."""

    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo, like: TensorInfo) -> TensorInfo:
        """Return the type of `like` and the shape of `data`."""
        require_convertible("like", data.element_type, like.element_type)
        return TensorInfo(like.element_type, data.shape)

    def evaluate(self, data: Array, like: Array) -> Array:
        """Return the converted elements."""
        del like
        return converted(data, self.output_types[0])

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the converted elements, if they are known."""
        data = inputs[0]
        if data is None or not data.is_exact or not self.output_types or self.output_types[0].is_dynamic:
            return []
        return [converted_bounds(data, self.output_types[0])]
