"""DeformablePSROIPooling: pooling of regions with shifted bins. Specification: detection/DeformablePSROIPooling-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.detection import regions
from ir_plugin.operations.memory import require
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, TensorInfo


class DeformablePSROIPooling(Operation, version=1):
    """Boxes of feature maps [N, output_dim · group_size², H, W], pooled to [rois, output_dim, group_size, group_size].

    `rois` are (image, x, y, x, y) in pixels, rounded, both corners belonging to the box, times `spatial_scale`. Bin (i,
    j) of output channel c is the mean of spatial_bins_y × spatial_bins_x interpolated samples of channel (c ·
    group_size + i) · group_size + j; samples further than half a pixel outside do not count. `offsets` [rois, 2 ·
    classes, part_size, part_size] shift bins by a share, times `trans_std`, of the box's width (even channels) and
    height; each class has `output_dim` / classes consecutive output channels.

    Differs from the page: inputs may have integer or boolean types, also different ones.
    Example: i32 `data` are pooled in f32, and the means are rounded, with a warning.

    Differs from the page: `mode` may be any word, and means the same.
    Example: `mode` average is a warning.
    """

    float_inputs = (0, 1, 2)

    output_dim: int
    spatial_scale: float
    group_size: int
    mode: str
    spatial_bins_x: int
    spatial_bins_y: int
    trans_std: float
    part_size: int

    def infer(self, data: TensorInfo, rois: TensorInfo, offsets: TensorInfo | None = None) -> TensorInfo:
        """Return [rois, output_dim, group_size, group_size]."""
        note_type("data", data, "float")
        note_type("rois", rois, "float")
        regions.check_shapes(data, rois, 5, (1, 1), self.spatial_scale)
        for name in ("output_dim", "group_size", "spatial_bins_x", "spatial_bins_y", "part_size"):
            if getattr(self, name) <= 0:
                raise ShapeError(name, f"{name} is {getattr(self, name)}; it must be positive")
        channels = self.output_dim * self.group_size**2
        if data.shape.dims is not None and not data.shape[1].compatible(channels):
            raise ShapeError(
                "data", f"data {data.shape} has {data.shape[1]} channels; output_dim · group_size² is {channels}"
            )
        if offsets is not None:
            self._check_offsets(rois, offsets)
        size = Dimension(self.group_size)
        return data.with_shape([rois.shape[0], Dimension(self.output_dim), size, size])

    def _check_offsets(self, rois: TensorInfo, offsets: TensorInfo) -> None:
        note_type("offsets", offsets, "float")
        require_rank("offsets", offsets.shape, 4)
        if offsets.shape.dims is None:
            return
        if not offsets.shape[0].compatible(rois.shape[0]):
            raise ShapeError("offsets", f"offsets {offsets.shape} and rois {rois.shape} differ in length")
        if not (offsets.shape[2].compatible(self.part_size) and offsets.shape[3].compatible(self.part_size)):
            raise ShapeError("offsets", f"offsets has the shape {offsets.shape}, but part_size is {self.part_size}")
        channels = offsets.shape[1]
        if channels.is_static and (channels == 0 or channels.lower % 2 or self.output_dim % (channels.lower // 2)):
            raise ShapeError(
                "offsets",
                f"offsets {offsets.shape} has {channels} channels; it must have two for each class, and the classes "
                f"must divide output_dim {self.output_dim}",
            )

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the batch indices."""
        return {1: Range.below(inputs.length(0, 0))}

    def evaluate(self, data: Array, rois: Array, offsets: Array | None = None) -> Array:
        """Return the pooled boxes."""
        group = self.group_size
        result = np.zeros((len(rois), self.output_dim, group, group), data.dtype)
        part = np.arange(group) * self.part_size // group
        for roi, image in enumerate(regions.images(rois[:, 0], len(data), "rois[:, 0]")):
            shifts = np.zeros((1, 2, group, group))
            if offsets is not None:
                shifts = offsets[roi][:, part[:, None], part].reshape(-1, 2, group, group) * self.trans_std
            result[roi] = self._pool(data[image], rois[roi, 1:], shifts)
        return result

    def _pool(self, features: Array, box: Array, shifts: Array) -> Array:
        """Return the bins of one box; `shifts` are [classes, (x, y), group_size, group_size]."""
        group, (height, width) = self.group_size, features.shape[1:]
        bins = self.spatial_bins_y, self.spatial_bins_x
        require("the samples of a box", [self.output_dim, group, group, *bins], 8)
        left, top, right, bottom = (regions.scaled_pixels(box, self.spatial_scale) - 0.5).tolist()
        wide, high = max(right - left, 0.1), max(bottom - top, 0.1)
        rows = top + np.arange(group)[:, None] * high / group + shifts[:, 1] * high
        columns = left + np.arange(group) * wide / group + shifts[:, 0] * wide
        y = rows[..., None, None] + np.arange(self.spatial_bins_y)[:, None] * high / group / self.spatial_bins_y
        x = columns[..., None, None] + np.arange(self.spatial_bins_x) * wide / group / self.spatial_bins_x
        counted = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
        classes = len(shifts)
        planes = features.reshape(classes, -1, group, group, height, width).transpose(0, 2, 3, 4, 5, 1)
        chosen = np.ix_(range(classes), range(group), range(group))
        samples = regions.bilinear(planes, tuple(index[..., None, None] for index in chosen), y, x) * counted[..., None]
        number = np.maximum(counted.sum(axis=(3, 4)), 1)[..., None]
        means = samples.sum(axis=(3, 4)) / number
        result: Array = means.transpose(0, 3, 1, 2).reshape(self.output_dim, group, group)
        return result
