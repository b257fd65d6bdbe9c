"""ReduceMax: largest elements along axes. Specification: reduction/ReduceMax-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceMax(Reduce, version=1):
    """The largest of all elements along `axes`; -inf or the type's smallest for none. NaN wins.

    OpenVINO's CPU gives the smallest finite number for none.
    """

    carriers = (0,)

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the largest elements."""
        if data.size:
            return np.asarray(data.max(axis=axes, keepdims=self.keep_dims))
        limit = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
        return np.asarray(data.max(axis=axes, keepdims=self.keep_dims, initial=limit))
