"""AvgPool: the mean of each window. Specification: pooling/AvgPool-16, AvgPool-14, AvgPool-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.checks import require_type
from ir_plugin.operations.pooling.means import divided
from ir_plugin.operations.pooling.pools import Layout, Pool
from ir_plugin.operations.windows import padded
from ir_plugin.tensors import Array, Tensor


class AvgPool(Pool, version=16):
    """The mean of the elements of each window of `data` [N, C, …]; the shape is that of `Pool`.

    With `exclude-pad` pads do not count. Without it they count as zeros, and so does what a window reaches beyond the
    pads because of rounding up; but where a layer has no pads at all, only elements of `data` count. A window
    without anything that counts gives 0 (OpenVINO's CPU: NaN). Means of integers are rounded to the nearest, of
    two to the even one.
    """

    exclude_pad: bool
    dilations: tuple[int, ...]

    def infer(self, data: Tensor) -> Tensor:
        """Return the type of `data` with the shape of the windows."""
        require_type("data", data, "number")
        return data.with_shape(self.pooled(data.shape))

    def evaluate(self, data: Array) -> Array:
        """Return the means."""
        layout = self.layout(data.shape)
        kind = data.dtype if data.dtype.kind == "f" else np.dtype(np.int64)
        wide = padded(data, layout.begin, layout.end)
        total = np.zeros(data.shape[:2] + layout.outputs, kind)
        for slices in self.slices(layout):
            total += wide[slices]
        return divided(total, self._counts(data.shape[2:], layout), data.dtype)

    def _counts(self, lengths: Sequence[int], layout: Layout) -> Array:
        """Return how many elements count in each window."""
        if not self.exclude_pad and (any(layout.begin) or any(layout.windows.pads_end) or layout.windows.is_same):
            return np.full((1,) * len(lengths), int(np.prod(self.kernel)))
        ones = padded(np.ones(tuple(lengths), np.int64), layout.begin, layout.end)
        return np.asarray(sum(ones[slices[2:]] for slices in self.slices(layout)))


class AvgPool14(AvgPool, version=14):
    """As AvgPool-16, but without dilations."""

    dilations = ()


class AvgPool1(AvgPool14, version=1):
    """As AvgPool-14, but without ceil_torch."""
