"""Det: determinants of matrices. ONNX's Det-22."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.tensors import Array, TensorInfo


class Det(Operation, version="extension"):
    """The determinant of each square matrix in the last two dimensions. An operation of ours, for ONNX."""

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type of `data` and its shape without the last two dimensions."""
        require_type("data", data, "float")
        if data.shape.dims is None:
            return data.with_shape(None)
        if len(data.shape) < 2:
            raise ShapeError("data", f"data has the shape {data.shape}; it must have at least two dimensions")
        if data.shape[-2].merge(data.shape[-1]) is None:
            raise ShapeError("data", f"matrices of {data.shape[-2]} by {data.shape[-1]} are not square")
        return data.with_shape(data.shape[:-2])

    def evaluate(self, data: Array) -> Array:
        """Return the determinants, computed in f64."""
        result: Array = np.asarray(np.linalg.det(data.astype(np.float64)))
        return result.astype(data.dtype)
