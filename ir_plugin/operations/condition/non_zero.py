"""NonZero: where the elements are that are not zero. Specification: condition/NonZero-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.memory import require
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class NonZero(Operation, version=3):
    """The indices of nonzero elements, in row-major order: a column for each element, a row for each dimension.

    A scalar counts as a tensor of one dimension; NaN is not zero.
    """

    needs_values = (0,)
    widen = False

    output_type: ElementType

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return at most one column for each element."""
        require_type("data", data, "number", "boolean")
        if data.value is not None:
            return TensorInfo(self.output_type, [max(data.value.ndim, 1), int(np.count_nonzero(data.value))])
        if not data.shape.ndim:
            return TensorInfo(self.output_type, [-1, -1])
        count = Dimension(0, Dimension(data.shape.size).max_length)
        return TensorInfo(self.output_type, [data.shape.ndim, count])

    def evaluate(self, data: Array) -> Array:
        """Return the indices; raises `LimitError` where they take too much memory."""
        values = np.atleast_1d(data)
        require("the indices", [values.ndim, int(np.count_nonzero(values))], np.dtype(np.intp).itemsize)
        return np.stack(np.nonzero(values)).astype(self.output_type.dtype, copy=False)
