"""Means of windows: sums divided by numbers of elements."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array


def divided(total: Array, counts: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return sums over counts, 0 for a count of 0; integers towards zero, 8-bit ones to the nearest, then even."""
    counts = np.maximum(counts, 1)
    if dtype.kind == "f":
        return (total / counts.astype(total.dtype)).astype(dtype)
    if dtype.itemsize == 1:
        return np.rint(total / counts).astype(dtype)
    return (np.sign(total) * (np.abs(total) // counts)).astype(dtype)
