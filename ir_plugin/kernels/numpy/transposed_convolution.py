"""Transposed convolution over two spatial axes on memory with channels last.

With a stride of s, the outputs at p, p + s, p + 2s … are a convolution of stride 1 with every s-th element of the
kernel. All of these read the same windows of the data, so that those are copied once and multiplied once for each phase
of the lines; the phases of a line stand side by side in the product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import SMALL_WORK, ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**20
"""Bytes of windows and products that are made at once."""

BLOCK_ROWS = 384
"""The fewest windows that are multiplied at once where there are so many, as BLAS packs the weights at every call."""

FEW_PIXELS = 256
"""Inputs below which threads share the phases of the lines: BLAS packs the weights at every call."""

Run: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes the output [N, H, W, O] from the input [N, H, W, C], given the operands of fused stages as rows."""


class Phases(NamedTuple):
    """How the outputs along one axis read the data: phase p of output m reads what begins at m + first."""

    first: int
    reach: int
    """Elements of the data from the first to the last that the phases of one m read."""
    taps: tuple[tuple[tuple[int, int], ...], ...]
    """For every phase the places in the window with the elements of the kernel that meet them."""

    @staticmethod
    def of(size: int, stride: int, dilation: int, begin: int) -> Phases:
        """Return the phases for a kernel and the number of outputs that are cut off before the first."""
        found = [
            [(at // stride, k) for k in range(size) if (at := phase + begin - k * dilation) % stride == 0]
            for phase in range(stride)
        ]
        places = [place for taps in found for place, _ in taps]
        first = min(places)
        taps = tuple(tuple((place - first, k) for place, k in one) for one in found)
        return Phases(first, max(places) - first + 1, taps)

    def span(self, phase: int) -> tuple[int, int]:
        """Return the places in the window that a phase reads: from one to before another."""
        places = [place for place, _ in self.taps[phase]]
        return (min(places), max(places) + 1) if places else (0, 0)


@dataclass(frozen=True)
class Spread:
    """Sizes of a transposed convolution: data [N, H, W, C], kernel, strides, dilations, and the output.

    `begin` is how much of the whole result is cut off before the output.
    """

    data: tuple[int, int, int, int]
    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    begin: tuple[int, int]
    output: tuple[int, int]
    groups: int
    channels: int
    """Channels of the output."""

    @property
    def phases(self) -> tuple[Phases, Phases]:
        """The phases of lines, and of the pixels of a line."""
        rows = zip(self.kernel, self.strides, self.dilations, self.begin, strict=True)
        y, x = (Phases.of(*row) for row in rows)
        return y, x

    @property
    def counts(self) -> tuple[int, int]:
        """How many outputs there are of the first phase of lines and of pixels."""
        y, x = (-(-length // stride) for length, stride in zip(self.output, self.strides, strict=True))
        return y, x


class _Part(NamedTuple):
    """What one thread does: some lines of the data's windows, and some phases of the output's lines."""

    lines: tuple[int, int]
    phases: tuple[int, int]
    columns: Array
    product: Array


class _ByPhases:
    """The transposed convolution, with the buffers of its threads."""

    def __init__(self, spread: Spread, weights: Array, epilogue: Rows | None, pool: ThreadPool) -> None:
        self.spread, self.epilogue, self.pool = spread, epilogue, pool
        self.y, self.x = spread.phases
        self.packed = [_packed(weights, self.y, self.x, phase) for phase in range(spread.strides[0])]
        lines, self.width = spread.counts
        self.inner, self.outer = weights.shape[1:3]
        depth, made = self.y.reach * self.x.reach * self.inner, spread.strides[1] * self.outer
        work = lines * self.width * depth * made * spread.strides[0] * spread.groups
        threads = pool.size if work >= SMALL_WORK else 1
        self.few = spread.data[1] * spread.data[2] < FEW_PIXELS
        line_parts, phase_parts = split(lines, 1 if self.few else threads), split(spread.strides[0], threads)
        phase_parts = phase_parts if self.few else [(0, spread.strides[0])]
        longest = max(end - start for start, end in line_parts)
        fitting = max(BLOCK_BYTES // ((depth + made) * weights.itemsize), BLOCK_ROWS)
        self.step = max(min(fitting // self.width, longest), 1)
        rows = self.step * self.width
        self.parts = [
            _Part(some, phases, np.empty((rows, depth), weights.dtype), np.empty((rows, made), weights.dtype))
            for some in line_parts
            for phases in phase_parts
        ]
        self.padded = _Padded(spread, self.y, self.x, weights.dtype)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        source, size = self.padded(data), output.shape[1] * output.shape[2]

        def part(number: int) -> None:
            for sample in range(len(output)):
                for line in range(*self.parts[number].lines, self.step):
                    block = self._lines(self.parts[number], source[sample], output[sample], line)
                    if self.epilogue is not None and not self.few:
                        first = line * self.spread.strides[0] * output.shape[2]
                        self.epilogue(block.reshape(-1, output.shape[3]), sample * size + first, operands)

        self.pool.run(part, len(self.parts))
        if self.epilogue is not None and self.few:
            self.epilogue(output.reshape(-1, output.shape[3]), 0, operands)

    def _lines(self, part: _Part, source: Array, output: Array, line: int) -> Array:
        """Compute some lines of the output, and return them."""
        stride = self.spread.strides[0]
        count = min(self.step, part.lines[1] - line)
        block = output[line * stride : (line + count) * stride]
        for group in range(self.spread.groups):
            columns = self._windows(part, source[..., group * self.inner : (group + 1) * self.inner], line, count)
            target = block[..., group * self.outer : (group + 1) * self.outer]
            for phase in range(*part.phases):
                self._product(part, columns, self.packed[phase][group], phase, target[phase::stride])
        return block

    def _windows(self, part: _Part, image: Array, line: int, count: int) -> Array:
        """Return the windows of some lines as rows."""
        row, pixel, item = image.strides
        channels, wide = image.shape[2], self.x.reach
        if self.y.reach == wide == 1 and row == pixel * self.width:
            return image[line : line + count].reshape(-1, channels)
        shape: tuple[int, ...]
        steps: tuple[int, ...]
        if pixel == item * channels:
            shape, steps = (count, self.width, self.y.reach, wide * channels), (row, pixel, row, item)
        else:
            shape, steps = (count, self.width, self.y.reach, wide, channels), (row, pixel, row, pixel, item)
        windows = as_strided(image[line:], shape, steps, writeable=False)
        columns = part.columns[: count * self.width]
        np.copyto(columns.reshape(windows.shape), windows)
        return columns

    def _product(self, part: _Part, columns: Array, weights: Array, phase: int, target: Array) -> None:
        """Compute the lines of one phase."""
        if not len(weights) or not len(target):
            target[...] = 0
            return
        begin = self.y.span(phase)[0] * self.x.reach * self.inner
        rows = columns[: len(target) * self.width, begin : begin + len(weights)]
        if target.flags.c_contiguous and target.size == len(rows) * weights.shape[1]:
            np.matmul(rows, weights, out=target.reshape(len(rows), -1))
            return
        product = part.product[: len(rows)]
        np.matmul(rows, weights, out=product)
        target[...] = product.reshape(len(target), -1, self.outer)[:, : target.shape[1]]


def by_phases(spread: Spread, weights: Array, epilogue: Rows | None, pool: ThreadPool) -> Run:
    """Return the transposed convolution with `weights` [G, C, O, kh, kw]."""
    return _ByPhases(spread, weights, epilogue, pool)


def _packed(weights: Array, y: Phases, x: Phases, phase: int) -> list[Array]:
    """Return for each group the weights of one phase of lines: [lines * pixels * C, phases of pixels * O]."""
    groups, inner, outer = weights.shape[:3]
    first, last = y.span(phase)
    packed = np.zeros((groups, last - first, x.reach, inner, len(x.taps), outer), weights.dtype)
    for line, k in y.taps[phase]:
        for number, taps in enumerate(x.taps):
            for pixel, m in taps:
                packed[:, line - first, pixel, :, number] = weights[..., k, m]
    return list(packed.reshape(groups, -1, len(x.taps) * outer))


class _Padded:
    """The data where windows read it: from the first to the last element that any output reads, zeros around it."""

    def __init__(self, spread: Spread, y: Phases, x: Phases, dtype: np.dtype[np.generic]) -> None:
        samples, *lengths, channels = spread.data
        reached = [count - 1 + axis.reach for count, axis in zip(spread.counts, (y, x), strict=True)]
        self.firsts = (y.first, x.first)
        self.plain = list(self.firsts) == [0, 0] and reached == lengths
        self.buffer = None if self.plain else np.zeros((samples, *reached, channels), dtype)

    def __call__(self, data: Array) -> Array:
        if self.buffer is None:
            return data if data.flags.c_contiguous else np.ascontiguousarray(data)
        sources, targets = [], []
        for first, length, reached in zip(self.firsts, data.shape[1:3], self.buffer.shape[1:3], strict=True):
            start, end = max(first, 0), max(min(length, first + reached), first, 0)
            sources.append(slice(start, end))
            targets.append(slice(start - first, end - first))
        self.buffer[:, targets[0], targets[1]] = data[:, sources[0], sources[1]]
        return self.buffer


def depthwise(spread: Spread, weights: Array, epilogue: Rows | None, _pool: ThreadPool) -> Run:
    """Return the transposed convolution of each channel alone; `weights` are [C, kh, kw].

    Every phase is a sum of products of lines of the data, of some lines at a time.
    """
    y, x = spread.phases
    lines, width = spread.counts
    channels, tall, wide = weights.shape
    tiled = np.ascontiguousarray(np.broadcast_to(weights.transpose(1, 2, 0)[:, :, None], (tall, wide, width, channels)))
    step = max(min(DEPTHWISE_BYTES // (weights.itemsize * width * channels), lines), 1)
    sums, products = np.empty((2, step, width, channels), weights.dtype)
    padded = _Padded(spread, y, x, weights.dtype)

    def phase(image: Array, target: Array, rows: Sequence[tuple[int, int]], pixels: Sequence[tuple[int, int]]) -> None:
        total, made = sums[: len(target)], products[: len(target)]
        total[...] = 0
        for (line, k), (pixel, m) in ((row, one) for row in rows for one in pixels):
            np.multiply(image[line : line + len(target), pixel : pixel + width], tiled[k, m], out=made)
            np.add(total, made, out=total)
        target[...] = total[:, : target.shape[1]]

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source = padded(data)
        for sample in range(len(output)):
            for line in range(0, lines, step):
                top = line * len(y.taps)
                block = output[sample, top : (line + step) * len(y.taps)]
                for number, place in np.ndindex(min(len(y.taps), len(block)), len(x.taps)):
                    target = block[number :: len(y.taps), place :: len(x.taps)]
                    phase(source[sample, line:], target, y.taps[number], x.taps[place])
                if epilogue is not None:
                    epilogue(block.reshape(-1, channels), (sample * output.shape[1] + top) * output.shape[2], operands)

    return run


DEPTHWISE_BYTES = 2**17
"""Bytes of sums that a depthwise form makes at once."""
