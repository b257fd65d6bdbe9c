"""ReorgYolo: blocks of pixels moved into channels as Darknet does. Specification: detection/ReorgYolo-1."""

from __future__ import annotations

from collections.abc import Mapping

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class ReorgYolo(Operation, version=2):
    """[N, C, H, W] as [N, C·s², H/s, W/s] for a `stride` s, in the order of Darknet.

    An image is read as C/s² planes of H·s rows and W·s columns; the pixels at each position of their s × s blocks
    are gathered, then the result is reshaped. The page gives only the shape; the order is what OpenVINO computes. H
    and W must be multiples of s and C one of s² (the page: not below s²; OpenVINO reads past the end for others).
    """

    widen = False

    stride: int

    def inferred_attributes(self, *_: TensorInfo) -> Mapping[str, object]:
        """Return the stride as a list."""
        return {"stride": [self.stride]}

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the shape of the output."""
        require_rank("data", data.shape, 4)
        if self.stride < 1:
            raise ShapeError("stride", f"stride is {self.stride}; it must be positive")
        if data.shape.dims is None:
            return data.with_shape(None)
        area = self.stride**2
        for axis, factor in ((1, area), (2, self.stride), (3, self.stride)):
            length = data.shape[axis]
            if length.is_static and length.lower % factor:
                raise ShapeError("data", f"dimension {axis} of data {data.shape} is {length}, no multiple of {factor}")
        if data.shape[1].upper < area:
            raise ShapeError("data", f"data {data.shape} has {data.shape[1]} channels; it must have at least {area}")
        batch, channels, height, width = data.shape
        return data.with_shape(PartialShape([batch, channels * area, self._divided(height), self._divided(width)]))

    def _divided(self, length: Dimension) -> Dimension:
        lower = -(-length.lower // self.stride)
        return Dimension.between(lower, (length // self.stride).upper)

    def evaluate(self, data: Array) -> Array:
        """Return the pixels in their new order."""
        batches, channels, height, width = data.shape
        s = self.stride
        blocks = data.reshape(batches, channels // s**2, height, s, width, s).transpose(0, 3, 5, 1, 2, 4)
        result: Array = blocks.reshape(batches, channels * s**2, height // s, width // s)
        return result
