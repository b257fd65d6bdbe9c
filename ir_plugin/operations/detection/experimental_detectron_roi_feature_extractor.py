"""ExperimentalDetectronROIFeatureExtractor: ROIAlign on the levels of a feature pyramid.

Specification: detection/ExperimentalDetectronROIFeatureExtractor-6.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.detection import proposals, regions
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class ExperimentalDetectronROIFeatureExtractor(Operation, version=6):
    """Boxes (x, y, x, y) of an image, pooled from a level of a pyramid chosen by their size, and the boxes.

    The level of a box is floor(2 + log2(sqrt(width · height) / 224)), cut to the levels there are, which are feature
    maps [1, C, H, W] of 1/`pyramid_scales` of the image. A box becomes [C, output_size, output_size], as by ROIAlign
    (mean; boxes at least 1 pixel wide, for `aligned` shifted by half a pixel). A box without area has zeros, as
    OpenVINO gives; the second output is not reordered.
    """

    output_size: int
    sampling_ratio: int
    pyramid_scales: tuple[int, ...]
    aligned: bool

    def infer(self, rois: TensorInfo, *pyramid: TensorInfo) -> tuple[TensorInfo, TensorInfo]:
        """Return [R, C, output_size, output_size] and [R, 4]."""
        levels = {f"pyramid level {level}": (tensor, 4) for level, tensor in enumerate(pyramid)}
        common = proposals.common_type({"rois": (rois, 2), **levels})
        if rois.shape.dims is not None and not rois.shape[1].compatible(4):
            raise ShapeError("rois", f"rois has the shape {rois.shape}; its second dimension must be 4")
        if len(self.pyramid_scales) < len(pyramid):
            raise ShapeError(
                "pyramid_scales", f"pyramid_scales has {len(self.pyramid_scales)} values for {len(pyramid)} levels"
            )
        if self.output_size < 1:
            raise ShapeError("output_size", f"output_size is {self.output_size}; it must be positive")
        channels = Dimension()
        for name, (tensor, _) in levels.items():
            merged = channels.merge(tensor.shape[1])
            if merged is None or not tensor.shape[0].compatible(1):
                raise ShapeError(
                    name, f"{name} has the shape {tensor.shape}; it must be of one image and {channels} channels"
                )
            channels = merged
        size = self.output_size
        return TensorInfo(common, PartialShape([rois.shape[0], channels, size, size])), TensorInfo(
            common, [rois.shape[0], 4]
        )

    def evaluate(self, rois: Array, *pyramid: Array) -> tuple[Array, Array]:
        """Return the pooled boxes, and the boxes."""
        size = (self.output_size, self.output_size)
        result = np.zeros((len(rois), pyramid[0].shape[1], *size), rois.dtype)
        boxes = rois.astype(np.float64)
        sizes = boxes[:, 2:] - boxes[:, :2]
        area = sizes.prod(axis=1)
        for roi in np.flatnonzero(area > 0):
            level = int(np.floor(2 + np.log2(np.sqrt(area[roi]) / 224)))
            level = min(max(level, 0), len(pyramid) - 1)
            scale = 1 / self.pyramid_scales[level]
            corner = boxes[roi, [1, 0]] * scale - (0.5 if self.aligned else 0)
            extent = np.maximum(sizes[roi, ::-1] * scale, 1)
            result[roi] = regions.align(pyramid[level][0], corner, extent, size, self.sampling_ratio, largest=False)
        return result, rois
