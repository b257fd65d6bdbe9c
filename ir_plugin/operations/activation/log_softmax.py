"""LogSoftmax: the logarithm of Softmax. Specification: activation/LogSoftmax-5."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.elementwise import real_function
from ir_plugin.operations.shapes import axis_or_scalar
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, TensorInfo


class LogSoftmax(Operation, version=5):
    """x - log(sum of exp(x) along `axis`), computed without overflow. `axis` may count from the end.

    Differs from the page: a scalar may have the axis 0 or -1. Example: 2.5 gives 0.
    """

    traits = (Along("axis"),)
    axis: int

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        note_type("data", data, "number")
        if data.shape.ndim is not None:
            axis_or_scalar("axis", self.axis, data.shape.ndim)
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the logarithms."""
        return data if data.size == 0 else real_function(self._real, data)

    def _real(self, data: Array) -> Array:
        shifted = data - data.max(axis=self.axis, keepdims=True)
        result: Array = shifted - np.log(np.exp(shifted).sum(axis=self.axis, keepdims=True))
        return result
