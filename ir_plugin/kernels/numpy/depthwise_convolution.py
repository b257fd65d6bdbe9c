"""2-D depthwise convolution with channels last, as sums of products of whole lines.

`einsum` multiplies and adds in one pass, without the interpreter's lock. Its inner loop is as long as the elements that
lie side by side in all operands, so lines are flat, and weights are repeated for several pixels. That takes a third of
the time of `multiply` and `add`, and rounds as they do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.convolution import Geometry, Run, parts_for
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**19
"""Bytes of lines of data in one block; with the output's lines they fit a second-level cache of 1 MB."""

CHUNK_ELEMENTS = 2**11
"""Elements of a line that are computed at once: with those of the kernel's lines they fit the first-level cache."""


def depthwise(
    geometry: Geometry, weights: Array, epilogue: Rows | None, pool: ThreadPool, _: Derived = underived
) -> Run:
    """Return the kernel of a depthwise convolution; `weights` are [C, kh, kw]."""
    channels, tall, wide = weights.shape
    height, width = geometry.output
    pixels = -(-width // max(width * channels // CHUNK_ELEMENTS, 1))
    taps = weights.transpose(1, 2, 0)[:, :, None]
    tiled = np.ascontiguousarray(np.broadcast_to(taps, (tall, wide, pixels, channels))).reshape(tall, wide, -1)
    source = _Source(geometry, weights.dtype)
    parts = split(height, parts_for(pool, geometry.data[0] * height * width * weights.size))
    scratch = [source.new_buffer() for _ in parts]
    chunk, end = pixels * channels, width * channels

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        def part(number: int) -> None:
            start, stop = parts[number]
            for sample, line in product(range(geometry.data[0]), range(start, stop, source.lines)):
                last = min(line + source.lines, stop)
                block = output[sample, line:last].reshape(last - line, -1)
                windows = source.windows(scratch[number], data[sample], line, last)
                for first in range(0, end, chunk):
                    target = block[:, first : first + chunk]
                    elements = windows[..., first : first + chunk]
                    np.einsum("hyxc,yxc->hc", elements, tiled[..., : target.shape[1]], out=target)
                if epilogue is not None:
                    epilogue(block.reshape(-1, channels), (sample * height + line) * width, operands)

        pool.run(part, len(parts))

    return run


class _Source:
    """Lines of padded data in which the pixels that an element of the kernel reads lie side by side.

    With stride 1 these are the padded lines themselves, else a copy for each element along a line.
    """

    def __init__(self, geometry: Geometry, dtype: np.dtype[np.generic]) -> None:
        self._geometry, self._dtype = geometry, dtype
        _, _, width, channels = geometry.data
        (wide, step), pads = (geometry.kernel[1], geometry.strides[1]), (geometry.begin[1], geometry.end[1])
        self._row: tuple[int, ...] = (1, pads[0] + width + pads[1], channels)
        self._columns = [(slice(pads[0], pads[0] + width), slice(None))]
        if step > 1:
            self._row = (wide, geometry.output[1], channels)
            self._columns = [_columns(geometry, tap) for tap in range(wide)]
        self._is_plain = step == 1 and geometry.begin == geometry.end == (0, 0)
        fitting = BLOCK_BYTES // (math.prod(self._row) * dtype.itemsize) - self._reach(0)
        self.lines = max(min(fitting // geometry.strides[0], geometry.output[0]), 1)
        """Lines of the output in one block."""

    def _reach(self, lines: int) -> int:
        """Return how many lines of data that many lines of the output read."""
        geometry = self._geometry
        return (lines - 1) * geometry.strides[0] + (geometry.kernel[0] - 1) * geometry.dilations[0] + 1

    def new_buffer(self) -> Array:
        """Return zeros for the lines that a block reads; pads along the lines stay zeros."""
        return np.zeros((0 if self._is_plain else self._reach(self.lines), *self._row), self._dtype)

    def windows(self, buffer: Array, image: Array, first: int, last: int) -> Array:
        """Return the windows [lines, kh, kw, width * C] of the output's lines [first, last) of an image [H, W, C]."""
        geometry = self._geometry
        (step_y, step_x), (far_y, far_x) = geometry.strides, geometry.dilations
        top, count = first * step_y - geometry.begin[0], self._reach(last - first)
        if self._is_plain and image.flags.c_contiguous:
            lines = image[top : top + count, None]
        else:
            lines = self._filled(buffer if len(buffer) else self.new_buffer(), image, top, count)
        row, tap, pixel, item = lines.strides
        along = tap if step_x > 1 else far_x * pixel
        shape = (last - first, *geometry.kernel, geometry.output[1] * geometry.data[3])
        return as_strided(lines, shape, (step_y * row, far_y * row, along, item), writeable=False)

    def _filled(self, buffer: Array, image: Array, top: int, count: int) -> Array:
        """Fill the buffer with `count` lines of the image from `top` on, and zeros where there are none."""
        lines = buffer[:count]
        start, end = min(max(-top, 0), count), max(min(len(image) - top, count), 0)
        lines[:start], lines[end:] = 0, 0
        for tap, (target, source) in enumerate(self._columns):
            lines[start:end, tap, target] = image[top + start : top + end, source]
        return lines


def _columns(geometry: Geometry, tap: int) -> tuple[slice, slice]:
    """Return the outputs of a line whose element `tap` of the kernel reads data, and the pixels that they read."""
    step, shift = geometry.strides[1], tap * geometry.dilations[1] - geometry.begin[1]
    first = max(-(shift // step), 0)
    last = max(min((geometry.data[2] - 1 - shift) // step + 1, geometry.output[1]), first)
    start = first * step + shift
    return slice(first, last), slice(start, start + (last - first) * step, step)
