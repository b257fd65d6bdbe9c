"""GatherND: take slices of data at tuples of indices. Specification: movement/GatherND-8, GatherND-5."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import boxed
from ir_plugin.operations.movement.tuples import flat_positions, tuple_ranges
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class GatherND(Operation, version=8):
    """Take the slices of `data` that the tuples along the last axis of `indices` address.

    The first b = `batch_dims` dimensions of both correspond, and may be 1 in one of them. With k = `indices.shape[-1]`
    the output has the shape `batch + indices.shape[b:-1] + data.shape[b + k:]`. An index in [-d, -1] counts from
    the end of its axis of length d; one outside [-d, d-1] is an error that names its position and value.
    OpenVINO does not check indices, reads out of bounds where one is out of range, and requires equal batch dimensions.
    Specification: movement/GatherND-8.
    """

    widen = False
    carriers = (0,)

    batch_dims: int

    def infer(self, data: TensorInfo, indices: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape of the slices."""
        require_type("indices", indices, "integer")
        for part, tensor in (("data", data), ("indices", indices)):
            if tensor.shape.ndim == 0:
                raise ShapeError(part, f"{part} is a scalar; it must have at least one dimension")
        ranks = [rank for rank in (data.shape.ndim, indices.shape.ndim) if rank is not None]
        if self.batch_dims < 0 or any(self.batch_dims >= rank for rank in ranks):
            raise ShapeError(
                "batch_dims",
                f"batch_dims is {self.batch_dims}; it must be at least 0 and below the ranks of data {data.shape} "
                f"and of indices {indices.shape}",
            )
        if len(ranks) < 2:
            return data.with_shape(None)
        return data.with_shape(self._shape(data.shape, indices.shape))

    def _shape(self, data: PartialShape, indices: PartialShape) -> PartialShape:
        start = self.batch_dims
        length = indices[-1]
        if length.lower > len(data) - start:
            raise ShapeError(
                "indices",
                f"indices {indices} holds tuples of {length} indices, and data {data} has {len(data) - start} "
                f"dimensions after batch_dims {start}",
            )
        batch = self._batch(data[:start], indices[:start])
        if length.is_dynamic:
            return PartialShape(None)
        return self._joined(batch) + indices[start:-1] + data[start + int(length) :]

    def _batch(self, data: PartialShape, indices: PartialShape) -> PartialShape:
        merged = [data_dim.broadcast(index_dim) for data_dim, index_dim in zip(data, indices, strict=True)]
        if None in merged:
            raise ShapeError(
                "indices",
                f"the first {self.batch_dims} dimensions (batch_dims) are {data} in data and {indices} in indices; "
                "each pair must be equal, or one of them 1",
            )
        return PartialShape([dim for dim in merged if dim is not None])

    def _joined(self, batch: PartialShape) -> PartialShape:
        """Return the batch dimensions of the output."""
        return batch

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the indices."""
        return tuple_ranges(inputs, self.batch_dims)

    def evaluate(self, data: Array, indices: Array) -> Array:
        """Return the slices."""
        start, length = self.batch_dims, indices.shape[-1]
        batch = np.broadcast_shapes(data.shape[:start], indices.shape[:start])
        positions = flat_positions(indices, data.shape[start : start + length], start)
        rows = np.arange(prod(data.shape[:start])).reshape(data.shape[:start] + (1,) * (positions.ndim - start))
        flat = rows * prod(data.shape[start : start + length]) + positions
        tail = data.shape[start + length :]
        rows_of_slices = data.reshape(prod(data.shape[: start + length]), *tail)
        slices = boxed(np.take(rows_of_slices, flat, axis=0), data.dtype)
        return slices.reshape(self._lengths(batch) + indices.shape[start:-1] + tail)

    def _lengths(self, batch: tuple[int, ...]) -> tuple[int, ...]:
        return self._joined(PartialShape(batch)).lengths()


class GatherND5(GatherND, version=5):
    """As GatherND-8, but with all batch dimensions of the output joined into one.

    The page requires indices in [0, d-1]; here, as in OpenVINO, an index in [-d, -1] counts from the end.
    Specification: movement/GatherND-5.
    """

    def _joined(self, batch: PartialShape) -> PartialShape:
        product = Dimension(1)
        for dim in batch:
            product = product * dim
        return PartialShape([product] if len(batch) else [])
