"""Means of windows: sums divided by numbers of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array


def divided(total: Array, counts: Array, dtype: np.dtype[Any]) -> Array:
    """Return sums over counts, 0 for a count of 0; integers towards zero, 8-bit ones to the nearest, then even."""
    counts = np.maximum(counts, 1)
    if dtype.kind == "f":
        return np.asarray(total / counts.astype(total.dtype), dtype)
    if dtype.itemsize == 1:
        return np.asarray(np.rint(total / counts)).astype(dtype)
    return np.asarray(np.sign(total) * (np.abs(total) // counts)).astype(dtype)
