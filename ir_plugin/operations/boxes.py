"""Boxes as rows of two corners: areas, intersection over union, and non-maximum suppression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array

_BLOCK = 128
"""Boxes that are compared with all selected boxes at a time."""

_MANY_PAIRS = 2**20
"""The fewest pairs of boxes for which `apart` looks for disjoint sets."""

_FEW_BOXES = 2 * _BLOCK
"""The fewest boxes of a disjoint set."""

_MANY_SCORES = 1000
"""The fewest scores that are sorted as 64-bit keys: NumPy vectorizes that sort, but no stable one."""


@dataclass(frozen=True)
class Rule:
    """Which boxes are selected: those that overlap no box selected before by more than `threshold`, at most `limit`.

    An `eta` below 1 multiplies a threshold above 0.5 with each selected box; `margin` is added to widths and heights.
    """

    threshold: float
    limit: int | None = None
    margin: float = 0
    eta: float = 1

    def limit_of(self, count: int) -> int:
        """Return how many of `count` boxes may be selected."""
        return count if self.limit is None else min(self.limit, count)


def descending(scores: Array, usable: Array | None = None) -> Array:
    """Return the positions of the (usable) scores from the highest to the lowest; equal ones keep their order.

    NaN comes last.
    """
    if usable is not None:
        positions = np.flatnonzero(usable)
        return positions[descending(scores[positions])]
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
    """Return the areas of boxes (..., 4); `margin` is added to widths and heights."""
    width = boxes[..., 2] - boxes[..., 0] + margin
    height = boxes[..., 3] - boxes[..., 1] + margin
    area: Array = np.maximum(width, 0) * np.maximum(height, 0)
    return area


def overlaps(box: Array, boxes: Array, margin: float = 0) -> Array:
    """Return intersection over union of `box` and `boxes`, which are broadcast; 0 where the union is empty."""
    width = np.minimum(box[..., 2], boxes[..., 2]) - np.maximum(box[..., 0], boxes[..., 0]) + margin
    height = np.minimum(box[..., 3], boxes[..., 3]) - np.maximum(box[..., 1], boxes[..., 1]) + margin
    common = np.maximum(width, 0) * np.maximum(height, 0)
    union = areas(box, margin) + areas(boxes, margin) - common
    share: Array = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return share


def suppress(boxes: Array, rule: Rule, pairs: Callable[[Array, Array], Array] | None = None) -> Array:
    """Return the positions of the selected boxes; `boxes` are sorted from the best to the worst.

    `pairs` computes the pairwise intersection over union; by default boxes are given by two corners.
    """
    if pairs is None:
        sets = apart(boxes, rule)
        if len(sets) > 1:
            return joined(sets, [suppress(boxes[members], rule) for members in sets], rule)
    shares = partial(pairwise_overlaps, margin=rule.margin) if pairs is None else pairs
    most, threshold = rule.limit_of(len(boxes)), rule.threshold
    selected = np.zeros(0, np.int64)
    limits = np.zeros(0, boxes.dtype)
    for start in range(0, len(boxes), _BLOCK):
        room = most - len(selected)
        if room <= 0:
            break
        block = np.arange(start, min(start + _BLOCK, len(boxes)))
        if selected.size:
            block = block[~(shares(boxes[selected], boxes[block]) > limits[:, None]).any(axis=0)]
        matrix = shares(boxes[block], boxes[block])
        if rule.eta < 1 and threshold > 0.5:
            positions, thresholds = _suppress_adaptively(matrix, threshold, room, rule.eta)
            threshold = thresholds[-1] if thresholds else threshold
        else:
            positions = first_apart(as_bits(matrix > threshold), range(len(block)), room)
            thresholds = [threshold] * len(positions)
        selected, limits = np.append(selected, block[positions]), np.append(limits, np.array(thresholds, boxes.dtype))
    return selected


def apart(boxes: Array, rule: Rule) -> list[Array]:
    """Return the positions of boxes in sets, each in order, so that no box overlaps one of another set.

    The sets are disjoint along x, as in detectors that shift the boxes of each class by its own distance. A set has at
    least `_FEW_BOXES` boxes; few pairs of boxes make a single set.
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


def joined(sets: Sequence[Array], selected: Sequence[Array], rule: Rule) -> Array:
    """Return the positions of the boxes that are selected from all sets, given their positions in each set."""
    positions = np.sort(np.concatenate([members[chosen] for members, chosen in zip(sets, selected, strict=True)]))
    return positions[: rule.limit]


def suppress_classes(boxes: Array, scores: Array, usable: Array, rule: Rule, most: int | None = None) -> list[Array]:
    """Return for each row of `scores` the positions of the boxes that are selected from its best `most` usable ones.

    All classes share the boxes: where their limits are large enough, overlaps are computed once for all classes.
    """
    orders = [
        descending(class_scores, is_usable)[:most] for class_scores, is_usable in zip(scores, usable, strict=True)
    ]
    pool = np.flatnonzero(usable.any(axis=0))
    shared = sum(rule.limit_of(len(order)) ** 2 for order in orders)
    if len(orders) == 1 or rule.eta < 1 or len(pool) ** 2 > shared:
        return [order[suppress(boxes[order], rule)] for order in orders]
    common = boxes[pool]
    bits = [
        row
        for start in range(0, len(pool), _BLOCK)
        for row in as_bits(pairwise_overlaps(common[start : start + _BLOCK], common, rule.margin) > rule.threshold)
    ]
    pool_positions = np.zeros(len(boxes), np.int64)
    pool_positions[pool] = np.arange(len(pool))
    return [pool[first_apart(bits, pool_positions[order].tolist(), rule.limit_of(len(order)))] for order in orders]


class Suppression:
    """How an operation selects boxes; the compiler may bind a faster implementation with equal results."""

    def among(self, boxes: Array, rule: Rule) -> Array:
        """Return the result of `suppress`."""
        return suppress(boxes, rule)

    def of_classes(
        self, boxes: Array, scores: Array, usable: Array, rule: Rule, most: int | None = None
    ) -> list[Array]:
        """Return the result of `suppress_classes`."""
        return suppress_classes(boxes, scores, usable, rule, most)


class Suppressing(Operation):
    """An operation with non-maximum suppression."""

    suppression = Suppression()
    """The loops that select the boxes; the compiler binds faster ones."""

    def best(self, boxes: Array, scores: Array, most: int, rule: Rule) -> Array:
        """Return the positions of the boxes that are selected from the `most` with the highest scores."""
        order = descending(scores)[:most]
        return order[self.suppression.among(boxes[order], rule)]


def as_bits(rows: Array) -> list[int]:
    """Return each row of a boolean matrix as an integer whose lowest bit is the first column."""
    width = -(-rows.shape[1] // 8)
    packed = np.packbits(rows, axis=1, bitorder="little").tobytes()
    return [int.from_bytes(packed[width * row : width * (row + 1)], "little") for row in range(len(rows))]


def first_apart(overlapping: Sequence[int], order: Iterable[int], limit: int) -> list[int]:
    """Return the positions, in their order, that overlap no position returned before, at most `limit`.

    `overlapping` has for each position the bits of those that it overlaps.
    """
    selected: list[int] = []
    suppressed = 0
    for position in order:
        if len(selected) >= limit:
            break
        if not suppressed >> position & 1:
            selected.append(position)
            suppressed |= overlapping[position]
    return selected


def _suppress_adaptively(matrix: Array, threshold: float, room: int, eta: float) -> tuple[list[int], list[float]]:
    """Return the selected boxes of a block, given their overlaps, and the threshold that each sets for later ones."""
    alive = np.ones(len(matrix), np.bool_)
    selected: list[int] = []
    limits: list[float] = []
    for position in range(len(matrix)):
        if alive[position] and len(selected) < room:
            threshold *= eta if threshold > 0.5 else 1
            selected.append(position)
            limits.append(threshold)
            alive[position + 1 :] &= ~(matrix[position, position + 1 :] > threshold)
    return selected, limits


def pairwise_overlaps(first: Array, second: Array, margin: float = 0) -> Array:
    """Return intersection over union of all boxes [n, 4] with all boxes [m, 4]; 0 where the union is empty."""
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
