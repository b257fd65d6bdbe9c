"""ReduceLogicalAnd: whether all elements along axes are true. Specification: reduction/ReduceLogicalAnd-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceLogicalAnd(Reduce, version=1):
    """Whether all elements along `axes` are true; true for none."""

    kind = "boolean"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return whether all are true."""
        return np.asarray(np.all(data, axis=axes, keepdims=self.keep_dims))
