"""Buffers of padded data."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.tensors import Array


class Pads:
    """Zeros around the lines and pixels of a buffer [N, H, W, C] that a kernel fills in every run.

    A small buffer keeps its memory. A large one lies in the memory that all kernels of a pool share, so that its pads
    are cleared in every run.
    """

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[np.generic], lines: tuple[int, int], pixels: tuple[int, int]
    ) -> None:
        """Take the shape of the buffer, and the ranges of its lines and pixels that hold data."""
        is_kept = prod(shape) * dtype.itemsize <= policy.PADDED_DATA_KEPT_MAX_BYTES
        self._kept = np.zeros(shape, dtype) if is_kept else None
        self.scratch_shape: tuple[int, ...] = (0,) if is_kept else shape
        """The shape of the scratch memory that `buffer` needs."""
        self._lines, self._pixels = lines, pixels

    def buffer(self, scratch: Array) -> Array:
        """Return the buffer, zero outside the data."""
        if self._kept is not None:
            return self._kept
        (top, bottom), (left, right) = self._lines, self._pixels
        scratch[:, :top] = 0
        scratch[:, bottom:] = 0
        scratch[:, top:bottom, :left] = 0
        scratch[:, top:bottom, right:] = 0
        return scratch
