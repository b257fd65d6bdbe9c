"""Eye: matrices with ones on one diagonal. Specification: generation/Eye-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.generation.shape_inputs import length_of, require_single, shape_of
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo


class Eye(Operation, version=9):
    """Matrices of zeros with ones where the column is the row plus `diagonal_index`.

    There is one matrix, or one for each element of a tensor of the shape `batch_shape`. A diagonal outside the matrix
    leaves zeros only.
    """

    needs_values = (0, 1, 3)

    output_type: ElementType

    def infer(
        self,
        num_rows: TensorInfo,
        num_columns: TensorInfo,
        diagonal_index: TensorInfo,
        batch_shape: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the output type and the shape `batch_shape + [num_rows, num_columns]`."""
        if not (self.output_type.is_floating or self.output_type.is_integer):
            raise ShapeError("output_type", f"output_type is {self.output_type.name}; it must be a numeric type")
        named = {"num_rows": num_rows, "num_columns": num_columns, "diagonal_index": diagonal_index}
        for name, tensor in named.items():
            require_type(name, tensor, "i32", "i64")
        require_single("diagonal_index", diagonal_index)
        batch = PartialShape([]) if batch_shape is None else shape_of("batch_shape", batch_shape)
        matrix = PartialShape([length_of("num_rows", num_rows), length_of("num_columns", num_columns)])
        return TensorInfo(self.output_type, batch + matrix)

    def evaluate(
        self, num_rows: Array, num_columns: Array, diagonal_index: Array, batch_shape: Array | None = None
    ) -> Array:
        """Return the matrices."""
        rows, columns = num_rows.item(), num_columns.item()
        diagonal = min(max(diagonal_index.item(), -rows), columns)
        batch = () if batch_shape is None else tuple(batch_shape.tolist())
        dtype = np.float32 if self.output_type.is_floating else self.output_type.dtype
        result = np.zeros((*batch, rows, columns), dtype)
        row = np.arange(max(-diagonal, 0), min(rows, columns - diagonal))
        result[..., row, row + diagonal] = 1
        return result
