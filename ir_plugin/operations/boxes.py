"""Boxes as rows of two corners: areas, overlaps, and the choice of boxes that do not overlap much."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ir_plugin.tensors import Array

_BLOCK = 192
"""How many boxes are held against all boxes kept so far at a time."""


def descending(scores: Array, usable: Array | None = None) -> Array:
    """Return the places of the scores (of those that are usable) from the highest on, of equal ones the first first."""
    if usable is None:
        return np.argsort(-scores, kind="stable")
    places = np.flatnonzero(usable)
    return places[np.argsort(-scores[places], kind="stable")]


def areas(boxes: Array, margin: float = 0) -> Array:
    """Return the areas of boxes (..., 4); `margin` is what a box is wider than its corners are apart."""
    width = boxes[..., 2] - boxes[..., 0] + margin
    height = boxes[..., 3] - boxes[..., 1] + margin
    area: Array = np.maximum(width, 0) * np.maximum(height, 0)
    return area


def overlaps(box: Array, boxes: Array, margin: float = 0) -> Array:
    """Return intersection over union of boxes with others (both broadcast); 0 where the union is empty."""
    width = np.minimum(box[..., 2], boxes[..., 2]) - np.maximum(box[..., 0], boxes[..., 0]) + margin
    height = np.minimum(box[..., 3], boxes[..., 3]) - np.maximum(box[..., 1], boxes[..., 1]) + margin
    common = np.maximum(width, 0) * np.maximum(height, 0)
    union = areas(box, margin) + areas(boxes, margin) - common
    share: Array = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return share


def suppress(
    boxes: Array,
    threshold: float,
    limit: int | None = None,
    margin: float = 0,
    eta: float = 1,
    pairs: Callable[[Array, Array], Array] | None = None,
) -> Array:
    """Return the places of the boxes that overlap none kept before them by more than `threshold`, at most `limit`.

    The boxes come from the best to the worst. An `eta` below 1 lowers a threshold above 0.5 with each box that is
    kept; `pairs` computes intersection over union of all boxes with all others, if that of corners is not meant.
    """
    shares = partial(_pairs, margin=margin) if pairs is None else pairs
    kept = np.zeros(0, np.int64)
    limits = np.zeros(0)
    for start in range(0, len(boxes), _BLOCK):
        room = len(boxes) if limit is None else limit - len(kept)
        if room <= 0:
            break
        block = np.arange(start, min(start + _BLOCK, len(boxes)))
        if kept.size:
            block = block[~(shares(boxes[kept], boxes[block]) > limits[:, None]).any(axis=0)]
        places, held = _chosen(shares(boxes[block], boxes[block]), threshold, room, eta)
        kept, limits = np.append(kept, block[places]), np.append(limits, held)
        threshold = held[-1] if held else threshold
    return kept


def _chosen(matrix: Array, threshold: float, room: int, eta: float) -> tuple[list[int], list[float]]:
    """Return which boxes of a block are kept, given their overlaps, and the threshold that each sets for later ones."""
    alive = np.ones(len(matrix), np.bool_)
    kept: list[int] = []
    limits: list[float] = []
    for place in range(len(matrix)):
        if alive[place] and len(kept) < room:
            threshold *= eta if eta < 1 and threshold > 0.5 else 1
            kept.append(place)
            limits.append(threshold)
            alive[place + 1 :] &= ~(matrix[place, place + 1 :] > threshold)
    return kept, limits


def _pairs(first: Array, second: Array, margin: float) -> Array:
    """Return intersection over union of all boxes with all others."""
    return overlaps(first[:, None], second, margin)
