"""AvgPool: average each window. Specification: pooling/AvgPool-16, AvgPool-14, AvgPool-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.pooling.means import divided
from ir_plugin.operations.pooling.pools import Arrays, Layout, Pool
from ir_plugin.operations.windows import padded
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class AvgPool(Pool, version=16):
    """Average the elements of each window of `data` [N, C, …]; `Pool` infers the shape.

    With `exclude-pad` pads do not count. Without it pads count as zeros, and so do elements beyond the pads that a
    window reaches because of rounding up; but in a layer without pads only elements of `data` count. A window without
    any counted element gives 0 (OpenVINO's CPU: NaN). Means of integers are rounded half to even.

    Differs from the page: `data` may be boolean; means are rounded.
    Example: The mean of true and false is false.
    """

    exclude_pad: bool
    dilations: tuple[int, ...]

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type of `data` with the shape of the windows."""
        note_type("data", data, "number")
        pooled = self.pooled(data.shape)
        if self.exclude_pad and self.auto_pad == "explicit" and data.shape.dims is not None:
            self._require_data(data.shape)
        return data.with_shape(pooled)

    def _require_data(self, shape: PartialShape) -> None:
        """Raise if a window can lie entirely in the pads of an axis of known length, as OpenVINO does."""
        windows = self.windows(len(shape) - 2)
        for axis, (length, kernel) in enumerate(zip(shape[2:], self.kernel, strict=True)):
            extent = windows.extent(axis, Dimension(kernel)).lower
            for part, pads in (("pads_begin", windows.pads_begin), ("pads_end", windows.pads_end)):
                if length.is_static and extent <= pads[axis]:
                    raise ShapeError(
                        part,
                        f"the {pads[axis]} pads of spatial axis {axis} hold a whole window of {extent} elements",
                        "with exclude-pad such a window has no mean: use fewer pads",
                    )

    def evaluate(self, data: Array) -> Array:
        """Return the means."""
        layout = self.layout(data.shape)
        kind = data.dtype if data.dtype.kind == "f" else np.dtype(np.int64)
        wide = padded(data, layout.begin, layout.end)
        (total,) = self.reduced(_sum, (wide.astype(kind, copy=False),), layout)
        return divided(total, self.counts(data.shape[2:], layout), data.dtype)

    def counts(self, lengths: Sequence[int], layout: Layout) -> Array:
        """Return the number of counted elements of each window."""
        if not self.exclude_pad and (any(layout.begin) or any(layout.windows.pads_end) or layout.windows.is_same):
            return np.full((1,) * len(lengths), int(np.prod(self.kernel)))
        (counts,) = self.reduced(_sum, (padded(np.ones(tuple(lengths), np.int64), layout.begin, layout.end),), layout)
        return counts


def _sum(left: Arrays, right: Arrays) -> Arrays:
    return (left[0] + right[0],)


class AvgPool14(AvgPool, version=14):
    """As AvgPool-16, but without dilations."""

    dilations = ()


class AvgPool1(AvgPool14, version=1):
    """As AvgPool-14, but without ceil_torch."""
