"""Images in planes, and an oracle for their colours, pixel by pixel."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array

RANDOM = np.random.default_rng(8)


def plane(*shape: int) -> Array:
    """Return random whole numbers that a byte can hold."""
    return RANDOM.integers(0, 256, shape).astype(np.uint8)


def colours(y: Array, u: Array, v: Array, blue_first: bool = False) -> Array:
    """Return the image of the planes [N, H, W], pixel by pixel."""
    image = np.zeros((*y.shape, 3))
    for n, i, j in np.ndindex(*y.shape):
        light = 1.164 * (float(y[n, i, j]) - 16)
        d, e = (float(chroma[n, i // 2, j // 2]) - 128 for chroma in (u, v))
        pixel = [light + 1.596 * e, light - 0.813 * e - 0.391 * d, light + 2.018 * d]
        image[n, i, j] = [min(max(value, 0), 255) for value in (pixel[::-1] if blue_first else pixel)]
    return np.rint(image) if y.dtype == np.uint8 else image


def nv12(*planes: Array, blue_first: bool = False) -> Array:
    """Return the image of luma and chroma, or of both in one tensor."""
    if len(planes) == 1:
        rows = planes[0].shape[1] * 2 // 3
        whole = planes[0]
        planes = whole[:, :rows], whole[:, rows:].reshape(whole.shape[0], rows // 2, -1, 2)
    return colours(planes[0][..., 0], planes[1][..., 0], planes[1][..., 1], blue_first)


def i420(*planes: Array, blue_first: bool = False) -> Array:
    """Return the image of luma and two of chroma, or of all in one tensor."""
    if len(planes) == 1:
        rows, width = planes[0].shape[1] * 2 // 3, planes[0].shape[2]
        u, v = np.split(planes[0][:, rows:].reshape(planes[0].shape[0], -1), 2, axis=1)
        shape = (planes[0].shape[0], rows // 2, width // 2, 1)
        planes = planes[0][:, :rows], u.reshape(shape), v.reshape(shape)
    return colours(planes[0][..., 0], planes[1][..., 0], planes[2][..., 0], blue_first)
