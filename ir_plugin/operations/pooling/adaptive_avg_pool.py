"""AdaptiveAvgPool: average a given number of regions. Specification: pooling/AdaptiveAvgPool-8."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.pooling.adaptive import adaptive_shape, axes_by_shrinkage, region_bounds, spatial_lengths
from ir_plugin.operations.traits import Batched
from ir_plugin.tensors import Array, TensorInfo


class AdaptiveAvgPool(Operation, version=8):
    """Average each of `output_shape` regions of `data` [N, C, …].

    Along an axis of length n with m regions, region i reaches from `floor(i * n / m)` to `ceil((i + 1) * n / m)`.

    Differs from the page: `data` may have an integer or boolean type; results are rounded.
    Example: the mean of 1 and 4 of i32 is 2.
    """

    traits = (Batched(),)
    needs_values = (1,)
    float_inputs = (0,)

    def infer(self, data: TensorInfo, output_shape: TensorInfo) -> TensorInfo:
        """Return the type of `data` with the output lengths."""
        return data.with_shape(adaptive_shape(data, output_shape))

    def evaluate(self, data: Array, output_shape: Array) -> Array:
        """Return the means, computed in f64 axis by axis."""
        result = data.astype(np.float64)
        outputs = spatial_lengths(output_shape)
        for axis in axes_by_shrinkage(data.shape[2:], outputs):
            count = outputs[axis]
            starts, ends = region_bounds(data.shape[2 + axis], count)
            rows = np.moveaxis(result, 2 + axis, -1)
            rows = np.concatenate([rows, np.zeros((*rows.shape[:-1], 1))], -1)
            boundaries = np.stack([starts, ends], -1).reshape(-1)
            sums = np.add.reduceat(rows, boundaries, -1)[..., ::2] if count else rows[..., :0]
            result = np.moveaxis(sums / (ends - starts), -1, 2 + axis)
        return result.astype(data.dtype)
