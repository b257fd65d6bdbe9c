"""Bilinear samples of images."""

from __future__ import annotations

from itertools import product

import numpy as np

from ir_plugin.tensors import Array


def sampled(maps: Array, y: Array, x: Array, zero_padded: bool) -> Array:
    """Return bilinear samples of maps [G, C, Y, X] at coordinates y, x [G, P], as [G, C, P].

    A coordinate one element or more outside reads 0. A closer one is interpolated between the border and zeros if the
    maps are `zero_padded`; otherwise it reads 0 before the first element and the border after the last.
    """
    height, width = maps.shape[2:]
    first = (y > -1) & (x > -1) if zero_padded else (y >= 0) & (x >= 0)
    inside = first & (y < height) & (x < width)
    if not zero_padded:
        y, x = y.clip(0, height - 1), x.clip(0, width - 1)
    y, x = np.where(inside, y, 0), np.where(inside, x, 0)
    top, left = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    flat = maps.reshape(*maps.shape[:2], -1)
    total = np.zeros((*maps.shape[:2], y.shape[-1]), maps.dtype)
    for down, right in product((0, 1), (0, 1)):
        rows, columns = top + down, left + right
        weight = np.abs(1 - down - (y - top)) * np.abs(1 - right - (x - left))
        weight = np.where(inside & (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width), weight, 0)
        index = rows.clip(0, height - 1) * width + columns.clip(0, width - 1)
        total += np.take_along_axis(flat, index[:, None], 2) * weight[:, None].astype(maps.dtype)
    return total
