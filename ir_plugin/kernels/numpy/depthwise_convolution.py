"""2-D depthwise convolution with channels last, as sums of products of whole lines.

`einsum` multiplies and adds in one pass, without the interpreter's lock. Its inner loop is as long as the elements that
lie side by side in all operands, so lines are flat, and weights are repeated for several pixels. That takes a third of
the time of `multiply` and `add`, and rounds as they do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.convolution import Geometry, Run, parts_for
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**19
"""Bytes of lines of data in one block; with the output's lines they fit a second-level cache of 1 MB."""

COLUMN_BYTES = 2**14
"""Bytes of a line that are computed at once: output, window and weights of one element fit a first-level cache."""


def depthwise(
    geometry: Geometry, weights: Array, epilogue: Rows | None, pool: ThreadPool, _: Derived = underived
) -> Run:
    """Return the kernel of a depthwise convolution; `weights` are [C, kh, kw]."""
    channels = len(weights)
    height, width = geometry.output
    source = _Source(geometry, weights)
    parts = split(height, parts_for(pool, geometry.data[0] * height * width * weights.size))
    scratch = [_Scratch(source.new_buffer()) for _ in parts]

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        def part(number: int) -> None:
            start, stop = parts[number]
            for sample, line in product(range(geometry.data[0]), range(start, stop, source.lines)):
                last = min(line + source.lines, stop)
                block = output[sample, line:last].reshape(last - line, -1)
                for lines, columns, windows, factors in source.products(scratch[number], data[sample], line, last):
                    np.einsum("hyxc,yxc->hc", windows, factors, out=block[lines, columns])
                if epilogue is not None:
                    epilogue(block.reshape(-1, channels), (sample * height + line) * width, operands)

        pool.run(part, len(parts))

    return run


_Products: TypeAlias = "list[tuple[slice, slice, Array, Array]]"
"""Lines and columns of a block of the output, the windows [lines, kh, kw, columns], and weights [kh, kw, columns]."""


class _Scratch:
    """The lines that the blocks of one part read, and the products of them by the first line of a block."""

    def __init__(self, buffer: Array) -> None:
        self.buffer = buffer
        self.products: dict[int, _Products] = {}


class _Source:
    """Lines of data, padded at their ends, in which the pixels that an element of the kernel reads lie side by side.

    With stride 1 these are the lines themselves, else a copy for each element along a line.
    """

    def __init__(self, geometry: Geometry, weights: Array) -> None:
        self._geometry, self._dtype = geometry, weights.dtype
        self._factors = _repeated(weights, geometry.output[1])
        _, height, width, channels = geometry.data
        (wide, step), pads = (geometry.kernel[1], geometry.strides[1]), (geometry.begin[1], geometry.end[1])
        self._row: tuple[int, ...] = (1, pads[0] + width + pads[1], channels)
        self._columns = [(slice(pads[0], pads[0] + width), slice(None))]
        if step > 1:
            self._row = (wide, geometry.output[1], channels)
            self._columns = [_columns(geometry, tap) for tap in range(wide)]
        self._is_plain = step == 1 and pads == (0, 0)
        fitting = BLOCK_BYTES // (math.prod(self._row) * weights.itemsize) - self._reach(0)
        self.lines = max(min(fitting // geometry.strides[0], geometry.output[0]), 1)
        """Lines of the output in one block."""
        self._buffered = min(self._reach(self.lines), height)

    def _reach(self, lines: int) -> int:
        """Return how many lines of data that many lines of the output read."""
        geometry = self._geometry
        return (lines - 1) * geometry.strides[0] + (geometry.kernel[0] - 1) * geometry.dilations[0] + 1

    def new_buffer(self) -> Array:
        """Return zeros for the lines that a block reads; pads at their ends stay zeros."""
        return np.zeros((0 if self._is_plain else self._buffered, *self._row), self._dtype)

    def products(self, scratch: _Scratch, image: Array, first: int, last: int) -> _Products:
        """Return the products that make up the output's lines [first, last) of an image [H, W, C]."""
        step, begin = self._geometry.strides[0], self._geometry.begin[0]
        top = max(first * step - begin, 0)
        lines = self._lines(scratch.buffer, image[top : max((last - 1) * step - begin + self._reach(1), 0)])
        if self._is_plain:
            return list(self._products(lines, top, first, last))
        if first not in scratch.products:
            scratch.products[first] = list(self._products(lines, top, first, last))
        return scratch.products[first]

    def _products(self, lines: Array, top: int, first: int, last: int) -> Iterator[tuple[slice, slice, Array, Array]]:
        """Yield the products of lines of data, from line `top` on."""
        geometry = self._geometry
        (step_y, step_x), (far_y, far_x) = geometry.strides, geometry.dilations
        row, tap, pixel, _ = lines.strides
        strides = (step_y * row, far_y * row, tap if step_x > 1 else far_x * pixel, lines.itemsize)
        length, chunk = geometry.output[1] * geometry.data[3], self._factors.shape[2]
        for start, end, taps in self._ranges(first, last):
            begin = start * step_y - geometry.begin[0] + taps.start * far_y - top if taps.start < taps.stop else 0
            shape = (end - start, taps.stop - taps.start, geometry.kernel[1], length)
            windows = as_strided(lines[begin:], shape, strides, writeable=False)
            for column in range(0, length, chunk):
                columns = slice(column, min(column + chunk, length))
                factors = self._factors[taps, :, : columns.stop - column]
                yield slice(start - first, end - first), columns, windows[..., columns], factors

    def _ranges(self, first: int, last: int) -> Iterator[tuple[int, int, slice]]:
        """Yield ranges of the output's lines [first, last) for which the same lines of the kernel read data."""
        for (start, stop), numbers in groupby(range(first, last), self._taps):
            lines = list(numbers)
            yield lines[0], lines[-1] + 1, slice(start, stop)

    def _taps(self, line: int) -> tuple[int, int]:
        """Return the range of the kernel's lines that read data for a line of the output."""
        geometry = self._geometry
        top, dilation = line * geometry.strides[0] - geometry.begin[0], geometry.dilations[0]
        start = min(max(-(top // dilation), 0), geometry.kernel[0])
        return start, max(min((geometry.data[1] - 1 - top) // dilation + 1, geometry.kernel[0]), start)

    def _lines(self, buffer: Array, image: Array) -> Array:
        """Return lines of an image [lines, W, C] as [lines, copies, pixels, C]."""
        if self._is_plain and image.flags.c_contiguous:
            return image[:, None]
        lines = (buffer if len(buffer) else np.empty((len(image), *self._row), self._dtype))[: len(image)]
        for tap, (target, source) in enumerate(self._columns):
            lines[:, tap, target] = image[:, source]
        return lines


def _repeated(weights: Array, width: int) -> Array:
    """Return weights [C, kh, kw] as [kh, kw, pixels * C], for as many pixels as are computed at once."""
    channels, tall, wide = weights.shape
    pixels = -(-width // -(-width * channels * weights.itemsize // COLUMN_BYTES))
    by_taps = weights.transpose(1, 2, 0)[:, :, None]
    return np.ascontiguousarray(np.broadcast_to(by_taps, (tall, wide, pixels, channels))).reshape(tall, wide, -1)


def _columns(geometry: Geometry, tap: int) -> tuple[slice, slice]:
    """Return the outputs of a line whose element `tap` of the kernel reads data, and the pixels that they read."""
    step, shift = geometry.strides[1], tap * geometry.dilations[1] - geometry.begin[1]
    first = max(-(shift // step), 0)
    last = max(min((geometry.data[2] - 1 - shift) // step + 1, geometry.output[1]), first)
    start = first * step + shift
    return slice(first, last), slice(start, start + (last - first) * step, step)
