"""The choice of boxes in blocks is that of one box after another."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin.operations.boxes import Rule, apart, descending, overlaps, pairwise_overlaps, suppress, suppress_classes
from ir_plugin.tensors import Array


def random_boxes(count: int, area: float) -> Array:
    rng = np.random.default_rng(count)
    corner = rng.random((count, 2)) * area
    boxes = np.concatenate([corner, corner + rng.random((count, 2)) * 40], axis=1).astype(np.float32)
    boxes[::17, 2:] = boxes[::17, :2]
    return boxes


def one_by_one(boxes: Array, rule: Rule) -> list[int]:
    kept: list[int] = []
    limits: list[float] = []
    threshold = rule.threshold
    for place, box in enumerate(boxes):
        held = np.array(limits, boxes.dtype)
        if len(kept) < rule.limit_of(len(boxes)) and not (overlaps(boxes[kept], box, rule.margin) > held).any():
            threshold *= rule.eta if rule.eta < 1 and threshold > 0.5 else 1
            kept.append(place)
            limits.append(threshold)
    return kept


@pytest.mark.parametrize("count", [0, 1, 127, 128, 400])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(("margin", "eta"), [(0, 1), (1, 1), (0, 0.9)])
def test_boxes_are_kept_as_one_by_one(count: int, threshold: float, margin: int, eta: float) -> None:
    boxes = random_boxes(count, 90)
    for limit in (0, 1, 30, count):
        rule = Rule(threshold, limit, margin, eta)
        assert suppress(boxes, rule).tolist() == one_by_one(boxes, rule)


@pytest.mark.parametrize(("boxes", "classes", "least"), [(300, 1, 0.2), (150, 40, 0.2), (150, 40, 0.9), (9, 3, 2.0)])
def test_classes_are_chosen_apart(boxes: int, classes: int, least: float) -> None:
    corners = random_boxes(boxes, 90)
    scores = np.random.default_rng(1).integers(0, 50, (classes, boxes)).astype(np.float32) / 50
    for limit in (0, 20, boxes):
        rule = Rule(0.4, limit)
        found = suppress_classes(corners, scores, scores > least, rule, most=100)
        for mine, places in zip(scores, found, strict=True):
            order = descending(mine, mine > least)[:100]
            assert places.tolist() == order[one_by_one(corners[order], rule)].tolist()


@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.parametrize("limit", [700, 1500, None])
def test_boxes_in_sets_that_lie_apart(limit: int | None, margin: int) -> None:
    boxes = random_boxes(1500, 90)
    boxes[:, ::2] += np.random.default_rng(2).integers(0, 5, (1500, 1)) * 131
    boxes[5], boxes[6, 2], boxes[7, 2:] = np.nan, -np.inf, np.inf
    with np.errstate(invalid="ignore"):
        rule = Rule(0.1, limit, margin)
        assert suppress(boxes, rule).tolist() == one_by_one(boxes, rule)


def test_sets_lie_apart() -> None:
    boxes = random_boxes(1500, 90)
    boxes[:, ::2] += np.random.default_rng(2).integers(0, 5, (1500, 1)) * 131
    sets = apart(boxes, Rule(0.1, margin=1))
    assert len(sets) == 5
    assert sorted(place for one in sets for place in one.tolist()) == list(range(1500))
    assert not any(pairwise_overlaps(boxes[one], boxes[sets[0]], 1).any() for one in sets[1:])


def test_a_block_of_which_nothing_is_kept() -> None:
    boxes = np.tile(np.array([[0, 0, 1, 1]], np.float32), (300, 1))
    assert suppress(boxes, Rule(0.5)).tolist() == [0]


@pytest.mark.parametrize("count", [10, 5000])
def test_scores_from_the_highest_on(count: int) -> None:
    rng = np.random.default_rng(count)
    for scores in (
        rng.standard_normal(count).astype(np.float32),
        rng.integers(-3, 3, count).astype(np.float32) * np.float32(1e-45),
        rng.choice(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.5], np.float32), count),
    ):
        assert descending(scores).tolist() == np.argsort(-scores, kind="stable").tolist()
        usable = scores > 0
        places = np.flatnonzero(usable)
        assert descending(scores, usable).tolist() == places[np.argsort(-scores[places], kind="stable")].tolist()
