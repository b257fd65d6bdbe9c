"""ReduceLogicalOr: test whether any element along axes is true. Specification: reduction/ReduceLogicalOr-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array


class ReduceLogicalOr(Reduce, version=1):
    """Test whether any element along `axes` is true; no elements give false."""

    kind = "boolean"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return whether any element is true."""
        return np.asarray(np.any(data, axis=axes, keepdims=self.keep_dims))
