"""Boxes and scores that the samples of several operations share."""

from __future__ import annotations

import numpy as np

from tests.support.sample import In, param

APART = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5], [0, 0, 1, 0.9]]], np.float32)


def inputs(
    seed: int = 0, images: int = 2, classes: int = 3, count: int = 10, size: float = 1, type: str = "f32"
) -> list[In]:
    """Return boxes (x, y, x, y) that overlap much, and scores of which no two are equal."""
    random = np.random.default_rng(seed)
    centers, sizes = random.uniform(0, 1, (images, count, 2)), random.uniform(0.2, 0.6, (images, count, 2))
    boxes = size * np.concatenate([centers - sizes / 2, centers + sizes / 2], -1)
    scores = random.permutation(images * classes * count).reshape(images, classes, count) / (images * classes * count)
    return [param(boxes, type), param(scores, type)]
