"""ReduceMean: average along axes. Specification: reduction/ReduceMean-1."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce, summed
from ir_plugin.tensors import Array


class ReduceMean(Reduce, version=1):
    """Average the elements along `axes`; no elements give 0, and means of integers are rounded towards zero.

    OpenVINO's CPU differs: sums of 8-bit integers overflow. Example: the mean of [100, 100, 100] of i8 is 100; the
    CPU gives 42.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the means."""
        count = max(prod(data.shape[axis] for axis in axes), 1)
        if data.dtype.kind == "f":
            return np.asarray(summed(data, axes, self.keep_dims) / data.dtype.type(count))
        total = summed(data.astype(np.uint64 if data.dtype == np.uint64 else np.int64), axes, self.keep_dims)
        quotient = total // total.dtype.type(count)
        inexact = (total < 0) & (quotient * total.dtype.type(count) != total)
        return np.asarray(quotient + inexact.astype(total.dtype))
