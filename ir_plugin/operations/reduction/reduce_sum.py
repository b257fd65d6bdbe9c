"""ReduceSum: sum along axes. Specification: reduction/ReduceSum-1."""

from __future__ import annotations

from ir_plugin.operations.reduction.reducing import Reduce, summed
from ir_plugin.tensors import Array


class ReduceSum(Reduce, version=1):
    """Sum the elements along `axes`; no elements give 0, and integers wrap."""

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the sums."""
        return summed(data, axes, self.keep_dims)
