"""ROIAlign whose maximum is taken of products. ONNX's RoiAlign-22."""

from __future__ import annotations

from ir_plugin.operations.detection import regions
from ir_plugin.operations.detection.roi_align import Aligning
from ir_plugin.tensors import Array


class ROIAlignOfProducts(Aligning, version="extension"):
    """As ROIAlign-9, but max is the largest product of a pixel and its weight in a bin, not the largest sample.

    An operation of ours, for ONNX's RoiAlign-22, whose max is computed so.
    """

    def _align(self, features: Array, corner: Array, sizes: Array, pooled: tuple[int, int]) -> Array:
        if self.mode != "max":
            return super()._align(features, corner, sizes, pooled)
        return regions.align_products(features, corner, sizes, pooled, self.sampling_ratio)
