"""AdaptiveMaxPool: find the maxima of a given number of regions. Specification: pooling/AdaptiveMaxPool-8."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.pooling.adaptive import adaptive_shape, axes_by_shrinkage, region_bounds, spatial_lengths
from ir_plugin.operations.pooling.pools import Arrays
from ir_plugin.tensors import Array, ElementType, TensorInfo


class AdaptiveMaxPool(Operation, version=8):
    """Find the maximum of each of `output_shape` regions of `data` [N, C, …] and its index on the spatial axes.

    Along an axis of length n with m regions, region i reaches from `floor(i * n / m)` to `ceil((i + 1) * n / m)`.
    The index counts elements of the flattened spatial axes; the first of equal elements wins.

    Differs from the page: `data` may have an integer or boolean type. Example: [1, 4] of i32 pooled to one gives 4.
    """

    needs_values = (1,)

    index_element_type: ElementType

    def infer(self, data: TensorInfo, output_shape: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the type of `data` and `index_element_type`, with the output lengths."""
        shape = adaptive_shape(data, output_shape)
        return data.with_shape(shape), TensorInfo(self.index_element_type, shape)

    def evaluate(self, data: Array, output_shape: Array) -> tuple[Array, ...]:
        """Return the maxima and their indices, computed axis by axis."""
        numbers = np.arange(prod(data.shape[2:]), dtype=np.int64).reshape(data.shape[2:])
        arrays: Arrays = data, numbers[None, None]
        outputs = spatial_lengths(output_shape)
        for axis in axes_by_shrinkage(data.shape[2:], outputs):
            starts, ends = region_bounds(data.shape[2 + axis], outputs[axis])
            steps = range(int(max(ends - starts, default=1)))
            parts = (
                tuple(array.take(np.minimum(starts + step, ends - 1), 2 + axis) for array in arrays) for step in steps
            )
            arrays = reduce(_larger, parts)
        return arrays[0], np.broadcast_to(arrays[1], arrays[0].shape).astype(self.index_element_type.dtype)


def _larger(left: Arrays, right: Arrays) -> Arrays:
    """Return the larger values and their positions; of equal values the smaller position wins. NaN is the largest."""
    (best, positions), (candidate, candidate_positions) = left, right
    candidate_is_nan, best_is_nan = np.isnan(candidate), np.isnan(best)
    better = (
        (candidate > best)
        | (candidate_is_nan & ~best_is_nan)
        | (((candidate == best) | (candidate_is_nan & best_is_nan)) & (candidate_positions < positions))
    )
    return np.where(better, candidate, best), np.where(better, candidate_positions, positions)
