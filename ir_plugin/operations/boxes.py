"""Boxes as rows of two corners: areas, overlaps, and the choice of boxes that do not overlap much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from ir_plugin.tensors import Array

_BLOCK = 128
"""How many boxes are held against all boxes kept so far at a time."""

_MANY_PAIRS = 2**20
"""Pairs of boxes from which on boxes that lie apart are looked for."""

_FEW_BOXES = 2 * _BLOCK
"""The fewest boxes that are put into a set of their own."""


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
    most = len(boxes) if limit is None else min(limit, len(boxes))
    if pairs is None and eta >= 1 and threshold >= 0 and len(boxes) * most > _MANY_PAIRS:
        sets = apart(boxes, margin)
        if len(sets) > 1:
            chosen = [one[suppress(boxes[one], threshold, most, margin)] for one in sets]
            return np.sort(np.concatenate(chosen))[:most]
    shares = partial(every_overlap, margin=margin) if pairs is None else pairs
    kept = np.zeros(0, np.int64)
    limits = np.zeros(0)
    for start in range(0, len(boxes), _BLOCK):
        room = len(boxes) if limit is None else limit - len(kept)
        if room <= 0:
            break
        block = np.arange(start, min(start + _BLOCK, len(boxes)))
        if kept.size:
            block = block[~(shares(boxes[kept], boxes[block]) > limits[:, None]).any(axis=0)]
        matrix = shares(boxes[block], boxes[block])
        if eta < 1 and threshold > 0.5:
            places, held = _falling(matrix, threshold, room, eta)
            threshold = held[-1] if held else threshold
        else:
            places = first_apart(as_bits(matrix > threshold), range(len(block)), room)
            held = [threshold] * len(places)
        kept, limits = np.append(kept, block[places]), np.append(limits, held)
    return kept


def apart(boxes: Array, margin: float = 0) -> list[Array]:
    """Return the places of boxes in sets, each in order, so that no box overlaps one of another set.

    The sets lie beside each other along x, as do the classes of detectors that move the boxes of each by a distance of
    its own. A set has at least `_FEW_BOXES`.
    """
    order = np.argsort(boxes[:, 0], kind="stable")
    reach = np.maximum.accumulate(boxes[order, 2])
    gaps = np.flatnonzero(boxes[order[1:], 0] >= reach[:-1] + margin) + 1
    ends = [0]
    while True:
        following = gaps[np.searchsorted(gaps, ends[-1] + _FEW_BOXES) :]
        if not following.size:
            break
        ends.append(int(following[0]))
    return [np.sort(part) for part in np.split(order, ends[1:])]


def suppress_classes(boxes: Array, scores: Array, threshold: float, limit: int, least: float) -> list[Array]:
    """Return for each row of `scores` the places of the boxes that `suppress` keeps of those of a score above `least`.

    All classes have the same boxes: where they hold enough of them, overlaps are computed once for all.
    """
    usable = scores > least
    orders = [descending(mine, allowed) for mine, allowed in zip(scores, usable, strict=True)]
    pool = np.flatnonzero(usable.any(axis=0))
    if len(orders) == 1 or len(pool) ** 2 > sum(min(len(order), limit) ** 2 for order in orders):
        return [order[suppress(boxes[order], threshold, limit)] for order in orders]
    common = boxes[pool]
    bits = [
        row
        for start in range(0, len(pool), _BLOCK)
        for row in as_bits(every_overlap(common[start : start + _BLOCK], common) > threshold)
    ]
    places = np.zeros(len(boxes), np.int64)
    places[pool] = np.arange(len(pool))
    return [pool[first_apart(bits, places[order].tolist(), limit)] for order in orders]


def as_bits(rows: Array) -> list[int]:
    """Return each row of a matrix of truth values as a whole number, whose lowest bit is the first column."""
    width = -(-rows.shape[1] // 8)
    packed = np.packbits(rows, axis=1, bitorder="little").tobytes()
    return [int.from_bytes(packed[start : start + width], "little") for start in range(0, width * len(rows), width)]


def first_apart(overlapping: Sequence[int], order: Iterable[int], limit: int) -> list[int]:
    """Return the places, in their order, that overlap none returned before, at most `limit`.

    `overlapping` has for each place the bits of those that it overlaps.
    """
    kept: list[int] = []
    gone = 0
    for place in order:
        if len(kept) >= limit:
            break
        if not gone >> place & 1:
            kept.append(place)
            gone |= overlapping[place]
    return kept


def _falling(matrix: Array, threshold: float, room: int, eta: float) -> tuple[list[int], list[float]]:
    """Return which boxes of a block are kept, given their overlaps, and the threshold that each sets for later ones."""
    alive = np.ones(len(matrix), np.bool_)
    kept: list[int] = []
    limits: list[float] = []
    for place in range(len(matrix)):
        if alive[place] and len(kept) < room:
            threshold *= eta if threshold > 0.5 else 1
            kept.append(place)
            limits.append(threshold)
            alive[place + 1 :] &= ~(matrix[place, place + 1 :] > threshold)
    return kept, limits


def every_overlap(first: Array, second: Array, margin: float = 0) -> Array:
    """Return intersection over union of all boxes [n, 4] with all others [m, 4]; 0 where the union is empty."""
    left, top, right, bottom = np.ascontiguousarray(first.T)[..., None]
    other_left, other_top, other_right, other_bottom = np.ascontiguousarray(second.T)
    common = np.minimum(right, other_right)
    common -= np.maximum(left, other_left)
    height = np.minimum(bottom, other_bottom)
    height -= np.maximum(top, other_top)
    if margin:
        common += margin
        height += margin
    np.maximum(common, 0, out=common)
    common *= np.maximum(height, 0, out=height)
    union = np.add(areas(first, margin)[:, None], areas(second, margin), out=height)
    union -= common
    filled = union > 0
    if not filled.all():
        common[~filled], union[~filled] = 0, 1
    share: Array = np.divide(common, union, out=common)
    return share
