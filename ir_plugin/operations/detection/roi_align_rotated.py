"""ROIAlignRotated: interpolated samples of rotated regions of feature maps.

Specification: detection/ROIAlignRotated-15.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.detection import regions
from ir_plugin.operations.memory import require
from ir_plugin.tensors import Array


class ROIAlignRotated(regions.RoiPooling, version=15):
    """Rotated boxes of feature maps [N, C, H, W], pooled to [rois, C, pooled_h, pooled_w].

    `rois` are (center x, center y, width, height, angle in radians), lengths to be multiplied with `spatial_scale`, and
    centers shifted by half a pixel; `batch_indices` names the image of each. Angles turn from x to -y, or to y with
    `clockwise_mode`. Each bin is the mean of `sampling_ratio`² interpolated samples (0: as many as it has pixels);
    samples further than 1 pixel outside are 0.
    """

    roi_numbers = 5

    clockwise_mode: bool

    def evaluate(self, data: Array, rois: Array, batch_indices: Array) -> Array:
        """Return the pooled boxes."""
        result = np.zeros((len(rois), data.shape[1], self.pooled_h, self.pooled_w), data.dtype)
        for roi, image in enumerate(regions.images(batch_indices, len(data), "batch_indices")):
            self._pool(data[image], rois[roi].astype(np.float64).tolist(), result[roi])
        return result

    def _pool(self, features: Array, roi: list[float], result: Array) -> None:
        center_x, center_y, width, height = (length * self.spatial_scale for length in roi[:4])
        angle = -roi[4] if self.clockwise_mode else roi[4]
        counts = [self._count(height, self.pooled_h), self._count(width, self.pooled_w)]
        if 0 in counts:
            return
        require("a box's samples", [self.pooled_h * counts[0], self.pooled_w * counts[1], len(features)], 8)
        down, across = self._sample_offsets(height, self.pooled_h), self._sample_offsets(width, self.pooled_w)
        y, x = down[:, None, :, None], across[:, None, :]
        sine, cosine = np.sin(angle), np.cos(angle)
        rows, columns = np.broadcast_arrays(
            y * cosine - x * sine + center_y - 0.5, y * sine + x * cosine + center_x - 0.5
        )
        inside = (rows >= -1) & (rows <= features.shape[1]) & (columns >= -1) & (columns <= features.shape[2])
        samples = regions.bilinear(features.transpose(1, 2, 0), (), rows, columns) * inside[..., None]
        result[...] = samples.mean(axis=(2, 3)).transpose(2, 0, 1)

    def _count(self, length: float, bins: int) -> int:
        """Return the number of samples of a bin along one side."""
        return self.sampling_ratio or max(int(np.ceil(length / bins)), 0)

    def _sample_offsets(self, length: float, bins: int) -> Array:
        """Return the offsets (bins, samples) of the samples along one side from the center."""
        count = self._count(length, bins)
        steps = np.arange(bins)[:, None] + (np.arange(count) + 0.5) / max(count, 1)
        return steps * length / bins - length / 2
