"""CumProd: products of all elements up to each one. ONNX's CumProd-26."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.tensors import Array, TensorInfo


class CumProd(Operation, version="extension"):
    """Products along `axis` of the elements up to each one, or before it if `exclusive`.

    With `reverse` the products start at the end of the axis. Whole numbers wrap. An operation of ours, for ONNX.
    """

    exclusive: bool
    reverse: bool

    def infer(self, data: TensorInfo, axis: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("data", data, "number")
        require_type("axis", axis, "integer")
        position = scalar_of("axis", axis)
        if position is not None and data.shape.ndim is not None:
            normalize_axis("axis", position, data.shape.ndim)
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array, axis: Array) -> Array:
        """Return the products."""
        position = normalize_axis("axis", int(axis.reshape(-1)[0]), data.ndim)
        source = np.flip(data, position) if self.reverse else data
        products: Array = np.cumprod(source, axis=position, dtype=data.dtype)
        if self.exclusive:
            products = _shifted(products, position)
        return np.flip(products, position) if self.reverse else products


def _shifted(products: Array, axis: int) -> Array:
    """Return the products moved on by one element, the first of them 1."""
    shifted = np.ones_like(products)
    moved, source = np.moveaxis(shifted, axis, 0), np.moveaxis(products, axis, 0)
    moved[1:] = source[:-1]
    return shifted
