"""ROIAlignOfProducts: ROIAlign whose max is the largest product of a pixel and its weight. ONNX's RoiAlign-22."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.detection import regions
from ir_plugin.operations.detection.roi_align import Aligning
from ir_plugin.tensors import Array


class ROIAlignOfProducts(Aligning, version="extension"):
    """As ROIAlign-9, but max is the largest product of a pixel and its weight in a bin, not the largest sample.

    An operation of ours, for ONNX's RoiAlign-22, whose max is computed so.
    """

    def _align(self, data: Array, boxes: regions.Boxes) -> Array:
        if self.mode != "max":
            return super()._align(data, boxes)
        pooled = (self.pooled_h, self.pooled_w)
        result = np.empty((len(boxes.images), data.shape[1], *pooled), data.dtype)
        for box, (image, corner, size) in enumerate(zip(*boxes, strict=True)):
            result[box] = regions.align_products(data[image], corner, size, pooled, self.sampling_ratio)
        return result
