"""Gather: take slices of data at indices along one axis. Specification: movement/Gather-8, Gather-7, Gather-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.context import STANDARD, Context
from ir_plugin.operations.indices import boxed, outside, require_inside, wrapped, zeros
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class Gather(Operation, version=8):
    """Take slices of `data` along `axis` at `indices`, which share `batch_dims` leading dimensions with `data`.

    The output has the shape `data.shape[:axis] + indices.shape[batch_dims:] + data.shape[axis + 1:]`. An index in
    [-d, -1] counts from the end of the axis of length d; an index outside [-d, d-1] gives zeros (empty strings), or
    with `out_of_range="error"` an error that names its position and value. That attribute is ours, for ONNX's Gather,
    which refuses such an index; OpenVINO ignores it.

    OpenVINO's CPU differs: indices of 64 bits are cut to 32. Example: the index 4294967297 of 3 elements gives 0; the
    CPU gives element 1.

    Specification: movement/Gather-8.
    """

    needs_values = (2,)
    widen = False
    carriers = (0,)

    batch_dims: int
    out_of_range: str = "zeros"

    def infer(self, data: TensorInfo, indices: TensorInfo, axis: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape of the slices."""
        require_type("indices", indices, "integer")
        require_type("axis", axis, "integer")
        position = scalar_of("axis", axis)
        batch = self._batch(data.shape, indices.shape)
        if data.shape.ndim is None or indices.shape.ndim is None or batch is None:
            return data.with_shape(None)
        if data.shape.ndim == 0:
            raise ShapeError("data", "data is a scalar; it must have at least one dimension to gather from")
        common = self._common(data.shape[:batch], indices.shape[:batch])
        if position is None:
            rank = data.shape.ndim + indices.shape.ndim - 1 - 2 * batch
            return data.with_shape(common + PartialShape.dynamic(max(rank, 0)))
        position = normalize_axis("axis", position, data.shape.ndim)
        if batch > position:
            raise ShapeError("batch_dims", f"batch_dims {self.batch_dims} is beyond axis {position}")
        shape = common + data.shape[batch:position] + indices.shape[batch:] + data.shape[position + 1 :]
        return data.with_shape(shape)

    def _batch(self, data: PartialShape, indices: PartialShape) -> int | None:
        """Return batch_dims counted from the front, or None where it depends on the unknown rank of `indices`."""
        if self.batch_dims < 0 and indices.ndim is None:
            return None
        batch = self.batch_dims + (indices.ndim or 0 if self.batch_dims < 0 else 0)
        limit = min(rank for rank in (data.ndim, indices.ndim, 2**31) if rank is not None)
        if not 0 <= batch <= limit:
            raise ShapeError(
                "batch_dims",
                f"batch_dims {self.batch_dims} is outside [{-limit}, {limit}] for data {data} and indices {indices}",
            )
        return batch

    def _common(self, data: PartialShape, indices: PartialShape) -> PartialShape:
        merged = data.merge(indices)
        if merged is None:
            raise ShapeError(
                "indices", f"the first {len(data)} dimensions (batch_dims) are {data} in data and {indices} in indices"
            )
        return merged

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the indices and of the axis."""
        batch_dims = max(self.batch_dims, 0)
        axes = Range(batch_dims, max(inputs.rank(0) - 1, batch_dims))
        return {1: Range.below(inputs.length(0, inputs.scalar(2))), 2: axes}

    def evaluate(self, data: Array, indices: Array, axis: Array) -> Array:
        """Return the slices, with zeros where an index is out of range unless that is an error."""
        position, batch = self._axis_and_batch(data, indices, axis)
        length = data.shape[position]
        if self.out_of_range == "error":
            require_inside(indices, -length, length - 1, of=f" of axis {position} of data {list(data.shape)}")
        return _take_or_zeros(data, indices, outside(indices, -length, length - 1), position, batch)

    def _axis_and_batch(self, data: Array, indices: Array, axis: Array) -> tuple[int, int]:
        position = int(axis.reshape(-1)[0])
        batch = self.batch_dims + (indices.ndim if self.batch_dims < 0 else 0)
        return position + (data.ndim if position < 0 else 0), batch


class Gather7(Gather, version=7):
    """As Gather-8, but a negative index is an error that names its position.

    The configuration `GATHER_OUT_OF_RANGE: "ERROR"` makes an error of every index outside [0, d-1], and `"ZEROS"` gives
    zeros for all of them. Specification: movement/Gather-7.

    Differs from the page: an index outside [-d, d-1] gives zeros.
    Example: the index 5 of 3 elements gives 0.

    OpenVINO's CPU differs: an index in [-d, -1] gives zeros, or counts from the end if `indices` is constant.
    Example: the index -1 of [1, 2] is an error; the CPU gives 0, or 2, and its reference 2.
    """

    wants_context = True

    def evaluate(self, data: Array, indices: Array, axis: Array, context: Context = STANDARD) -> Array:
        """Return the slices."""
        position, batch = self._axis_and_batch(data, indices, axis)
        length = data.shape[position]
        wrong, policy = outside(indices, 0, length - 1), context.config.get("GATHER_OUT_OF_RANGE", "AUTO")
        if wrong is not None and policy != "ZEROS":
            counted = None if policy == "ERROR" else indices[(indices < 0) & (indices >= -length)]
            if counted is None or counted.size:
                require_inside(indices, 0, length - 1, of=f" of axis {position} of data {list(data.shape)}")
        return _take_or_zeros(data, indices, wrong, position, batch)


class Gather1(Gather7, version=1):
    """As Gather-7, but without batch dimensions. Specification: movement/Gather-1."""

    batch_dims = 0


def _take_or_zeros(data: Array, indices: Array, wrong: Array | None, axis: int, batch: int) -> Array:
    """Return the slices, with zeros (empty strings) where the mask `wrong` is set."""
    length = data.shape[axis]
    if wrong is None:
        return take(data, wrapped(indices, length), axis, batch)
    if length == 0:
        return zeros(data.shape[:axis] + indices.shape[batch:] + data.shape[axis + 1 :], data.dtype)
    inside = np.where(wrong, indices.dtype.type(0), indices)
    slices = take(data, wrapped(inside, length), axis, batch)
    index_axes = range(batch, indices.ndim)
    by_index = np.moveaxis(slices, [axis + i - batch for i in index_axes], list(index_axes))
    by_index[wrong] = zeros((), data.dtype)[()]
    return slices


def take(data: Array, indices: Array, axis: int, batch: int) -> Array:
    """Return the slices of `data` along `axis`; the first `batch` dimensions of `data` and `indices` correspond."""
    if batch == 0:
        return boxed(np.take(data, indices, axis=axis), data.dtype)
    grid = [
        np.arange(length).reshape([-1] + [1] * (indices.ndim - i - 1)) for i, length in enumerate(data.shape[:batch])
    ]
    moved = np.moveaxis(data, axis, batch)
    selection = (*grid, indices)
    slices = boxed(moved[selection], data.dtype)
    index_axes = range(batch, indices.ndim)
    return np.moveaxis(slices, list(index_axes), [axis + i - batch for i in index_axes])
