"""Means of windows: sums divided by counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array


def divided(total: Array, counts: Array, dtype: np.dtype[Any]) -> Array:
    """Return the sums divided by the counts, 0 for a count of 0; integers are rounded half to even."""
    counts = np.maximum(counts, 1)
    if dtype.kind == "f":
        return np.asarray(total / counts.astype(total.dtype), dtype)
    quotient = total // counts
    doubled_remainder = 2 * (total - quotient * counts)
    up = (doubled_remainder > counts) | ((doubled_remainder == counts) & (quotient % 2 == 1))
    return np.asarray(quotient + up).astype(dtype)
