"""PSROIPooling: pooling of regions, each bin from its own channels. Specification: detection/PSROIPooling-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_types
from ir_plugin.operations.detection import regions
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array, Dimension, TensorInfo


class PSROIPooling(Operation, version=1):
    """Boxes of feature maps [N, C, H, W], pooled to [rois, output_dim, group_size, group_size].

    `rois` are (image, x, y, x, y). For `mode` average C is output_dim · group_size², corners in pixels are rounded,
    both belong to the box, and then multiplied with `spatial_scale`; bin (i, j) of output channel c is the mean of
    channel (c · group_size + i) · group_size + j there, 0 if it has no pixel. For bilinear C is output_dim ·
    spatial_bins_x · spatial_bins_y, corners times `spatial_scale` are fractions of the map, the box is cut into the
    spatial bins, and the output is the mean over bins b of channel b · output_dim + c at points of a grid in each, 0
    outside the map. Only bilinear has spatial bins; OpenVINO writes 0 for them otherwise.

    Differs from the page: `rois` may have another floating-point type than `data`.
    Example: Rois of f16 beside `data` of f32 are a warning.
    """

    output_dim: int
    group_size: int
    spatial_scale: float
    mode: str
    spatial_bins_x: int
    spatial_bins_y: int

    def infer(self, data: TensorInfo, rois: TensorInfo) -> TensorInfo:
        """Return [rois, output_dim, group_size, group_size]."""
        note_types({"data": data, "rois": rois}, "float", accepted=("float",))
        regions.check_shapes(data, rois, 5, (1, 1), self.spatial_scale)
        regions.check_scale(self.spatial_scale)
        names = ("output_dim", "group_size")
        bins_of = () if self.mode == "average" else ("spatial_bins_x", "spatial_bins_y")
        for name, value in ((name, getattr(self, name)) for name in (*names, *bins_of)):
            if value <= 0:
                raise ShapeError(name, f"{name} is {value}; it must be positive")
        bins = self.group_size**2 if self.mode == "average" else self.spatial_bins_x * self.spatial_bins_y
        if data.shape.dims is not None and not data.shape[1].compatible(self.output_dim * bins):
            raise ShapeError(
                "data",
                f"data {data.shape} has {data.shape[1]} channels; output_dim {self.output_dim} times {bins} bins "
                f"is {self.output_dim * bins}",
            )
        size = Dimension(self.group_size)
        return data.with_shape([rois.shape[0], Dimension(self.output_dim), size, size])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the batch indices."""
        return {1: Range.below(inputs.length(0, 0))}

    def evaluate(self, data: Array, rois: Array) -> Array:
        """Return the pooled boxes."""
        group = self.group_size
        result = np.zeros((len(rois), self.output_dim, group, group), data.dtype)
        pool = self._mean if self.mode == "average" else self._interpolated
        for roi, image in enumerate(regions.images(rois[:, 0], len(data), "rois[:, 0]")):
            result[roi] = pool(data[image], rois[roi, 1:])
        return result

    def _mean(self, features: Array, box: Array) -> Array:
        group = self.group_size
        left, top, right, bottom = regions.scaled_pixels(box, self.spatial_scale).tolist()
        rows = _means(top, bottom, group, features.shape[1])
        columns = _means(left, right, group, features.shape[2])
        planes = features.reshape(self.output_dim, group, group, *features.shape[1:])
        return regions.applied_each(planes, rows, columns)

    def _interpolated(self, features: Array, box: Array) -> Array:
        scale = box.dtype.type(self.spatial_scale)
        left, top, right, bottom = box * scale
        kind = box.dtype.type
        height, width = (bottom - top) / kind(self.spatial_bins_y), (right - left) / kind(self.spatial_bins_x)
        total = np.zeros((self.output_dim, self.group_size, self.group_size), features.dtype)
        planes = features.reshape(self.spatial_bins_y, self.spatial_bins_x, self.output_dim, *features.shape[1:])
        for y, x in np.ndindex(*planes.shape[:2]):
            first, start = top + kind(y) * height, left + kind(x) * width
            rows = regions.grid(first, first + height, height, self.group_size, features.shape[1])
            columns = regions.grid(start, start + width, width, self.group_size, features.shape[2])
            total += regions.applied(planes[y, x], rows, columns)
        return total / (self.spatial_bins_y * self.spatial_bins_x)


def _means(first: float, last: float, count: int, length: int) -> Array:
    """Return the matrix (count, length) that averages the bins of an interval, with zeros for empty bins."""
    size = max(last - first, 0.1) / count
    starts = np.clip(np.floor(np.arange(count) * size + first), 0, length)
    ends = np.clip(np.ceil(np.arange(1, count + 1) * size + first), 0, length)
    pixels = np.arange(length)
    inside = (pixels >= starts[:, None]) & (pixels < ends[:, None])
    result: Array = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1)
    return result
