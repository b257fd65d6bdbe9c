"""Pooling of regions of interest: checks, the shape of the output, and bilinear samples on a grid."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.memory import require
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


def check(data: TensorInfo, rois: TensorInfo, length: int, pooled: tuple[int, int], scale: float) -> None:
    """Raise unless data are feature maps, rois rows of `length` numbers, and the attributes positive."""
    for name, tensor in (("data", data), ("rois", rois)):
        require_type(name, tensor, "float")
    merge_types(data, rois, part="rois")
    check_shapes(data, rois, length, pooled, scale)


def check_shapes(data: TensorInfo, rois: TensorInfo, length: int, pooled: tuple[int, int], scale: float) -> None:
    """Raise unless data is [N, C, H, W], rois is [rows, `length`], and the pooled size and the scale are positive."""
    require_rank("data", data.shape, 4)
    require_rank("rois", rois.shape, 2)
    if rois.shape.dims is not None and not rois.shape[1].compatible(length):
        raise ShapeError("rois", f"rois has the shape {rois.shape}; its second dimension must be {length}")
    for name, value in (("pooled_h", pooled[0]), ("pooled_w", pooled[1]), ("spatial_scale", scale)):
        if value <= 0:
            raise ShapeError(name, f"{name} is {value}; it must be positive")


def check_scale(scale: float) -> None:
    """Raise unless a scale is positive and finite."""
    if not 0 < scale < inf:
        raise ShapeError("spatial_scale", f"spatial_scale is {scale}; it must be positive and finite")


def check_indices(rois: TensorInfo, batch_indices: TensorInfo) -> Dimension:
    """Raise unless there is one whole number for each roi; return how many rois there are."""
    require_type("batch_indices", batch_indices, "integer")
    require_rank("batch_indices", batch_indices.shape, 1)
    merged = rois.shape[0].merge(batch_indices.shape[0])
    if merged is None:
        raise ShapeError("batch_indices", f"batch_indices {batch_indices.shape} and rois {rois.shape} differ in length")
    return merged


class RoiPooling(Operation):
    """The base of alignments of rois: rows of `roi_numbers`, with an image number each."""

    roi_numbers: ClassVar[int] = 4

    pooled_h: int
    pooled_w: int
    sampling_ratio: int
    spatial_scale: float

    def infer(self, data: TensorInfo, rois: TensorInfo, batch_indices: TensorInfo) -> TensorInfo:
        """Return [rois, C, pooled_h, pooled_w]."""
        check(data, rois, self.roi_numbers, (self.pooled_h, self.pooled_w), self.spatial_scale)
        if self.sampling_ratio < 0:
            raise ShapeError("sampling_ratio", f"sampling_ratio is {self.sampling_ratio}; it must not be negative")
        return pooled_tensor(data, check_indices(rois, batch_indices), self.pooled_h, self.pooled_w)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the batch indices."""
        return {2: Range.below(inputs.length(0, 0))}


def pooled_tensor(data: TensorInfo, count: Dimension, height: int, width: int) -> TensorInfo:
    """Return the output's shape, [count, channels, height, width], with the type of `data`."""
    return data.with_shape(PartialShape([count, data.shape[1], height, width]))


def images(column: Array, batches: int, name: str) -> Array:
    """Return the image numbers of the rois, after checking that there are such images."""
    if column.dtype.kind == "f":
        if not np.isfinite(column).all():
            raise EvaluationError(f"{name} has an image number that is not finite")
        column = column.astype(np.int64)
    require_inside(column, 0, batches - 1, name)
    return column.astype(np.int64)


def neighbours(points: Array, length: int) -> tuple[Array, Array, Array]:
    """Return the positions before and after points on an axis, cut to its ends, and the share of the latter."""
    points = np.clip(points, 0, max(length - 1, 0))
    lower = points.astype(np.int64)
    return lower, np.minimum(lower + 1, length - 1), points - lower


def bilinear(planes: Array, chosen: tuple[Array, ...], y: Array, x: Array) -> Array:
    """Return interpolated values of planes [..., H, W, channels] at points, which are cut to the edges.

    `chosen` are indices of the leading dimensions, which broadcast with `y` and `x`; channels come last.
    """
    top, bottom, low = neighbours(y, planes.shape[-3])
    left, right, far = neighbours(x, planes.shape[-2])
    low, far = low.astype(planes.dtype)[..., None], far.astype(planes.dtype)[..., None]
    rows = []
    for row in (top, bottom):
        before, after = (*chosen, row, left), (*chosen, row, right)
        rows.append(planes[before] * (1 - far) + planes[after] * far)
    result: Array = rows[0] * (1 - low) + rows[1] * low
    return result


def weights(points: Array, length: int) -> Array:
    """Return a matrix (points, length) that interpolates linearly; zeros for points in front of -1 or past the end."""
    lower, upper, share = neighbours(points, length)
    share = np.where((points < -1) | (points > length), np.nan, share)
    matrix = np.zeros((points.size, length))
    rows = np.arange(points.size)
    matrix[rows, lower] = np.nan_to_num(1 - share)
    matrix[rows, upper] += np.nan_to_num(share)
    return matrix


def applied(features: Array, rows: Array, columns: Array) -> Array:
    """Return `rows · features · columnsᵀ` for each channel, from the part of the features that has weights."""
    top, bottom = _span(rows)
    left, right = _span(columns)
    part = np.ascontiguousarray(features[:, top:bottom, left:right])
    before = rows[:, top:bottom].astype(features.dtype)
    after = np.ascontiguousarray(columns[:, left:right].T, features.dtype)
    return _between(before, part, after)


def applied_each(planes: Array, rows: Array, columns: Array) -> Array:
    """Return row i of `rows` · plane (c, i, j) · row j of `columns` for each of the planes (c, i, j, H, W)."""
    top, bottom = _span(rows)
    left, right = _span(columns)
    part = np.ascontiguousarray(planes[..., top:bottom, left:right])
    before = rows[:, top:bottom].astype(planes.dtype)[:, None, None, :]
    after = columns[:, left:right].astype(planes.dtype)[:, :, None]
    return _between(before, part, after)[..., 0, 0]


def _between(rows: Array, part: Array, columns: Array) -> Array:
    """Return `rows · part · columns`; NaN and infinities reach only what has a weight for them."""
    is_finite = np.isfinite(part)
    if is_finite.all():
        return np.asarray(np.matmul(np.matmul(rows, part), columns))
    result = np.matmul(np.matmul(rows, np.where(is_finite, part, part.dtype.type(0))), columns)
    across, down = (columns != 0).astype(np.float32), (rows != 0).astype(np.float32)
    for value, is_value in ((np.nan, np.isnan(part)), (np.inf, part == np.inf), (-np.inf, part == -np.inf)):
        reached = np.matmul(np.matmul(down, is_value.astype(np.float32)), across) > 0
        with np.errstate(invalid="ignore"):
            result[reached] += part.dtype.type(value)
    return np.asarray(result)


def scaled_pixels(box: Array, scale: float) -> Array:
    """Return the scaled left, top, right and bottom of a box that includes its rounded corner pixels."""
    rounded = np.trunc(box + np.copysign(0.5, box)).astype(np.float64)
    result: Array = (rounded + np.array([0, 0, 1, 1])) * scale
    return result


def grid(first: np.floating[Any], last: np.floating[Any], extent: np.floating[Any], count: int, length: int) -> Array:
    """Return the weights of `count` points from a fraction of an axis over an extent; none for those outside.

    A single point lies in the middle. The points are computed in the type of the corners, as finer rounding could move
    a point on the edge outside.
    """
    kind = type(first)
    size = kind(length - 1)
    if count > 1:
        points = np.arange(count, dtype=kind) * (extent * size / kind(count - 1)) + first * size
    else:
        points = np.array([(first + last) * size / kind(2)])
    matrix = weights(points, length)
    matrix[(points < 0) | (points > length - 1)] = 0
    return matrix


def _span(matrix: Array) -> tuple[int, int]:
    used = np.flatnonzero(matrix.any(axis=0))
    return (int(used[0]), int(used[-1]) + 1) if used.size else (0, 0)


def align(features: Array, corner: Array, sizes: Array, pooled: tuple[int, int], ratio: int, largest: bool) -> Array:
    """Return the mean, or the largest and 0, of regular samples in each of the bins of a box; all pairs are (y, x)."""
    points: list[Array] = []
    counts: list[int] = []
    for axis in (0, 1):
        count = ratio or max(int(np.ceil(sizes[axis] / pooled[axis])), 0)
        require("the weights of a box's samples", [pooled[axis] * count, features.shape[1 + axis]], 8)
        centers = (np.arange(pooled[axis] * count) + 0.5) / max(count, 1)
        points.append(corner[axis] + centers * (sizes[axis] / pooled[axis]))
        counts.append(count)
    if 0 in counts:
        return np.zeros((len(features), *pooled), features.dtype)
    if largest or not np.isfinite(features).all():
        samples = _samples(features, *points)
        bins = samples.reshape(len(features), pooled[0], counts[0], pooled[1], counts[1])
        return np.asarray(np.fmax.reduce(bins, axis=(2, 4), initial=0) if largest else bins.mean(axis=(2, 4)))
    means = [
        weights(centers, length).reshape(bins, count, length).mean(axis=1)
        for centers, length, bins, count in zip(points, features.shape[1:], pooled, counts, strict=True)
    ]
    return applied(features, *means)


def _samples(features: Array, y: Array, x: Array) -> Array:
    """Return interpolated values of maps (c, H, W) at all pairs of points; zeros for points outside."""
    if np.isfinite(features).all():
        return applied(features, weights(y, features.shape[1]), weights(x, features.shape[2]))
    total = np.zeros((len(features), y.size, x.size), features.dtype)
    for rows, down in _taps(y, features.shape[1]):
        for columns, across in _taps(x, features.shape[2]):
            total += features[:, rows][:, :, columns] * np.outer(down, across).astype(features.dtype)
    total[:, ~_are_inside(y, features.shape[1])] = 0
    total[:, :, ~_are_inside(x, features.shape[2])] = 0
    return total


def _are_inside(points: Array, length: int) -> Array:
    return np.asarray((points >= -1) & (points <= length))


def _taps(points: Array, length: int) -> list[tuple[Array, Array]]:
    """Return the pixels before and after each point of an axis, and their weights, 0 for points outside."""
    lower, upper, share = neighbours(points, length)
    inside = _are_inside(points, length)
    return [(lower, (1 - share) * inside), (upper, share * inside)]


class Boxes(NamedTuple):
    """Boxes to pool: the number of the image of each, and its corner and size as pairs (y, x), in pixels of the map."""

    images: Array
    corners: Array
    sizes: Array


class Aligner:
    """How ROIAlign pools boxes; the compiler may bind a faster implementation."""

    def align(self, data: Array, boxes: Boxes, pooled: tuple[int, int], ratio: int, largest: bool) -> Array:
        """Return the bins [boxes, C, rows, columns] of boxes of maps [N, C, H, W]."""
        result = np.empty((len(boxes.images), data.shape[1], *pooled), data.dtype)
        for box, (image, corner, size) in enumerate(zip(*boxes, strict=True)):
            result[box] = align(data[image], corner, size, pooled, ratio, largest)
        return result


def align_products(features: Array, corner: Array, sizes: Array, pooled: tuple[int, int], ratio: int) -> Array:
    """Return the largest product of a pixel and its weight in each of the bins of a box; all pairs are (y, x)."""
    taps = []
    counts = [ratio or max(int(np.ceil(sizes[axis] / pooled[axis])), 0) for axis in (0, 1)]
    if 0 in counts:
        return np.zeros((len(features), *pooled), features.dtype)
    require("the samples of a box", [len(features), *(n * count for n, count in zip(pooled, counts, strict=True))], 8)
    for axis, count in enumerate(counts):
        centers = (np.arange(pooled[axis] * count) + 0.5) / count
        taps.append(_taps(corner[axis] + centers * (sizes[axis] / pooled[axis]), features.shape[1 + axis]))
    products = [
        features[:, rows][:, :, columns] * np.outer(down, across).astype(features.dtype)
        for rows, down in taps[0]
        for columns, across in taps[1]
    ]
    largest = np.maximum.reduce(products)
    bins = largest.reshape(len(features), pooled[0], counts[0], pooled[1], counts[1])
    return np.asarray(bins.max(axis=(2, 4)))
