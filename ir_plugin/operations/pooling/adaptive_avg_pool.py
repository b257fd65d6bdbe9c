"""AdaptiveAvgPool: means of as many regions as wanted. Specification: pooling/AdaptiveAvgPool-8."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.pooling.adaptive import adapted, wanted
from ir_plugin.tensors import Array, Tensor


class AdaptiveAvgPool(Operation, version=8):
    """The mean of each of `output_shape` regions of `data` [N, C, …].

    Along an axis of length n with m regions, region i reaches from `floor(i * n / m)` to `ceil((i + 1) * n / m)`.
    """

    def infer(self, data: Tensor, output_shape: Tensor) -> Tensor:
        """Return the type of `data` with the wanted lengths."""
        return data.with_shape(adapted(data, output_shape))

    def evaluate(self, data: Array, output_shape: Array) -> Array:
        """Return the means, by differences of running sums in f64."""
        result = data.astype(np.float64)
        for axis, count in enumerate(wanted(output_shape), 2):
            length = data.shape[axis]
            start = np.arange(count) * length // max(count, 1)
            end = -(-(np.arange(count) + 1) * length // max(count, 1))
            moved = np.moveaxis(result, axis, 0)
            parts = [moved[first:last].mean(0) for first, last in zip(start, end, strict=True)]
            result = np.stack(parts, axis) if parts else np.zeros((*result.shape[:axis], 0, *result.shape[axis + 1 :]))
        return result.astype(data.dtype)
