"""ReduceLogicalOr: whether any element along axes is true. Specification: reduction/ReduceLogicalOr-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceLogicalOr(Reduce, version=1):
    """Whether any element along `axes` is true; false for none."""

    kind = "boolean"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return whether any is true."""
        return np.asarray(np.any(data, axis=axes, keepdims=self.keep_dims))
