"""Resize: ONNX's Resize-19 where Interpolate-11 cannot say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.image.interpolate import SCALE_TYPES, SIZE_TYPES, Resizing, scaled
from ir_plugin.operations.image.resampling import ROUNDINGS, Indices, Taps, cubic_kernel, rounded_to
from ir_plugin.operations.shapes import normalize_axes, require_rank, values_of
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


@dataclass(frozen=True)
class Resized:
    """One axis that is resized: its length before and after, the exact scale, and the part of it that is read."""

    index: int
    length: int
    target: int
    scale: float
    first: float = 0.0
    last: float = 1.0

    @property
    def width(self) -> float:
        """The length times the scale in f32, of which `target` is the rounded value."""
        return float(np.float32(self.scale * self.length))

    @property
    def is_unchanged(self) -> bool:
        """Whether all coordinates stay."""
        return self.length == self.target and self.scale == 1 and (self.first, self.last) == (0, 1)


class Resize(Resizing, version="extension"):
    """The `data`, resized along `axes` by the scales or to the lengths of `target`. An operation of ours, for ONNX.

    Beyond Interpolate-11 it weighs with ONNX's `antialias` (a kernel that is wider where an axis shrinks), leaves out
    positions beyond the data (`exclude_outside`), reads the part `roi` (firsts, then lasts, of all axes) by
    tf_crop_and_resize, with `extrapolation_value` outside the data, and keeps one scale for all axes by
    `keep_aspect_ratio_policy`. By scales align_corners and half_pixel_symmetric use lengths that are not rounded. An
    axis whose length a scale keeps is resized with the others; where all lengths stay, so does the data, as in
    onnxruntime, but for tf_crop_and_resize. Nearest computes coordinates in f32.
    """

    needs_values = (1, 2)

    mode: str
    shape_calculation_mode: str
    coordinate_transformation_mode: str
    nearest_mode: str
    antialias: bool
    cube_coeff: float
    exclude_outside: bool
    extrapolation_value: float
    keep_aspect_ratio_policy: str
    pads_begin = ()
    pads_end = ()

    def infer(
        self, data: TensorInfo, target: TensorInfo, axes: TensorInfo, roi: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the type of the data and the shape after resizing."""
        require_type("data", data, "number")
        require_type("target", target, *(SIZE_TYPES if self._by_sizes else SCALE_TYPES))
        if roi is not None:
            require_type("roi", roi, "float")
            require_rank("roi", roi.shape, 1)
        shape = self._shape(data.shape, target, "target", axes)
        if not self._by_sizes or self.keep_aspect_ratio_policy == "stretch" or shape.ndim is None:
            return data.with_shape(shape)
        return data.with_shape(self._of_one_scale(data.shape, shape, target, axes))

    def _of_one_scale(
        self, before: PartialShape, shape: PartialShape, target: TensorInfo, axes: TensorInfo
    ) -> PartialShape:
        chosen, value = values_of(axes), target.value
        if chosen is None:
            return PartialShape.dynamic(shape.ndim)
        static_lengths = [before[axis].get_length() for axis in chosen if before[axis].is_static]
        dims = list(shape)
        is_known = value is not None and len(static_lengths) == len(chosen)
        lengths = self._lengths(static_lengths, value)[0] if is_known and value is not None else [None] * len(chosen)
        for axis, length in zip(chosen, lengths, strict=True):
            dims[axis] = Dimension() if length is None else Dimension(length)
        return PartialShape(dims)

    def evaluate(self, data: Array, target: Array, axes: Array, roi: Array | None = None) -> Array:
        """Return the resized data; whole numbers are rounded once, at the end, halves to even."""
        chosen = normalize_axes("axes", axes.tolist(), data.ndim)
        lengths, scales = self._lengths([data.shape[axis] for axis in chosen], target)
        ends = self._ends(len(chosen), roi)
        if self._keeps(data.shape, chosen, lengths):
            return data
        resized = [
            Resized(axis, data.shape[axis], length, scale, *pair)
            for axis, length, scale, pair in zip(chosen, lengths, scales, ends, strict=True)
        ]
        working = data.astype(np.float64) if data.dtype.kind in "iu" and self.mode != "nearest" else data
        for axis in resized:
            if not axis.is_unchanged:
                working = self._along(working, axis)
        return working if working.dtype == data.dtype else rounded_to(working, data.dtype)

    def _keeps(self, shape: Sequence[int], axes: Sequence[int], lengths: Sequence[int]) -> bool:
        """Return whether the data stays because all lengths do."""
        is_cropped = self.coordinate_transformation_mode == "tf_crop_and_resize"
        return not is_cropped and all(shape[axis] == length for axis, length in zip(axes, lengths, strict=True))

    def _lengths(self, lengths: Sequence[int], target: Array) -> tuple[list[int], list[float]]:
        """Return the new length and the scale of each of the axes."""
        if not self._by_sizes:
            scales = [float(value) for value in target]
            return [scaled(length, scale) for length, scale in zip(lengths, scales, strict=True)], scales
        scales = [int(size) / max(length, 1) for length, size in zip(lengths, target, strict=True)]
        if self.keep_aspect_ratio_policy == "stretch" or not scales:
            return [int(size) for size in target], scales
        scale = min(scales) if self.keep_aspect_ratio_policy == "not_larger" else max(scales)
        return [int(scale * length + 0.5) for length in lengths], [scale] * len(scales)

    def _ends(self, count: int, roi: Array | None) -> list[tuple[float, float]]:
        if self.coordinate_transformation_mode != "tf_crop_and_resize":
            return [(0.0, 1.0)] * count
        if roi is None or roi.size != 2 * count:
            size = 0 if roi is None else roi.size
            raise EvaluationError(f"roi has {size} elements; tf_crop_and_resize needs {2 * count}, two for each axis")
        return [(float(first), float(last)) for first, last in zip(roi[:count], roi[count:], strict=True)]

    def _along(self, data: Array, axis: Resized) -> Array:
        if 0 in (axis.target, data.size):
            if axis.target and axis.length == 0:
                raise EvaluationError(f"the axis {axis.index} is empty: nothing to interpolate {axis.target} from")
            return np.zeros((*data.shape[: axis.index], axis.target, *data.shape[axis.index + 1 :]), data.dtype)
        number = np.float32 if self.mode == "nearest" else np.float64
        at = _coordinates(np.arange(axis.target, dtype=number), axis, self.coordinate_transformation_mode)
        if self.mode == "nearest":
            positions = ROUNDINGS[self.nearest_mode](at, axis.scale < 1).clip(0, axis.length - 1)
            result: Array = np.take(data, positions.astype(np.int64), axis.index)
        else:
            result = self._taps(axis, at).apply(data, axis.index)
        if self.coordinate_transformation_mode != "tf_crop_and_resize":
            return result
        outside = ((at < 0) | (at > axis.length - 1)).reshape([-1] + [1] * (data.ndim - 1 - axis.index))
        return np.where(outside, np.asarray(self.extrapolation_value, data.dtype), result)

    def _taps(self, axis: Resized, at: Array) -> Taps:
        """Return the positions and weights of a linear or cubic kernel around each coordinate."""
        shrink = min(axis.scale, 1.0) if self.antialias else 1.0
        first = int(np.floor(-(1 if self.mode == "linear" else 2) / shrink)) + 1
        left = np.ceil(at).astype(np.int64) - 1
        positions: Indices = left[:, None] + np.arange(first, 2 - first)
        distance = np.abs(positions - at[:, None]) * shrink
        weights = np.maximum(1 - distance, 0) if self.mode == "linear" else cubic_kernel(distance, self.cube_coeff)
        if self.antialias:
            weights = weights / weights.sum(1, keepdims=True)
        if self.exclude_outside:
            weights = np.where((positions < 0) | (positions >= axis.length), 0, weights)
            total = weights.sum(1, keepdims=True)
            weights = weights / np.where(total == 0, 1, total)
        return Taps(positions.clip(0, axis.length - 1), weights)


def _coordinates(x: Array, axis: Resized, mode: str) -> Array:
    """Return the coordinate in the input of each output position, in the type of these."""
    is_single = axis.width == 1
    if mode == "align_corners":
        return np.zeros_like(x) if is_single else x * (axis.length - 1) / (axis.width - 1)
    if mode == "tf_crop_and_resize":
        part, last = axis.last - axis.first, axis.length - 1
        steps = np.full_like(x, part * last / 2) if is_single else x * part * last / (axis.width - 1)
        return steps + axis.first * last
    if mode == "asymmetric":
        return x / axis.scale
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) / axis.scale
    if mode == "pytorch_half_pixel" and axis.target == 1:
        return np.zeros_like(x)
    moved = axis.length / 2 * (1 - axis.target / axis.width) if mode == "half_pixel_symmetric" else 0.0
    return moved + (x + 0.5) / axis.scale - 0.5
