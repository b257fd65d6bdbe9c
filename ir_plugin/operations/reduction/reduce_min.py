"""ReduceMin: find the minima along axes. Specification: reduction/ReduceMin-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceMin(Reduce, version=1):
    """Find the minimum along `axes`; no elements give +inf or the largest integer of the type. NaN wins.

    OpenVINO's CPU differs: the minimum of no elements is the largest finite number.
    Example: [2,0] of f32 reduced along axis 1 gives infinity; the CPU gives 3.4028235e38.
    """

    carriers = (0,)

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the minima."""
        if data.size:
            return np.asarray(data.min(axis=axes, keepdims=self.keep_dims))
        limit = np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).max
        return np.asarray(data.min(axis=axes, keepdims=self.keep_dims, initial=limit))
