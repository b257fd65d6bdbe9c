"""Suppression of boxes in blocks selects the same boxes as a greedy loop."""

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


def greedy(boxes: Array, rule: Rule) -> list[int]:
    chosen: list[int] = []
    limits: list[float] = []
    threshold = rule.threshold
    for position, box in enumerate(boxes):
        upper = np.array(limits, boxes.dtype)
        if len(chosen) < rule.limit_of(len(boxes)) and not (overlaps(boxes[chosen], box, rule.margin) > upper).any():
            threshold *= rule.eta if rule.eta < 1 and threshold > 0.5 else 1
            chosen.append(position)
            limits.append(threshold)
    return chosen


@pytest.mark.parametrize("count", [0, 1, 127, 128, 400])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(("margin", "eta"), [(0, 1), (1, 1), (0, 0.9)])
def test_boxes_are_kept_as_one_by_one(count: int, threshold: float, margin: int, eta: float) -> None:
    boxes = random_boxes(count, 90)
    for limit in (0, 1, 30, count):
        rule = Rule(threshold, limit, margin, eta)
        assert suppress(boxes, rule).tolist() == greedy(boxes, rule)


@pytest.mark.parametrize(("boxes", "classes", "least"), [(300, 1, 0.2), (150, 40, 0.2), (150, 40, 0.9), (9, 3, 2.0)])
def test_classes_are_chosen_apart(boxes: int, classes: int, least: float) -> None:
    corners = random_boxes(boxes, 90)
    scores = np.random.default_rng(1).integers(0, 50, (classes, boxes)).astype(np.float32) / 50
    for limit in (0, 20, boxes):
        rule = Rule(0.4, limit)
        selected = suppress_classes(corners, scores, scores > least, rule, most=100)
        for class_scores, positions in zip(scores, selected, strict=True):
            order = descending(class_scores, class_scores > least)[:100]
            assert positions.tolist() == order[greedy(corners[order], rule)].tolist()


@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.parametrize("limit", [700, 1500, None])
def test_boxes_in_sets_that_lie_apart(limit: int | None, margin: int) -> None:
    boxes = random_boxes(1500, 90)
    boxes[:, ::2] += np.random.default_rng(2).integers(0, 5, (1500, 1)) * 131
    boxes[5], boxes[6, 2], boxes[7, 2:] = np.nan, -np.inf, np.inf
    with np.errstate(invalid="ignore"):
        rule = Rule(0.1, limit, margin)
        assert suppress(boxes, rule).tolist() == greedy(boxes, rule)


def test_sets_lie_apart() -> None:
    boxes = random_boxes(1500, 90)
    boxes[:, ::2] += np.random.default_rng(2).integers(0, 5, (1500, 1)) * 131
    sets = apart(boxes, Rule(0.1, margin=1))
    assert len(sets) == 5
    assert sorted(position for members in sets for position in members.tolist()) == list(range(1500))
    assert not any(pairwise_overlaps(boxes[members], boxes[sets[0]], 1).any() for members in sets[1:])


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
        positions = np.flatnonzero(usable)
        assert descending(scores, usable).tolist() == positions[np.argsort(-scores[positions], kind="stable")].tolist()
