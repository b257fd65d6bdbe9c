"""ReduceL1: sum absolute values along axes. Specification: reduction/ReduceL1-4."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce, summed
from ir_plugin.tensors import Array


class ReduceL1(Reduce, version=4):
    """Sum the absolute values along `axes`, also for an empty list of axes; integers wrap.

    The specification calls the operation the identity for an empty list, but its formula gives absolute values.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the norms."""
        return summed(np.abs(data), axes, self.keep_dims)
