"""ReduceProd: multiply along axes. Specification: reduction/ReduceProd-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.reduction.reducing import Reduce
from ir_plugin.tensors import Array, Bounds


class ReduceProd(Reduce, version=1):
    """Multiply the elements along `axes`; no elements give 1, and integers wrap."""

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the products."""
        return np.asarray(data.prod(axis=axes, dtype=data.dtype, keepdims=self.keep_dims))

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the products of the bounds of nonnegative integers; the largest value of the type means unbounded."""
        data, axes = inputs
        if data is None or axes is None or data.is_exact or not axes.is_exact:
            return super().infer_bounds(*inputs)
        if data.lower.dtype.kind not in "iu" or int(data.lower.min()) < 0:
            return []
        limit = int(np.iinfo(data.lower.dtype).max)
        reduced_axes = tuple(int(axis) for axis in axes.lower.reshape(-1))
        lower, upper = (self._clipped(array, reduced_axes, limit) for array in data)
        return [Bounds(lower, upper)]

    def _clipped(self, array: Array, axes: tuple[int, ...], limit: int) -> Array:
        exact = np.asarray(array.astype(object).prod(axis=axes, keepdims=self.keep_dims), object)
        return np.asarray(np.minimum(exact, limit)).astype(array.dtype)
