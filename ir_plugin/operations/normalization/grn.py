"""GRN: global response normalization. Specification: normalization/GRN-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Batched
from ir_plugin.tensors import Array, TensorInfo


class GRN(Operation, version=1):
    """Divide `data` [N, C, …] by the root of the sum of squares over all channels plus `bias`.

    Differs from the page: `data` may have an integer or boolean type; results are rounded.
    Example: [[3], [4]] of i32 and a `bias` of 0 give [[1], [1]]: the quotients 0.6 and 0.8, rounded.
    """

    traits = (Batched(),)
    float_inputs = (0,)

    bias: float

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "float")
        require_rank("data", data.shape, 2, 3, 4)
        return data.with_shape(data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the normalized data."""
        return np.asarray(data / np.sqrt(np.square(data).sum(axis=1, keepdims=True) + data.dtype.type(self.bias)))
