"""GatherElements: take single elements of data at indices along one axis. Specification: movement/GatherElements-6."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import require_inside, wrapped
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.operations.traits import DataInputs
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class GatherElements(Operation, version=6):
    """Take for each position in `indices` the element of `data` at that position, with the index along `axis`.

    Both have the same rank and, except along `axis`, the same dimensions; the output has the shape of `indices`.
    An index in [-d, -1] counts from the end of the axis of length d, as in OpenVINO's CPU and ONNX, though the page
    allows only [0, d-1]. An index outside [-d, d-1] is an error that names its position and value.
    Specification: movement/GatherElements-6.
    """

    traits = (DataInputs(2),)

    widen = False
    carriers = (0,)

    axis: int

    def infer(self, data: TensorInfo, indices: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape of `indices`."""
        require_type("indices", indices, "i32", "i64")
        for part, tensor in (("data", data), ("indices", indices)):
            if tensor.shape.ndim == 0:
                raise ShapeError(part, f"{part} is a scalar; it must have at least one dimension")
        rank = data.shape.ndim if data.shape.ndim is not None else indices.shape.ndim
        if rank is None:
            return data.with_shape(None)
        axis = normalize_axis("axis", self.axis, rank)
        if indices.shape.dims is None:
            return data.with_shape(data.shape.replace(axis, Dimension()))
        if data.shape.dims is None:
            return data.with_shape(indices.shape)
        if len(indices.shape) != rank:
            raise ShapeError(
                "indices",
                f"indices {indices.shape} has the rank {len(indices.shape)}, and data {data.shape} the rank {rank}; "
                "they must be equal",
            )
        return data.with_shape(self._merged(data.shape, indices.shape, axis))

    def _merged(self, data: PartialShape, indices: PartialShape, axis: int) -> PartialShape:
        shape = data.replace(axis, indices[axis]).merge(indices)
        if shape is None:
            raise ShapeError(
                "indices", f"indices {indices} and data {data} differ in a dimension other than {axis}, the axis"
            )
        return shape

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the indices."""
        return {1: Range.below(inputs.length(0, self.axis))}

    def evaluate(self, data: Array, indices: Array) -> Array:
        """Return the elements."""
        axis = self.axis + (data.ndim if self.axis < 0 else 0)
        length = data.shape[axis]
        require_inside(indices, -length, length - 1, of=f" of axis {axis} of data {list(data.shape)}")
        return np.take_along_axis(data, wrapped(indices, length), axis)
