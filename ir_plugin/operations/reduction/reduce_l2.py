"""ReduceL2: Euclidean norms along axes. Specification: reduction/ReduceL2-4."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce, summed
from ir_plugin.tensors import Array


class ReduceL2(Reduce, version=4):
    """The square root of the sum of squares along `axes`; of integers computed in f64 and rounded towards zero.

    The specification calls the operation the identity for an empty list; its formula gives absolute values then.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the norms."""
        wide = data if data.dtype.kind == "f" else data.astype(np.float64)
        return np.sqrt(summed(wide * wide, axes, self.keep_dims))
