"""ROIPooling: the largest elements, or interpolated ones, of regions of feature maps.

Specification: detection/ROIPooling-1.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.detection import regions
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array, TensorInfo


class ROIPooling(Operation, version=2):
    """Boxes of feature maps [N, C, H, W], pooled to [rois, C, pooled_h, pooled_w].

    `rois` are (image, x, y, x, y). For `method` max the corners are multiplied with `spatial_scale` and rounded, both
    belong to the box, and each bin is the largest of its pixels, 0 if it has none. For bilinear the corners are
    fractions of the feature map, and each bin is the interpolated value at a point of a grid that has its ends in the
    corners (a single point lies in the middle); 0 outside.
    """

    pooled_h: int
    pooled_w: int
    spatial_scale: float
    output_size: tuple[int, ...]
    output_roi: tuple[int, ...]
    method: str

    def infer(self, data: TensorInfo, rois: TensorInfo) -> TensorInfo:
        """Return [rois, C, pooled_h, pooled_w]."""
        regions.check(data, rois, 5, self._size, self.spatial_scale)
        regions.check_scale(self.spatial_scale)
        return regions.pooled_tensor(data, rois.shape[0], *self._size)

    @property
    def _size(self) -> tuple[int, int]:
        """Height and width; OpenVINO's writer repeats them in output_size and output_roi."""
        for size in (self.output_size, self.output_roi):
            if self.pooled_h == self.pooled_w == 0 and len(size) == 2:
                return size[0], size[1]
        return self.pooled_h, self.pooled_w

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the batch indices."""
        return {1: Range.below(inputs.length(0, 0))}

    def evaluate(self, data: Array, rois: Array) -> Array:
        """Return the pooled boxes."""
        result = np.zeros((len(rois), data.shape[1], *self._size), data.dtype)
        pool = self._largest if self.method == "max" else self._interpolated
        for roi, image in enumerate(regions.images(rois[:, 0], len(data), "rois[:, 0]")):
            pool(data[image], rois[roi, 1:], result[roi])
        return result

    def _largest(self, features: Array, box: Array, result: Array) -> None:
        scaled = box * box.dtype.type(self.spatial_scale)
        left, top, right, bottom = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int64).tolist()
        rows = _bins(top, bottom, result.shape[1], features.shape[1])
        columns = _bins(left, right, result.shape[2], features.shape[2])
        filled = [row for row, (first, last) in enumerate(rows) if first < last]
        if not filled:
            return
        strips = np.stack([features[:, first:last].max(axis=1) for first, last in rows if first < last], axis=1)
        for column, (start, end) in enumerate(columns):
            if start < end:
                result[:, filled, column] = strips[:, :, start:end].max(axis=2)

    def _interpolated(self, features: Array, box: Array, result: Array) -> None:
        left, top, right, bottom = box
        rows = regions.grid(top, bottom, bottom - top, result.shape[1], features.shape[1])
        columns = regions.grid(left, right, right - left, result.shape[2], features.shape[2])
        result[...] = regions.applied(features, rows, columns)


def _bins(first: int, last: int, count: int, length: int) -> list[tuple[int, int]]:
    """Return where the bins of [first, last] begin and end, cut to the axis."""
    size = max(last - first + 1, 1)
    return [
        (
            min(max(first + index * size // count, 0), length),
            min(max(first - (-(index + 1) * size // count), 0), length),
        )
        for index in range(count)
    ]
