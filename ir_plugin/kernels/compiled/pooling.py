"""Maxima and sums of windows as a job of a crew, on memory with channels last.

In two threads 64 channels of 112x112, windows of 3x3 and stride 2 take .2 ms, where NumPy takes .8.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.compiled.crew import Crew, address_of
from ir_plugin.kernels.compiled.jit import compiled, given, job
from ir_plugin.kernels.compiled.native import carray, copy, pointer
from ir_plugin.kernels.compiled.products import bound
from ir_plugin.kernels.compiled.task import Task
from ir_plugin.tensors import Array

SMALL_ELEMENTS = 2**13
"""Elements of all windows below which one thread pools."""

(
    _DATA, _OUTPUT, _FACTORS, _MEAN, _PARTS, _SAMPLES, _HEIGHT, _BREADTH, _CHANNELS,
    _TALL, _STEP_Y, _FAR_Y, _TOP, _LINES, _WIDE, _STEP_X, _FAR_X, _LEFT, _PIXELS, _NUMBERS,
) = range(20)  # fmt: skip


@compiled(f"void(f4[::1], {given(1)})")
def _to_maximum(total: Array, other: Array) -> None:
    """Keep the larger number; one that is none wins, as it does with NumPy."""
    for c in range(total.shape[0]):
        total[c] = np.maximum(total[c], other[c])


@compiled(f"void(f4[::1], {given(1)})")
def _to_sum(total: Array, other: Array) -> None:
    for c in range(total.shape[0]):
        total[c] += other[c]


@compiled("void(i8[::1], i8, i8, i8, f4[::1])")
def _window(a: Array, sample: int, line: int, pixel: int, total: Array) -> None:
    """Reduce the window of a pixel of the output."""
    size, first = 4 * a[_CHANNELS], True
    for ky in range(a[_TALL]):
        y = line * a[_STEP_Y] + ky * a[_FAR_Y] - a[_TOP]
        if y < 0 or y >= a[_HEIGHT]:
            continue
        for kx in range(a[_WIDE]):
            x = pixel * a[_STEP_X] + kx * a[_FAR_X] - a[_LEFT]
            if x < 0 or x >= a[_BREADTH]:
                continue
            place = a[_DATA] + ((sample * a[_HEIGHT] + y) * a[_BREADTH] + x) * size
            other = carray(pointer(place), (a[_CHANNELS],), np.float32)
            if first:
                total[:] = other
                first = False
            elif a[_MEAN] != 0:
                _to_sum(total, other)
            else:
                _to_maximum(total, other)
    if first:
        total[:] = 0 if a[_MEAN] != 0 else -np.inf


@job
def _lines(address: int, part: int) -> None:
    """Pool a share of the lines of all samples."""
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    factors = carray(pointer(a[_FACTORS]), (a[_LINES] * a[_PIXELS],), np.float32)
    channels = a[_CHANNELS]
    total = np.empty(channels, np.float32)
    count = a[_SAMPLES] * a[_LINES]
    for number in range(bound(count, a[_PARTS], part), bound(count, a[_PARTS], part + 1)):
        sample, line = number // a[_LINES], number % a[_LINES]
        for pixel in range(a[_PIXELS]):
            _window(a, sample, line, pixel, total)
            if a[_MEAN] != 0:
                factor = factors[line * a[_PIXELS] + pixel]
                for c in range(channels):
                    total[c] *= factor
            copy(a[_OUTPUT] + 4 * (number * a[_PIXELS] + pixel) * channels, total.ctypes.data, 4 * channels)


class Pool:
    """Maxima, or with factors for [H, W] means, of windows; each axis is as in `kernels.pooling.Axis`."""

    def __init__(
        self,
        samples: int,
        lines: Sequence[int],
        pixels: Sequence[int],
        channels: int,
        factors: Array | None,
        crew: Crew,
    ) -> None:
        height, tall, step_y, far_y, made_lines, top = lines
        breadth, wide, step_x, far_x, made_pixels, left = pixels
        shape = (made_lines, made_pixels)
        given = np.ones(()) if factors is None else factors.reshape(shape if factors.ndim else ())
        self._factors = np.array(np.broadcast_to(given, shape), np.float32, order="C")
        work = samples * made_lines * made_pixels * tall * wide * channels
        self._parts = crew.size if work >= SMALL_ELEMENTS else 1
        numbers = np.array([
            0, 0, address_of(self._factors), factors is not None, self._parts, samples, height, breadth, channels,
            tall, step_y, far_y, top, made_lines, wide, step_x, far_x, left, made_pixels,
        ], np.int64)  # fmt: skip
        self._task = Task(crew, numbers, places=(_DATA, _OUTPUT))

    def __call__(self, data: Array, output: Array) -> None:
        """Fill the output [N, H, W, C], which lies in C order, from the data [N, H, W, C]."""
        self._task.run([_lines.address], self._parts, data, output, ())
