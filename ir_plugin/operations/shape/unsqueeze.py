"""Unsqueeze: insert dimensions of length 1. Specification: shape/Unsqueeze-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.shapes import normalize_axes, values_of
from ir_plugin.tensors import Array, Dimension, TensorInfo


class Unsqueeze(Operation, version=1):
    """Insert dimensions of length 1 at `axes` of the output.

    A repeated axis is an error (OpenVINO inserts one dimension for it).

    Differs from the page: `axes` may be floats, which are cut to whole numbers.
    Example: `axes` [1.0] names axis 1.
    """

    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape with the new dimensions."""
        note_type("axes", axes, "integer", accepted=("number",))
        if axes.shape.ndim is not None and axes.shape.ndim > 1:
            raise ShapeError("axes", f"axes has the shape {axes.shape}; it must be a scalar or 1-D")
        if axes.shape.size == 0:
            raise ShapeError("axes", "axes is empty; it must name at least one dimension to insert")
        values = values_of(axes)
        if data.shape.dims is None or values is None:
            return data.with_shape(None)
        rank = len(data.shape) + len(values)
        inserted = set(normalize_axes("axes", values, rank))
        dims = iter(data.shape)
        return data.with_shape([Dimension(1) if i in inserted else next(dims) for i in range(rank)])

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the data with the new dimensions."""
        values = axes.reshape(-1).tolist()
        return np.expand_dims(data, normalize_axes("axes", values, data.ndim + len(values)))
