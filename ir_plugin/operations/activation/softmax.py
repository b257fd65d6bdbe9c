"""Softmax: exponentials that sum to 1 along an axis. Specification: activation/SoftMax-8, SoftMax-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.elementwise import real_function
from ir_plugin.operations.shapes import axis_or_scalar
from ir_plugin.operations.traits import Along, DataInputs
from ir_plugin.tensors import Array, TensorInfo


class Softmax(Operation, version=8):
    """exp(x) divided by the sum of exp(x) along `axis`, computed without overflow. `axis` may count from the end.

    Differs from the page: `data` may be boolean; quotients are rounded, halves to even.
    Example: [true, false] gives [true, false]: 0.73 and 0.27, rounded.

    Differs from the page: a scalar may have the axis 0 or -1. Example: 2.5 gives 1.
    """

    traits = (Along("axis"), DataInputs(1))
    axis: int

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        note_type("data", data, "number")
        if data.shape.ndim is not None:
            axis_or_scalar("axis", self.axis, data.shape.ndim)
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the quotients."""
        return data if data.size == 0 else real_function(self._real, data)

    def _real(self, data: Array) -> Array:
        result = np.asarray(data - data.max(axis=self.axis, keepdims=True))
        np.exp(result, out=result)
        result /= result.sum(axis=self.axis, keepdims=True)
        return result


class Softmax1(Softmax, version=1):
    """As Softmax-8, but `axis` counts from the front.

    Differs from the page: `axis` is 0 where it is not written. Example: without it, [[0], [0]] gives [[0.5], [0.5]].
    """

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        if self.axis < 0:
            raise ShapeError("axis", f"axis is {self.axis}; SoftMax-1 takes no negative one", "write SoftMax of opset8")
        return super().infer(data)
