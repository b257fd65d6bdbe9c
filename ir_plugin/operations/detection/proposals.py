"""Anchors that proposal generators move by deltas, clip to the image and filter by size; checks of their inputs."""

from __future__ import annotations

from math import log

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import merge_types, note_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, ElementType, TensorInfo

LARGEST_LOG = log(1000 / 16)
"""The largest logarithm of a factor by which an anchor grows."""


def common_type(inputs: dict[str, tuple[TensorInfo, int]]) -> ElementType:
    """Return the floating-point type of all tensors, after checking their ranks."""
    check_ranks(inputs)
    for name, (tensor, _) in inputs.items():
        require_type(name, tensor, "float")
    return merge_types(*(tensor for tensor, _ in inputs.values()))


def first_type(ranked: dict[str, tuple[TensorInfo, int]], *accepted: str) -> ElementType:
    """Return the type of the first tensor after checking all ranks; note what is not of one floating-point type."""
    check_ranks(ranked)
    return note_types({name: tensor for name, (tensor, _) in ranked.items()}, "float", accepted=accepted)


def check_ranks(ranked: dict[str, tuple[TensorInfo, int]]) -> None:
    """Raise unless the tensors have these ranks."""
    for name, (tensor, rank) in ranked.items():
        require_rank(name, tensor.shape, rank)


def require_equal(part: str, what: str, *dimensions: tuple[TensorInfo, int, int]) -> None:
    """Raise unless dimensions (of a tensor, at an axis, divided by a number) are equal where they are known."""
    first: int | None = None
    for tensor, axis, divisor in dimensions:
        if tensor.shape.dims is None or tensor.shape[axis].is_dynamic:
            continue
        length = tensor.shape[axis].lower
        if length % divisor or (first is not None and length // divisor != first):
            shapes = ", ".join(str(tensor.shape) for tensor, _, _ in dimensions)
            raise ShapeError(part, f"the shapes {shapes} differ in {what}")
        first = length // divisor


def require_counts(**counts: int) -> None:
    """Raise where a count is not positive."""
    for name, count in counts.items():
        if count < 1:
            raise ShapeError(name, f"{name} is {count}; it must be positive")


def by_anchor(maps: Array, width: int) -> Array:
    """Return maps (anchors · width, H, W) as rows of `width` numbers: rows of pixels, pixels, anchors."""
    result: Array = maps.reshape(-1, width, *maps.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, width)
    return result


def moved(boxes: Array, deltas: Array, margin: float, largest_log: float = LARGEST_LOG) -> Array:
    """Return boxes whose centers moved by a share of their size, and whose sizes grew by exp(delta).

    `margin` is added to widths and heights.
    """
    sizes = boxes[:, 2:] - boxes[:, :2] + margin
    centers = boxes[:, :2] + sizes / 2 + deltas[:, :2] * sizes
    half = np.exp(np.minimum(deltas[:, 2:], largest_log)) * sizes / 2
    return np.concatenate([centers - half, centers + half - margin], axis=1)


def cut(boxes: Array, width: float, height: float) -> Array:
    """Return the boxes cut to [0, width] and [0, height]."""
    return np.clip(boxes, 0, np.array([width, height, width, height], boxes.dtype))


def large(boxes: Array, least: Array, margin: float) -> Array:
    """Return which boxes have at least the sides `least` (width, height)."""
    sizes = boxes[:, 2:] - boxes[:, :2] + margin
    return np.asarray((sizes >= least).all(axis=1))
