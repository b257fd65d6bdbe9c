"""Axes, output shapes and sums, shared by all reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import normalize_axes, values_of
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class Reduce(Operation):
    """Reduce the elements of `data` along `axes`, which are kept with length 1 if `keep_dims`, and removed otherwise.

    `axes` is a scalar or a list of distinct axes in [-rank, rank - 1]; an empty list reduces each element on its own.
    OpenVINO also accepts an axis twice, and axis 0 of a scalar; here both are errors, as the specification requires
    distinct axes in that range.
    """

    kind: ClassVar[str] = "number"
    reduce: ClassVar[Callable[..., Array]]
    """Returns data reduced along the axes."""

    keep_dims: bool

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape without the axes."""
        require_type("data", data, self.kind)
        require_type("axes", axes, "integer")
        if axes.shape.ndim is not None and axes.shape.ndim > 1:
            raise ShapeError("axes", f"axes has the shape {axes.shape}; it must be a scalar or 1-D")
        return data.with_shape(self._reduced(data.shape, axes))

    def _reduced(self, shape: PartialShape, axes: TensorInfo) -> PartialShape:
        values = values_of(axes)
        if shape.dims is None:
            return shape
        if values is None:
            if self.keep_dims:
                return PartialShape.dynamic(len(shape))
            is_single = axes.shape.size == 1
            return PartialShape.dynamic(len(shape) - 1 if len(shape) else 0) if is_single else PartialShape(None)
        reduced = set(normalize_axes("axes", values, len(shape)))
        if self.keep_dims:
            return PartialShape([Dimension(1) if i in reduced else dim for i, dim in enumerate(shape)])
        return PartialShape([dim for i, dim in enumerate(shape) if i not in reduced])

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the reduction."""
        reduced_axes = tuple(int(axis) for axis in axes.reshape(-1))
        return self.reduce(data, reduced_axes)


def summed(data: Array, axes: tuple[int, ...], keep: bool) -> Array:
    """Return the sum; integers wrap in their own type."""
    return np.asarray(data.sum(axis=axes, dtype=data.dtype, keepdims=keep))
