"""Convolution at displaced positions: samples of a block of windows stay in the cache for their product.

Coordinates and weights of pixels are f64 and sums f32, as in `operations.convolution.sampling`.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.numpy.movement import in_order
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.operations.convolution.sampling import Convolver, Samples, blocks, multiplied
from ir_plugin.tensors import Array


@compiled(f"void({read_only(3)}, {read_only(3, 'f8')}, {read_only(3, 'f8')}, {read_only(3)}, b1, f4[:,:,::1], i8)")
def _sample(image: Array, y: Array, x: Array, factors: Array, zero_padded: bool, samples: Array, first: int) -> None:
    """Fill samples [windows, elements, C] of the windows from `first` on; without factors their array is empty."""
    height, width, channels = image.shape
    groups = len(y)
    size = channels // groups
    for window in range(len(samples)):
        for element in range(samples.shape[1]):
            for group in range(groups):
                row, column = y[group, element, first + window], x[group, element, first + window]
                target = samples[window, element, group * size : (group + 1) * size]
                before = row > -1 and column > -1 if zero_padded else row >= 0 and column >= 0
                if not (before and row < height and column < width):
                    target[:] = 0
                    continue
                if not zero_padded:
                    row, column = min(row, height - 1.0), min(column, width - 1.0)
                top, left = np.floor(row), np.floor(column)
                down, right = row - top, column - left
                factor = factors[group, element, first + window] if factors.size else np.float32(1)
                above, below = (1 - down if top >= 0 else 0.0) * factor, (down if top + 1 < height else 0.0) * factor
                west, east = 1 - right if left >= 0 else 0.0, right if left + 1 < width else 0.0
                a, b = np.float32(above * west), np.float32(above * east)
                c, d = np.float32(below * west), np.float32(below * east)
                upper, lower = max(int(top), 0), min(int(np.ceil(row)), height - 1)
                start, end = max(int(left), 0), min(int(np.ceil(column)), width - 1)
                part = slice(group * size, (group + 1) * size)
                p, q = image[upper, start, part], image[upper, end, part]
                r, s = image[lower, start, part], image[lower, end, part]
                for k in range(size):
                    target[k] = a * p[k] + b * q[k] + c * r[k] + d * s[k]


_NO_FACTORS = np.zeros((0, 0, 0), np.float32)


@register(keys.CONVOLVER)
class CompiledConvolver(Convolver):
    """Samples by compiled loops; the threads of a pool share the windows."""

    def __init__(self, pool: ThreadPool) -> None:
        self._pool = pool

    def convolve(self, image: Array, samples: Samples, zero_padded: bool, weights: Array, output: Array) -> None:
        """Fill an output [windows, O] from an image [Y, X, C].

        The weights are [groups, elements * C / groups, O / groups].
        """
        if image.dtype != np.float32 or weights.dtype != np.float32:
            super().convolve(image, samples, zero_padded, weights, output)
            return
        elements, channels = samples.y.shape[1], image.shape[2]
        factors = _NO_FACTORS if samples.factors is None else in_order(samples.factors)
        work = len(output) * elements * channels * weights.shape[2] * len(weights)
        parts = split(len(output), self._pool.size if work >= policy.SHARED_MIN_MULTIPLICATIONS else 1)

        def part(number: int) -> None:
            start, end = parts[number]
            for windows in blocks(end - start, elements * channels):
                rows = slice(start + windows.start, start + windows.stop)
                columns = np.empty((rows.stop - rows.start, elements, channels), np.float32)
                _sample(image, samples.y, samples.x, factors, zero_padded, columns, rows.start)
                output[rows] = multiplied(columns, weights)

        self._pool.run(part, len(parts))
