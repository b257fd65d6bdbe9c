"""Anchors, deltas and scores that the samples of several operations share."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array

H, W, A = 4, 5, 3


def anchors() -> Array:
    """Return [H, W, A, 4] anchors of three shapes, 12 pixels apart."""
    across, down = np.meshgrid(np.arange(W) * 12.0, np.arange(H) * 12.0)
    centers = np.stack([across, down], -1)[:, :, None]
    sizes = np.array([[8, 8], [16, 8], [8, 16]])
    return np.concatenate([centers - sizes / 2, centers + sizes / 2], -1).astype(np.float32)


def deltas(channels: int, images: int = 1, seed: int = 0) -> Array:
    """Return deltas of boxes."""
    return (0.3 * np.random.default_rng(seed).normal(size=(images, channels, H, W))).astype(np.float32)


def scores(channels: int, images: int = 1, seed: int = 0) -> Array:
    """Return distinct scores."""
    count = images * channels * H * W
    return (np.random.default_rng(seed).permutation(count) / count).reshape(images, channels, H, W).astype(np.float32)
