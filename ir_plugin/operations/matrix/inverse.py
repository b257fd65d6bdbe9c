"""Inverse: inverse matrices. Specification: matrix/Inverse-14."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.tensors import Array, TensorInfo


class Inverse(Operation, version=14):
    """The inverse of each square matrix in the last two dimensions, transposed if `adjoint`.

    Computed in f64, at least as exactly as the f32 of the specification. A matrix that has no inverse is an error.
    """

    adjoint: bool

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("data", data, "float")
        if data.shape.dims is not None:
            if len(data.shape) < 2:
                raise ShapeError("data", f"data has the shape {data.shape}; it must have at least two dimensions")
            if data.shape[-2].merge(data.shape[-1]) is None:
                raise ShapeError("data", f"matrices of {data.shape[-2]} by {data.shape[-1]} are not square")
        return data.with_shape(data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the inverses."""
        matrices = data.astype(np.float64)
        try:
            inverse = np.linalg.inv(matrices)
        except np.linalg.LinAlgError:
            raise EvaluationError(_singular(matrices)) from None
        return inverse.swapaxes(-1, -2) if self.adjoint else inverse


def _singular(matrices: Array) -> str:
    ranks = np.asarray(np.linalg.matrix_rank(matrices))
    indices = np.argwhere(ranks < matrices.shape[-1]).tolist()
    where = str(indices[0]) if indices and indices[0] else ""
    return f"the matrix data{where} is singular; it has no inverse"
