"""Boxes as rows of two corners: areas, overlaps, and the choice of boxes that do not overlap much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array


def descending(scores: Array) -> Array:
    """Return the places of the scores from the highest on, of equal ones the first first."""
    return np.argsort(-scores, kind="stable")


def areas(boxes: Array, margin: float = 0) -> Array:
    """Return the areas of boxes (..., 4); `margin` is what a box is wider than its corners are apart."""
    sides = boxes[..., 2:] - boxes[..., :2] + margin
    return np.where((sides < 0).any(axis=-1), 0, sides.prod(axis=-1))


def overlaps(box: Array, boxes: Array, margin: float = 0) -> Array:
    """Return intersection over union of boxes with others (both broadcast); 0 where the union is empty."""
    corners = np.minimum(box[..., 2:], boxes[..., 2:]) - np.maximum(box[..., :2], boxes[..., :2])
    common = np.maximum(corners + margin, 0).prod(axis=-1)
    union = areas(box, margin) + areas(boxes, margin) - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0)


def suppress(
    boxes: Array,
    threshold: float,
    limit: int | None = None,
    margin: float = 0,
    eta: float = 1,
    shared: Callable[[Array, Array], Array] | None = None,
) -> Array:
    """Return the places of the boxes that overlap none kept before them by more than `threshold`, at most `limit`.

    The boxes come from the best to the worst. An `eta` below 1 lowers a threshold above 0.5 with each box that is
    kept; `shared` computes intersection over union of a box with others, if `overlaps` is not what is meant.
    """
    alive = np.arange(len(boxes))
    kept: list[int] = []
    while alive.size and (limit is None or len(kept) < limit):
        first, alive = int(alive[0]), alive[1:]
        kept.append(first)
        if eta < 1 and threshold > 0.5:
            threshold *= eta
        others = boxes[alive]
        shares = overlaps(boxes[first], others, margin) if shared is None else shared(boxes[first], others)
        alive = alive[~(shares > threshold)]
    return np.array(kept, np.int64)
