"""Reading images between their elements."""

from __future__ import annotations

from itertools import product

import numpy as np

from ir_plugin.tensors import Array


def sampled(maps: Array, y: Array, x: Array, outside: str) -> Array:
    """Return bilinear samples of maps [G, C, Y, X] at places y, x [G, P], as [G, C, P].

    A place one element or more outside gives 0. One less than that lies between the border and zeros (`outside` is
    "zeros"), is moved to the border ("border"), or that only behind the last element, while before the first it
    gives 0 ("end").
    """
    height, width = maps.shape[2:]
    first = y >= 0 if outside == "end" else y > -1
    inside = first & ((x >= 0) if outside == "end" else (x > -1)) & (y < height) & (x < width)
    if outside != "zeros":
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
