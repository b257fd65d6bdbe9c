"""ReduceMax: find the maxima along axes. Specification: reduction/ReduceMax-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceMax(Reduce, version=1):
    """Find the maximum along `axes`. NaN wins.

    Differs from the page: the result is at least the lowest finite number, also of no elements. Example: the maximum of
    [-inf, -inf] of f32 is -3.4028235e38.
    """

    carriers = (0,)

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the maxima."""
        limit = np.finfo(data.dtype).min if data.dtype.kind == "f" else np.iinfo(data.dtype).min
        return np.asarray(data.max(axis=axes, keepdims=self.keep_dims, initial=limit))
