"""Selu: the scaled exponential linear unit. Specification: activation/Selu-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, TensorInfo


class Selu(Operation, version=1):
    """lambda · x where x is positive, lambda · alpha · (exp(x) - 1) elsewhere; both factors hold one element."""

    traits = (Elementwise(),)

    def infer(self, data: TensorInfo, alpha: TensorInfo, lambda_: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        require_type("data", data, "float")
        for part, tensor in [("alpha", alpha), ("lambda", lambda_)]:
            if not tensor.shape.size.contains(1):
                raise ShapeError(part, f"{part} has the shape {tensor.shape}; it must hold one element")
        return TensorInfo(merge_types(data, alpha, lambda_), data.shape)

    def evaluate(self, data: Array, alpha: Array, lambda_: Array) -> Array:
        """Return the function of every element."""
        scale = lambda_.reshape(-1)[0]
        low = alpha.reshape(-1)[0] * np.expm1(np.minimum(data, 0))
        result: Array = scale * np.where(data > 0, data, low)
        return result
