"""Non-maximum suppression by loops: boxes are sorted by their scores, and each is compared with those kept.

Sums and quotients are computed as in `operations.boxes`, in its order, so that the same boxes are kept. Rare cases
(NaN areas, negative or falling thresholds) are left to it. `python -m benchmarks.run boxes`, with and without
`--provider numpy`, measures both.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.operations.boxes import Rule, Suppression, apart, areas, joined
from ir_plugin.tensors import Array

BLOCK_BOXES = 16
"""Boxes that a box is compared with at once."""

DIGIT = 11
"""Bits of a key by which scores are sorted at once."""

FEW_SCORES = 48
"""Scores up to which they are sorted by insertion."""


@register_jitable
def _choose(sides: Array, order: Array, threshold: float, margin: float, limit: int, chosen: Array) -> int:
    """Write the boxes of an order that are kept to `chosen`; return how many."""
    selected = np.zeros((5, -(-min(limit, len(order)) // BLOCK_BOXES) * BLOCK_BOXES), sides.dtype)
    selected[4] = np.inf
    lefts, tops, rights, bottoms, sizes = (selected[0], selected[1], selected[2], selected[3], selected[4])
    zero, count = threshold - threshold, 0
    for box in order:
        if count >= limit:
            break
        left, top, right, bottom = sides[0, box], sides[1, box], sides[2, box], sides[3, box]
        size, first, hits = sides[4, box], 0, np.int32(0)
        while first < count and hits == 0:
            for k in range(first, first + BLOCK_BOXES):
                width = (rights[k] if rights[k] < right else right) - (lefts[k] if lefts[k] > left else left) + margin
                height = (bottoms[k] if bottoms[k] < bottom else bottom) - (tops[k] if tops[k] > top else top) + margin
                common = (width if width > zero else zero) * (height if height > zero else zero)
                union = sizes[k] + size - common
                share = common / union
                share = share if union > zero else zero
                hits |= np.int32(1) if share > threshold else np.int32(0)
            first += BLOCK_BOXES
        if hits == 0:
            lefts[count], tops[count], rights[count], bottoms[count], sizes[count] = left, top, right, bottom, size
            chosen[count] = box
            count += 1
    return count


@register_jitable
def _moved_in(keys: Array, order: Array, count: int) -> None:
    """Sort a few boxes by their keys."""
    for k in range(1, count):
        key, box, into = keys[k], order[k], k
        while into > 0 and keys[into - 1] > key:
            keys[into], order[into] = keys[into - 1], order[into - 1]
            into -= 1
        keys[into], order[into] = key, box


@register_jitable
def _sorted(keys: Array, order: Array, count: int, bits: int) -> Array:
    """Return boxes sorted by their keys of `bits` bits; equal keys keep their order."""
    if count <= FEW_SCORES:
        _moved_in(keys, order, count)
        return order
    next_keys, next_order = np.empty_like(keys), np.empty_like(order)
    ends = np.empty(1 << DIGIT, np.int64)
    mask = np.uint64((1 << DIGIT) - 1)
    for low in range(0, bits, DIGIT):
        shift = np.uint64(low)
        ends[:] = 0
        for k in range(count):
            ends[(keys[k] >> shift) & mask] += 1
        if ends[(keys[0] >> shift) & mask] == count:
            continue
        following = 0
        for digit in range(len(ends)):
            here = ends[digit]
            ends[digit] = following
            following += here
        for k in range(count):
            digit = (keys[k] >> shift) & mask
            next_keys[ends[digit]], next_order[ends[digit]] = keys[k], order[k]
            ends[digit] += 1
        keys, next_keys, order, next_order = next_keys, keys, next_order, order
    return order


@register_jitable
def _key(score: int, sign: int) -> int:
    """Return an unsigned key that grows as a score falls, from the score's bits and the mask of its sign bit."""
    largest: int = sign - np.uint64(1)
    if score < sign:
        return score ^ largest
    return largest if score == sign else score


def _among(sides: Array, threshold: float, margin: float, limit: int, chosen: Array) -> int:
    """Write the boxes that are kept to `chosen`; return how many. `sides` are left, top, right, bottom and area."""
    count: int = _choose(sides, np.arange(sides.shape[1]), threshold, margin, limit, chosen)
    return count


def _of_classes(
    sides: Array, scores: Array, usable: Array, threshold: float, margin: float, limits: Array, chosen: Array
) -> None:
    """Fill a row of `chosen` for each class: how many boxes are kept, and these.

    `scores` are given as their bits; `limits` are the most boxes of a class that are kept, and that enter.
    """
    classes, boxes = usable.shape
    bits = 8 * scores.itemsize
    sign = np.uint64(1) << np.uint64(bits - 1)
    keys, candidates = np.empty(boxes, np.uint64), np.empty(boxes, np.int64)
    for label in range(classes):
        count = 0
        for box in range(boxes):
            keys[count], candidates[count] = _key(np.uint64(scores[label, box]), sign), box
            count += usable[label, box]
        order = _sorted(keys, candidates, count, bits)[: min(count, limits[1])]
        chosen[label, 0] = _choose(sides, order, threshold, margin, limits[0], chosen[label, 1:])


def _kernel_among(boxes: str) -> Any:
    """Return the kernel for boxes of a type, "f4" or "f8"."""
    return compiled(f"i8({read_only(2, boxes)}, {boxes}, {boxes}, i8, i8[::1])", exact=True)(_among)


def _kernel_of_classes(boxes: str, scores: str) -> Any:
    """Return the kernel for boxes and scores of a type."""
    sides, bits = read_only(2, boxes), read_only(2, scores.replace("f", "u"))
    signature = f"void({sides}, {bits}, {read_only(2, 'b1')}, {boxes}, {boxes}, i8[::1], i8[:, ::1])"
    return compiled(signature, exact=True)(_of_classes)


_TYPES = ("f4", "f8")
_KERNELS_AMONG = {boxes: _kernel_among(boxes) for boxes in _TYPES}
_KERNELS_OF_CLASSES = {types: _kernel_of_classes(*types) for types in product(_TYPES, _TYPES)}


@register(keys.SUPPRESSION)
class CompiledSuppression(Suppression):
    """Chooses boxes by compiled loops; the threads of a pool share classes, or sets of boxes that lie apart."""

    def __init__(self, pool: ThreadPool) -> None:
        self._pool = pool

    def among(self, boxes: Array, rule: Rule) -> Array:
        """Return the positions of the boxes that are kept."""
        sides = _sides(boxes, rule)
        if sides is None:
            return super().among(boxes, rule)
        sets = apart(boxes, rule)
        chosen_boxes = [np.zeros(0, np.int64)] * len(sets)
        among = _KERNELS_AMONG[boxes.dtype.str[1:]]

        def part(number: int) -> None:
            mine = sides if len(sets) == 1 else np.ascontiguousarray(sides[:, sets[number]])
            chosen = np.empty(rule.limit_of(mine.shape[1]), np.int64)
            chosen_boxes[number] = chosen[: among(mine, rule.threshold, rule.margin, len(chosen), chosen)]

        self._pool.run(part, len(sets))
        return joined(sets, chosen_boxes, rule)

    def of_classes(
        self, boxes: Array, scores: Array, usable: Array, rule: Rule, most: int | None = None
    ) -> list[Array]:
        """Return for each row of `scores` the positions of the boxes that are kept of its best `most` usable ones."""
        sides = _sides(boxes, rule)
        if sides is None or scores.dtype.str not in ("<f4", "<f8"):
            return super().of_classes(boxes, scores, usable, rule, most)
        fullest = int(np.count_nonzero(usable, axis=1).max(initial=0))
        enter = fullest if most is None else min(most, fullest)
        limits = np.array([rule.limit_of(enter), enter])
        bits, usable = np.ascontiguousarray(scores).view(f"u{scores.dtype.itemsize}"), np.ascontiguousarray(usable)
        chosen = np.empty((len(scores), 1 + limits[0]), np.int64)
        parts = shares(len(scores), self._pool, scores.size, policy.SUPPRESSION_PART_MIN_SCORES)
        of_classes = _KERNELS_OF_CLASSES[boxes.dtype.str[1:], scores.dtype.str[1:]]

        def part(number: int) -> None:
            mine = slice(*parts[number])
            of_classes(sides, bits[mine], usable[mine], rule.threshold, rule.margin, limits, chosen[mine])

        self._pool.run(part, len(parts))
        return [row[1 : 1 + row[0]] for row in chosen]


def _sides(boxes: Array, rule: Rule) -> Array | None:
    """Return sides and areas [5, boxes], or None where the rule or a box is left to NumPy."""
    if rule.threshold < 0 or (rule.eta < 1 and rule.threshold > 0.5) or boxes.dtype.str not in ("<f4", "<f8"):
        return None
    sizes = areas(boxes, rule.margin)
    return np.ascontiguousarray(np.stack([*boxes.T, sizes])) if np.isfinite(sizes).all() else None
