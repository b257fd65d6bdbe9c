"""Boxes as rows of two corners: areas, overlaps, and the choice of boxes that do not overlap much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array

_BLOCK = 128
"""How many boxes are held against all boxes kept so far at a time."""

_MANY_PAIRS = 2**20
"""Pairs of boxes from which on boxes that lie apart are looked for."""

_FEW_BOXES = 2 * _BLOCK
"""The fewest boxes that are put into a set of their own."""

_MANY_SCORES = 1000
"""Scores from which on numbers of 64 bits are sorted instead: NumPy has vectors for them, and none for `stable`."""


@dataclass(frozen=True)
class Rule:
    """Which boxes are kept: those that overlap none kept before them by more than `threshold`, at most `limit`.

    An `eta` below 1 lowers a threshold above 0.5 with each box that is kept; `margin` is what a box is wider than its
    corners are apart.
    """

    threshold: float
    limit: int | None = None
    margin: float = 0
    eta: float = 1

    def limit_of(self, count: int) -> int:
        """Return how many of so many boxes may be kept."""
        return count if self.limit is None else min(self.limit, count)


def descending(scores: Array, usable: Array | None = None) -> Array:
    """Return the places of the scores (of those that are usable) from the highest on, of equal ones the first first.

    What is no number comes last.
    """
    if usable is not None:
        places = np.flatnonzero(usable)
        return places[descending(scores[places])]
    if scores.dtype != np.float32 or not _MANY_SCORES <= len(scores) < 2**31:
        return np.argsort(-scores, kind="stable")
    keys = (0 - scores).view(np.int32)
    keys ^= keys >> 31 & 0x7FFFFFFF
    keys[np.isnan(scores)] = 0x7FFFFFFF
    ranked = keys.astype(np.int64) << 32
    ranked |= np.arange(len(scores))
    ranked.sort()
    ranked &= 0xFFFFFFFF
    return ranked


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


def suppress(boxes: Array, rule: Rule, pairs: Callable[[Array, Array], Array] | None = None) -> Array:
    """Return the places of the boxes that are kept, which come from the best to the worst.

    `pairs` computes intersection over union of all boxes with all others, if that of corners is not meant.
    """
    if pairs is None:
        sets = apart(boxes, rule)
        if len(sets) > 1:
            return joined(sets, [suppress(boxes[one], rule) for one in sets], rule)
    shares = partial(every_overlap, margin=rule.margin) if pairs is None else pairs
    most, threshold = rule.limit_of(len(boxes)), rule.threshold
    kept = np.zeros(0, np.int64)
    limits = np.zeros(0, boxes.dtype)
    for start in range(0, len(boxes), _BLOCK):
        room = most - len(kept)
        if room <= 0:
            break
        block = np.arange(start, min(start + _BLOCK, len(boxes)))
        if kept.size:
            block = block[~(shares(boxes[kept], boxes[block]) > limits[:, None]).any(axis=0)]
        matrix = shares(boxes[block], boxes[block])
        if rule.eta < 1 and threshold > 0.5:
            places, held = _falling(matrix, threshold, room, rule.eta)
            threshold = held[-1] if held else threshold
        else:
            places = first_apart(as_bits(matrix > threshold), range(len(block)), room)
            held = [threshold] * len(places)
        kept, limits = np.append(kept, block[places]), np.append(limits, np.array(held, boxes.dtype))
    return kept


def apart(boxes: Array, rule: Rule) -> list[Array]:
    """Return the places of boxes in sets, each in order, so that no box overlaps one of another set.

    The sets lie beside each other along x, as do the classes of detectors that move the boxes of each by a distance of
    its own. A set has at least `_FEW_BOXES`; where there are few pairs of boxes there is one set.
    """
    if rule.eta < 1 or rule.threshold < 0 or len(boxes) * rule.limit_of(len(boxes)) <= _MANY_PAIRS:
        return [np.arange(len(boxes))]
    order = np.argsort(boxes[:, 0], kind="stable")
    reach = np.maximum.accumulate(boxes[order, 2])
    gaps = np.flatnonzero(boxes[order[1:], 0] >= reach[:-1] + rule.margin) + 1
    ends = [0]
    while True:
        following = gaps[np.searchsorted(gaps, ends[-1] + _FEW_BOXES) :]
        if not following.size:
            break
        ends.append(int(following[0]))
    return [np.sort(part) for part in np.split(order, ends[1:])]


def joined(sets: Sequence[Array], kept: Sequence[Array], rule: Rule) -> Array:
    """Return the places of the boxes that are kept of all sets, given their places in each."""
    places = np.sort(np.concatenate([one[mine] for one, mine in zip(sets, kept, strict=True)]))
    return places[: rule.limit]


def suppress_classes(boxes: Array, scores: Array, usable: Array, rule: Rule, most: int | None = None) -> list[Array]:
    """Return for each row of `scores` the places of the boxes that are kept of its best `most` usable ones.

    All classes have the same boxes: where they hold enough of them, overlaps are computed once for all.
    """
    orders = [descending(mine, allowed)[:most] for mine, allowed in zip(scores, usable, strict=True)]
    pool = np.flatnonzero(usable.any(axis=0))
    shared = sum(rule.limit_of(len(order)) ** 2 for order in orders)
    if len(orders) == 1 or rule.eta < 1 or len(pool) ** 2 > shared:
        return [order[suppress(boxes[order], rule)] for order in orders]
    common = boxes[pool]
    bits = [
        row
        for start in range(0, len(pool), _BLOCK)
        for row in as_bits(every_overlap(common[start : start + _BLOCK], common, rule.margin) > rule.threshold)
    ]
    places = np.zeros(len(boxes), np.int64)
    places[pool] = np.arange(len(pool))
    return [pool[first_apart(bits, places[order].tolist(), rule.limit_of(len(order)))] for order in orders]


class Suppression:
    """How an operation chooses boxes; a plan may put a faster one in its place, which gives the same."""

    def among(self, boxes: Array, rule: Rule) -> Array:
        """Return what `suppress` does."""
        return suppress(boxes, rule)

    def of_classes(
        self, boxes: Array, scores: Array, usable: Array, rule: Rule, most: int | None = None
    ) -> list[Array]:
        """Return what `suppress_classes` does."""
        return suppress_classes(boxes, scores, usable, rule, most)


class Suppressing(Operation):
    """An operation that chooses boxes which do not overlap much."""

    suppression = Suppression()
    """The loops that choose the boxes: a compiler binds faster ones to an operation."""

    def best(self, boxes: Array, scores: Array, most: int, rule: Rule) -> Array:
        """Return the places of the boxes that are kept of the `most` with the highest scores."""
        order = descending(scores)[:most]
        return order[self.suppression.among(boxes[order], rule)]


def as_bits(rows: Array) -> list[int]:
    """Return each row of a matrix of truth values as a whole number, whose lowest bit is the first column."""
    width = -(-rows.shape[1] // 8)
    packed = np.packbits(rows, axis=1, bitorder="little").tobytes()
    return [int.from_bytes(packed[width * row : width * (row + 1)], "little") for row in range(len(rows))]


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
