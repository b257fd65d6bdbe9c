"""ROIAlign: interpolated samples of regions of feature maps. Specification: detection/ROIAlign-9, ROIAlign-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.detection import regions
from ir_plugin.tensors import Array


class Aligning(regions.RoiPooling):
    """The base of ROIAlign-9 and of its variant for ONNX."""

    mode: str
    aligned_mode: str
    aligner = regions.Aligner()
    """The loops that sample; the compiler binds faster ones."""

    def evaluate(self, data: Array, rois: Array, batch_indices: Array) -> Array:
        """Return the pooled boxes."""
        corners = self._corners(rois.astype(np.float64)[:, [1, 0, 3, 2]])
        sizes = corners[:, 2:] - corners[:, :2]
        if self.aligned_mode == "asymmetric":
            sizes = np.maximum(sizes, 1)
        images = regions.images(batch_indices, len(data), "batch_indices")
        return self._align(data, regions.Boxes(images, corners[:, :2], sizes))

    def _align(self, data: Array, boxes: regions.Boxes) -> Array:
        """Return the pooled bins of boxes."""
        pooled = (self.pooled_h, self.pooled_w)
        return self.aligner.align(data, boxes, pooled, self.sampling_ratio, self.mode == "max")

    def _corners(self, rois: Array) -> Array:
        """Return the corners in pixels of the feature maps."""
        before = 0.5 if self.aligned_mode == "half_pixel" else 0
        after = 0 if self.aligned_mode == "asymmetric" else 0.5
        return (rois + before) * self.spatial_scale - after


class ROIAlign(Aligning, version=9):
    """Boxes of feature maps [N, C, H, W], pooled to [rois, C, pooled_h, pooled_w].

    `rois` are (x, y, x, y), to be multiplied with `spatial_scale`; `batch_indices` names the image of each. A box is
    cut into bins, a bin is the mean or the largest (`mode`) of `sampling_ratio`² interpolated samples (0: as many as it
    has pixels). `aligned_mode` asymmetric makes boxes at least 1 pixel wide; half_pixel_for_nn shifts them by half a
    pixel, half_pixel counts coordinates from the middle of pixels. Samples further than 1 pixel outside are 0.

    Differs from the page: the maximum starts at 0, so that max gives nothing below.
    Example: a map of -1 everywhere gives 0, where the page gives -1.
    """


class ROIAlign3(ROIAlign, version=3):
    """As ROIAlign-9 with `aligned_mode` asymmetric."""

    aligned_mode = "asymmetric"
