"""Feature maps and regions that the samples of several operations share."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array

ROIS = np.array(
    [
        [1, 1, 7, 6],
        [0, 0, 11, 8],
        [2.3, 1.2, 5.9, 7.1],
        [-3, -2, 4, 4],
        [8, 5, 16, 14],
        [4, 4, 4, 4],
        [6, 6, 3, 2],
        [0, 0, 0.5, 0.25],
        [20, 20, 25, 25],
    ],
    np.float32,
)
FRACTIONS = np.array(
    [
        [0.1, 0.1, 0.7, 0.6],
        [0, 0, 1, 1],
        [0.23, 0.12, 0.59, 0.71],
        [-0.3, -0.2, 0.4, 0.4],
        [0.8, 0.5, 1.6, 1.4],
        [0.4, 0.4, 0.4, 0.4],
        [0.6, 0.6, 0.3, 0.2],
        [0, 0, 0.05, 0.025],
        [2, 2, 2.5, 2.5],
    ],
    np.float32,
)
IMAGES = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0])


def maps(channels: int, seed: int = 0) -> Array:
    """Return feature maps of two images."""
    return np.random.default_rng(seed).normal(size=(2, channels, 9, 12)).astype(np.float32)


def with_images(rois: Array) -> Array:
    """Return rows that begin with the number of an image."""
    return np.concatenate([IMAGES[:, None], rois], axis=1).astype(np.float32)
