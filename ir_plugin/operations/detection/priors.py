"""Inputs, grid of cells and output of PriorBox and PriorBoxClustered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_departure, require_type
from ir_plugin.operations.shapes import require_rank, values_of
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


def infer(output_size: TensorInfo, image_size: TensorInfo | None, variance: Sequence[float], priors: int) -> TensorInfo:
    """Return the shape of `priors` boxes and their variances for each cell of a grid."""
    if image_size is None:
        raise ShapeError("image_size", "image_size is not connected; boxes cannot be scaled to the image without it")
    for name, tensor in (("output_size", output_size), ("image_size", image_size)):
        require_type(name, tensor, "integer")
        require_rank(name, tensor.shape, 1)
        count = Dimension() if tensor.shape.dims is None else tensor.shape[0]
        if not count.contains(2) and (name == "output_size" or count.upper < 2):
            raise ShapeError(name, f"{name} has the shape {tensor.shape}; it must hold a height and a width")
        if not count.contains(2):
            note_departure(name, f"{name} has the shape {tensor.shape}; the specification wants a height and a width")
    if len(variance) not in (0, 1, 4):
        raise ShapeError("variance", f"variance has {len(variance)} values; it must have 0, 1 or 4")
    size = values_of(output_size)
    if size is not None and min(size) < 0:
        raise ShapeError("output_size", f"output_size is {list(size)}; it must not be negative")
    return TensorInfo(ElementType.f32, [2, Dimension() if size is None else Dimension(4 * size[0] * size[1] * priors)])


def centers(count: int, step: float, offset: float) -> Array:
    """Return the centers of the cells along one axis."""
    return (np.arange(count) + offset) * step


def boxes(x: Array, y: Array, sizes: Array, shifts: Array, image: Array, clip: bool) -> Array:
    """Return the corners of boxes of given sizes (n, 2) around all cells, shifted, in units of the image."""
    grid = np.stack(np.meshgrid(x, y), axis=-1)[:, :, None, :] + shifts
    height, width = image[:2].tolist()
    corners = np.concatenate([grid - sizes / 2, grid + sizes / 2], axis=-1) / [width, height, width, height]
    result: Array = corners.clip(0, 1) if clip else corners
    return result


def output(corners: Array, variance: Sequence[float]) -> Array:
    """Return two rows: all corners, and the variances of each box, by default 0.1."""
    variances = np.resize(variance or [0.1], 4)
    return np.stack([corners.reshape(-1), np.tile(variances, corners.size // 4)])
