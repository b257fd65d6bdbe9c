"""SparseFillEmptyRows: fill the empty rows of a sparse matrix. Specification: sparse/FillEmptyRows-16."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation, converted
from ir_plugin.operations.checks import merge_types, note_types, require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import require_rank, values_of
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class SparseFillEmptyRows(Operation, version=16):
    """Add `default_value` at [row, 0] of each empty row; return indices, values and a flag per row that was empty.

    `values` [M] are at `indices` [M, 2] of a matrix of `dense_shape` (rows, columns). The outputs are ordered by row
    and column.

    Differs from the page: `default_value` may have another type than `values`, to which it is converted.
    Example: 2.7 of f32 among values of i32 is 3.
    """

    needs_values = (1, 2)
    widen = False

    def infer(
        self, values: TensorInfo, dense_shape: TensorInfo, indices: TensorInfo, default_value: TensorInfo
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return the indices and values, with their number where it is known, and one flag per row."""
        value_type = note_types({"values": values, "default_value": default_value})
        ranked_inputs = {"values": (values, 1), "dense_shape": (dense_shape, 1), "indices": (indices, 2)}
        for name, (tensor, rank) in (ranked_inputs | {"default_value": (default_value, 0)}).items():
            require_rank(name, tensor.shape, rank)
        require_type("dense_shape", dense_shape, "i32", "i64")
        index_type = merge_types(dense_shape, indices, part="indices")
        if dense_shape.shape.dims is not None and not dense_shape.shape[0].compatible(2):
            raise ShapeError("dense_shape", f"dense_shape has the shape {dense_shape.shape}; it must hold 2 numbers")
        if indices.shape.dims is not None and not indices.shape[1].compatible(2):
            raise ShapeError("indices", f"indices has the shape {indices.shape}; its second dimension must be 2")
        if not indices.shape[0].compatible(values.shape[0]):
            raise ShapeError("indices", f"indices {indices.shape} and values {values.shape} differ in length")
        size = values_of(dense_shape)
        if size is not None and min(size) < 0:
            raise ShapeError("dense_shape", f"dense_shape is {list(size)}; it must not be negative")
        count = self._count(size, indices)
        rows = Dimension() if size is None else Dimension(size[0])
        return (
            TensorInfo(index_type, [count, 2]),
            TensorInfo(value_type, [count]),
            TensorInfo(ElementType.boolean, [rows]),
        )

    def _count(self, size: tuple[int, ...] | None, indices: TensorInfo) -> Dimension:
        """Return the number of values of the output."""
        if size is None or indices.value is None:
            return Dimension()
        used = len(np.unique(indices.value[:, 0]))
        return Dimension(len(indices.value) + max(size[0] - used, 0))

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the indices."""
        shape = inputs.value(1)
        return {2: Range.below(1 if shape is None or not shape.size else int(shape.min()), ascending=True)}

    def evaluate(
        self, values: Array, dense_shape: Array, indices: Array, default_value: Array
    ) -> tuple[Array, Array, Array]:
        """Return indices, values and flags."""
        rows, columns = (int(length) for length in dense_shape)
        require_inside(indices[:, 0], 0, rows - 1, "indices[:, 0]")
        require_inside(indices[:, 1], 0, columns - 1, "indices[:, 1]")
        empty = np.bincount(indices[:, 0].astype(np.int64), minlength=rows) == 0
        missing = np.flatnonzero(empty)
        added = np.stack([missing, np.zeros_like(missing)], axis=1).astype(indices.dtype)
        all_indices = np.concatenate([indices, added])
        default = converted(default_value.reshape(-1), values.dtype)
        all_values = np.concatenate([values, np.full(len(missing), default[0], values.dtype)])
        order = np.lexsort((all_indices[:, 1], all_indices[:, 0]))
        return all_indices[order], all_values[order], empty
