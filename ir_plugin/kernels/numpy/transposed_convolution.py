"""2-D transposed convolution with channels last, by phases.

With a stride of s, the outputs p, p + s, p + 2s … (phase p) are a convolution of stride 1 with every s-th element of
the kernel. All phases read the same windows of the data, which are copied once and multiplied once for each phase of
the lines; the phases of the pixels are columns of that product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels import policy
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.numpy.pads import Pads
from ir_plugin.kernels.thread_pool import Scratch, ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**20
"""Bytes of windows and products in one block."""

BLOCK_ROWS = 384
"""The fewest windows in one product, as BLAS packs the weights at every call."""

Run: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes the output [N, H, W, O] from the input [N, H, W, C] and the epilogue's operands as rows."""


class Phases(NamedTuple):
    """How the outputs along one axis read the data: all phases of output m read a window from m + first on."""

    first: int
    reach: int
    """The length of the window."""
    taps: tuple[tuple[tuple[int, int], ...], ...]
    """For every phase, the positions in the window with the kernel elements that multiply them."""

    @staticmethod
    def of(size: int, stride: int, dilation: int, begin: int) -> Phases:
        """Return the phases for a kernel; `begin` is the number of outputs that are cropped before the first."""
        phase_taps = [
            [(distance // stride, k) for k in range(size) if (distance := phase + begin - k * dilation) % stride == 0]
            for phase in range(stride)
        ]
        positions = [position for taps in phase_taps for position, _ in taps]
        first = min(positions)
        taps = tuple(tuple((position - first, k) for position, k in tap_pairs) for tap_pairs in phase_taps)
        return Phases(first, max(positions) - first + 1, taps)

    def span(self, phase: int) -> tuple[int, int]:
        """Return the range of positions in the window that a phase reads."""
        positions = [position for position, _ in self.taps[phase]]
        return (min(positions), max(positions) + 1) if positions else (0, 0)


@dataclass(frozen=True)
class Spread:
    """Sizes of a transposed convolution: data [N, H, W, C], kernel, strides, dilations, and the output.

    `begin` is the number of elements cropped before the output along each axis.
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
        """The phases of lines, and the phases of pixels within a line."""
        rows = zip(self.kernel, self.strides, self.dilations, self.begin, strict=True)
        y, x = (Phases.of(*row) for row in rows)
        return y, x

    @property
    def counts(self) -> tuple[int, int]:
        """The number of outputs of the first phase of lines, and of pixels."""
        y, x = (-(-length // stride) for length, stride in zip(self.output, self.strides, strict=True))
        return y, x


class _Part(NamedTuple):
    """The work of one thread: a range of the data's window lines, and of the phases of the output's lines."""

    lines: tuple[int, int]
    phases: tuple[int, int]


class _Buffers(NamedTuple):
    """The memory of one thread: windows as rows, and their product with the weights of a phase."""

    columns: Array
    product: Array


class _ByPhases:
    """The transposed convolution of some lengths."""

    def __init__(
        self, spread: Spread, weights: Array, epilogue: Rows | None, pool: ThreadPool, derived: Derived
    ) -> None:
        self.spread, self.epilogue, self.pool = spread, epilogue, pool
        self.y, self.x = y, x = spread.phases
        phases = range(spread.strides[0])
        self.packed = derived(
            ("phases", y, x), [weights], lambda: [packed_phase(weights, y, x, phase) for phase in phases]
        )
        lines, self.width = spread.counts
        self.inner, self.outer = weights.shape[1:3]
        depth, width = self.y.reach * self.x.reach * self.inner, spread.strides[1] * self.outer
        work = lines * self.width * depth * width * spread.strides[0] * spread.groups
        threads = pool.size if work >= policy.SHARED_MIN_MULTIPLICATIONS else 1
        self.few = spread.data[1] * spread.data[2] < policy.TRANSPOSED_CONVOLUTION_LINES_MIN_PIXELS
        line_parts, phase_parts = split(lines, 1 if self.few else threads), split(spread.strides[0], threads)
        phase_parts = phase_parts if self.few else [(0, spread.strides[0])]
        longest = max(end - start for start, end in line_parts)
        fitting = max(BLOCK_BYTES // ((depth + width) * weights.itemsize), BLOCK_ROWS)
        self.step = max(min(fitting // self.width, longest), 1)
        rows = self.step * self.width
        self.parts = [_Part(part_lines, part_phases) for part_lines in line_parts for part_phases in phase_parts]
        self.padded = _Padded(spread, y, x, weights.dtype)
        buffers = (len(self.parts), rows, depth), (len(self.parts), rows, width)
        self.scratch = Scratch(pool, weights.dtype, self.padded.scratch_shape, *buffers)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        memory, columns, products = self.scratch.arrays()
        source, size = self.padded(memory, data), output.shape[1] * output.shape[2]

        def part(number: int) -> None:
            buffers = _Buffers(columns[number], products[number])
            for sample in range(len(output)):
                for line in range(*self.parts[number].lines, self.step):
                    block = self._lines(self.parts[number], buffers, source[sample], output[sample], line)
                    if self.epilogue is not None and not self.few:
                        first = line * self.spread.strides[0] * output.shape[2]
                        self.epilogue(block.reshape(-1, output.shape[3]), sample * size + first, operands)

        self.pool.run(part, len(self.parts))
        if self.epilogue is not None and self.few:
            self.epilogue(output.reshape(-1, output.shape[3]), 0, operands)

    def _lines(self, part: _Part, buffers: _Buffers, source: Array, output: Array, line: int) -> Array:
        """Compute a block of the output's lines, and return it."""
        stride = self.spread.strides[0]
        count = min(self.step, part.lines[1] - line)
        block = output[line * stride : (line + count) * stride]
        for group in range(self.spread.groups):
            image = source[..., group * self.inner : (group + 1) * self.inner]
            windows = self._windows(buffers.columns, image, line, count)
            target = block[..., group * self.outer : (group + 1) * self.outer]
            for phase in range(*part.phases):
                self._product(buffers.product, windows, self.packed[phase][group], phase, target[phase::stride])
        return block

    def _windows(self, buffer: Array, image: Array, line: int, count: int) -> Array:
        """Return the windows of `count` lines as rows."""
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
        columns = buffer[: count * self.width]
        np.copyto(columns.reshape(windows.shape), windows)
        return columns

    def _product(self, buffer: Array, columns: Array, weights: Array, phase: int, target: Array) -> None:
        """Compute the lines of one phase."""
        if not len(weights) or not len(target):
            target[...] = 0
            return
        begin = self.y.span(phase)[0] * self.x.reach * self.inner
        rows = columns[: len(target) * self.width, begin : begin + len(weights)]
        if target.flags.c_contiguous and target.size == len(rows) * weights.shape[1]:
            np.matmul(rows, weights, out=target.reshape(len(rows), -1))
            return
        product = buffer[: len(rows)]
        np.matmul(rows, weights, out=product)
        target[...] = product.reshape(len(target), -1, self.outer)[:, : target.shape[1]]


def by_phases(
    spread: Spread, weights: Array, epilogue: Rows | None, pool: ThreadPool, derived: Derived = underived
) -> Run:
    """Return the kernel of a transposed convolution; `weights` are [G, C, O, kh, kw]."""
    return _ByPhases(spread, weights, epilogue, pool, derived)


def packed_phase(weights: Array, y: Phases, x: Phases, phase: int) -> Array:
    """Return the packed weights of one phase of lines: [G, lines * pixels * C, phases of pixels * O]."""
    groups, inner, outer = weights.shape[:3]
    first, last = y.span(phase)
    packed = np.zeros((groups, last - first, x.reach, inner, len(x.taps), outer), weights.dtype)
    for line, k in y.taps[phase]:
        for number, taps in enumerate(x.taps):
            for pixel, m in taps:
                packed[:, line - first, pixel, :, number] = weights[..., k, m]
    return packed.reshape(groups, -1, len(x.taps) * outer)


class _Padded:
    """Crops and zero-pads the data [N, H, W, C] to the range that the windows read."""

    def __init__(self, spread: Spread, y: Phases, x: Phases, dtype: np.dtype[np.generic]) -> None:
        samples, *lengths, channels = spread.data
        reached = [count - 1 + axis.reach for count, axis in zip(spread.counts, (y, x), strict=True)]
        is_plain = y.first == x.first == 0 and reached == lengths
        ranges = [
            (max(axis.first, 0), max(min(length, axis.first + reach), axis.first, 0))
            for axis, length, reach in zip((y, x), lengths, reached, strict=True)
        ]
        self._source = slice(None), *(slice(*part) for part in ranges)
        lines, pixels = (
            (start - axis.first, end - axis.first) for axis, (start, end) in zip((y, x), ranges, strict=True)
        )
        self._target = slice(None), slice(*lines), slice(*pixels)
        self._pads = None if is_plain else Pads((samples, *reached, channels), dtype, lines, pixels)
        self.scratch_shape = (0,) if self._pads is None else self._pads.scratch_shape

    def __call__(self, scratch: Array, data: Array) -> Array:
        """Return the range of the data; `scratch` has `scratch_shape`."""
        if self._pads is None:
            return data if data.flags.c_contiguous else np.ascontiguousarray(data)
        buffer = self._pads.buffer(scratch)
        buffer[self._target] = data[self._source]
        return buffer


class _PhaseSums:
    """Sums of products of the data's lines with the weights [C, kh, kw] of one phase, for a block of lines."""

    def __init__(self, weights: Array, lines: int, width: int) -> None:
        channels, tall, wide = weights.shape
        shape = tall, wide, width, channels
        self._weights = np.ascontiguousarray(np.broadcast_to(weights.transpose(1, 2, 0)[:, :, None], shape))
        self._sums, self._products = np.empty((2, lines, width, channels), weights.dtype)

    def fill(
        self, image: Array, target: Array, lines: Sequence[tuple[int, int]], pixels: Sequence[tuple[int, int]]
    ) -> None:
        """Fill the target from an image; taps of lines and pixels are pairs of an offset and an index of the kernel."""
        count, width = len(target), self._sums.shape[1]
        total, partial = self._sums[:count], self._products[:count]
        total[...] = 0
        for (line, k), (pixel, m) in ((row, tap) for row in lines for tap in pixels):
            np.multiply(image[line : line + count, pixel : pixel + width], self._weights[k, m], out=partial)
            np.add(total, partial, out=total)
        target[...] = total[:, : target.shape[1]]


def depthwise(spread: Spread, weights: Array, epilogue: Rows | None, pool: ThreadPool) -> Run:
    """Return the kernel of a depthwise transposed convolution; `weights` are [C, kh, kw].

    Every phase is a sum of products of the data's lines, computed for a block of lines at a time.
    """
    y, x = spread.phases
    lines, width = spread.counts
    channels = len(weights)
    step = max(min(DEPTHWISE_BYTES // (weights.itemsize * width * channels), lines), 1)
    phase = _PhaseSums(weights, step, width)
    padded = _Padded(spread, y, x, weights.dtype)
    scratch = Scratch(pool, weights.dtype, padded.scratch_shape)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source = padded(scratch.arrays()[0], data)
        for sample in range(len(output)):
            for line in range(0, lines, step):
                top = line * len(y.taps)
                block = output[sample, top : (line + step) * len(y.taps)]
                for number, column in np.ndindex(min(len(y.taps), len(block)), len(x.taps)):
                    target = block[number :: len(y.taps), column :: len(x.taps)]
                    phase.fill(source[sample, line:], target, y.taps[number], x.taps[column])
                if epilogue is not None:
                    epilogue(block.reshape(-1, channels), (sample * output.shape[1] + top) * output.shape[2], operands)

    return run


DEPTHWISE_BYTES = 2**17
"""Bytes of sums in one block of a depthwise transposed convolution."""
