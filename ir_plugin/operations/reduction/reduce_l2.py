"""ReduceL2: compute Euclidean norms along axes. Specification: reduction/ReduceL2-4."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce, summed
from ir_plugin.tensors import Array


class ReduceL2(Reduce, version=4):
    """Compute the root of the sum of squares along `axes`; for integers in f64, rounded towards zero.

    The specification calls the operation the identity for an empty list, but its formula gives absolute values.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the norms."""
        wide = data if data.dtype.kind == "f" else data.astype(np.float64)
        return np.sqrt(summed(wide * wide, axes, self.keep_dims))
