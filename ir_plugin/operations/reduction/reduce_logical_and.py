"""ReduceLogicalAnd: test whether all elements along axes are true. Specification: reduction/ReduceLogicalAnd-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceLogicalAnd(Reduce, version=1):
    """Test whether all elements along `axes` are true; no elements give true."""

    kind = "boolean"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return whether all elements are true."""
        return np.asarray(np.all(data, axis=axes, keepdims=self.keep_dims))
