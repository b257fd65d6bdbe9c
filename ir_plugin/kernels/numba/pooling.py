"""Maxima and sums of windows as a job of a crew, on memory with channels last.

In two threads 64 channels of 112x112, windows of 3x3 and stride 2 take .2 ms, where NumPy takes .8.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.numba.gemm.products import bound
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, given, job
from ir_plugin.kernels.numba.runtime.job import JobArguments
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.tensors import Array

_LOWEST = np.finfo(np.float32).min
"""What the maximum of a window is at least."""

SMALL_ELEMENTS = 2**13
"""Elements of all windows below which one thread pools."""

(
    _DATA, _OUTPUT, _FACTORS, _MEAN, _PARTS, _SAMPLES, _HEIGHT, _BREADTH, _CHANNELS,
    _TALL, _STEP_Y, _FAR_Y, _TOP, _LINES, _WIDE, _STEP_X, _FAR_X, _LEFT, _PIXELS, _NUMBERS,
) = range(20)  # fmt: skip


@compiled(f"void(f4[::1], {given(1)})")
def _to_maximum(total: Array, other: Array) -> None:
    """Keep the larger number; one that is none counts for nothing."""
    for c in range(total.shape[0]):
        total[c] = other[c] if other[c] > total[c] else total[c]


@compiled(f"void(f4[::1], {given(1)})")
def _to_sum(total: Array, other: Array) -> None:
    for c in range(total.shape[0]):
        total[c] += other[c]


@compiled(f"void({given(1)}, f4[::1], i8, i8, i8)")
def _three(line: Array, target: Array, start: int, step: int, mean: int) -> None:
    """Reduce three pixels, of which the channels begin at `start` and `step` apart: most windows are so wide."""
    first, second, third = line[start:], line[start + step :], line[start + 2 * step :]
    if mean != 0:
        for c in range(target.shape[0]):
            target[c] = first[c] + second[c] + third[c]
    else:
        for c in range(target.shape[0]):
            largest = second[c] if second[c] > first[c] else first[c]
            target[c] = third[c] if third[c] > largest else largest


@compiled(f"void(i8[::1], {given(1)}, i8, f4[::1])")
def _across(a: Array, line: Array, pixel: int, target: Array) -> None:
    """Reduce the part of a line that is the window of a pixel of the output."""
    channels, left, far = a[_CHANNELS], pixel * a[_STEP_X] - a[_LEFT], a[_FAR_X]
    if a[_WIDE] == 3 and left >= 0 and left + 2 * far < a[_BREADTH]:
        _three(line, target, left * channels, far * channels, a[_MEAN])
        return
    target[:] = 0 if a[_MEAN] != 0 else _LOWEST
    for kx in range(a[_WIDE]):
        x = left + kx * far
        if 0 <= x < a[_BREADTH]:
            if a[_MEAN] != 0:
                _to_sum(target, line[x * channels : (x + 1) * channels])
            else:
                _to_maximum(target, line[x * channels : (x + 1) * channels])


@compiled("void(i8[::1], i8, i8, f4[::1])")
def _down(a: Array, sample: int, line: int, total: Array) -> None:
    """Reduce the lines of data that the windows of a line of the output cover."""
    size = a[_BREADTH] * a[_CHANNELS]
    total[:] = 0 if a[_MEAN] != 0 else _LOWEST
    for ky in range(a[_TALL]):
        y = line * a[_STEP_Y] + ky * a[_FAR_Y] - a[_TOP]
        if 0 <= y < a[_HEIGHT]:
            other = carray(pointer(a[_DATA] + 4 * (sample * a[_HEIGHT] + y) * size), (size,), np.float32)
            if a[_MEAN] != 0:
                _to_sum(total, other)
            else:
                _to_maximum(total, other)


@job
def _lines(address: int, part: int) -> None:
    """Pool a share of the lines of all samples, along lines first, where neighbouring pixels are one long loop."""
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    factors = carray(pointer(a[_FACTORS]), (a[_LINES] * a[_PIXELS],), np.float32)
    channels = a[_CHANNELS]
    total = np.empty(a[_BREADTH] * channels, np.float32)
    count = a[_SAMPLES] * a[_LINES]
    for number in range(bound(count, a[_PARTS], part), bound(count, a[_PARTS], part + 1)):
        line = number % a[_LINES]
        _down(a, number // a[_LINES], line, total)
        for pixel in range(a[_PIXELS]):
            place = a[_OUTPUT] + 4 * (number * a[_PIXELS] + pixel) * channels
            target = carray(pointer(place), (channels,), np.float32)
            _across(a, total, pixel, target)
            if a[_MEAN] != 0:
                factor = factors[line * a[_PIXELS] + pixel]
                for c in range(channels):
                    target[c] *= factor


class Pool:
    """Maxima, or with factors for [H, W] means, of windows; each axis is as in `kernels.numpy.pooling.Axis`."""

    def __init__(
        self,
        samples: int,
        lines: Sequence[int],
        pixels: Sequence[int],
        channels: int,
        factors: Array | None,
        spin_pool: SpinPool,
    ) -> None:
        height, tall, step_y, far_y, made_lines, top = lines
        breadth, wide, step_x, far_x, made_pixels, left = pixels
        shape = (made_lines, made_pixels)
        given = np.ones(()) if factors is None else factors.reshape(shape if factors.ndim else ())
        self._factors = np.array(np.broadcast_to(given, shape), np.float32, order="C")
        work = samples * made_lines * made_pixels * tall * wide * channels
        self._parts = spin_pool.size if work >= SMALL_ELEMENTS else 1
        numbers = np.array([
            0, 0, address_of(self._factors), factors is not None, self._parts, samples, height, breadth, channels,
            tall, step_y, far_y, top, made_lines, wide, step_x, far_x, left, made_pixels,
        ], np.int64)  # fmt: skip
        self._task = JobArguments(spin_pool, numbers, places=(_DATA, _OUTPUT))

    def __call__(self, data: Array, output: Array) -> None:
        """Fill the output [N, H, W, C], which lies in C order, from the data [N, H, W, C]."""
        self._task.run([_lines.address], self._parts, data, output, ())
