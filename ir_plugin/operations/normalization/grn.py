"""GRN: global response normalization. Specification: normalization/GRN-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Tensor


class GRN(Operation, version=1):
    """`data` [N, C, …] over the root of `bias` and the sum of squares of all channels."""

    bias: float

    def infer(self, data: Tensor) -> Tensor:
        """Return the type and shape of `data`."""
        require_type("data", data, "float")
        require_rank("data", data.shape, 2, 3, 4)
        return data.with_shape(data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the normalized data."""
        return np.asarray(data / np.sqrt(np.square(data).sum(axis=1, keepdims=True) + data.dtype.type(self.bias)))
