"""Pooling with channels last as separable reductions: over the lines of windows first, then along the lines.

The first reduction combines whole lines, which are long and contiguous, in blocks that stay in the cache for the
second. The data is never padded: lines outside it are skipped, and the block has pads at the ends of its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

Pooling: TypeAlias = "Callable[[Array, Array], None]"
"""Computes [N, H, W, C] from [N, H, W, C]."""

BLOCK_BYTES = 2**18
"""Bytes of reduced lines in one block."""


class Axis(NamedTuple):
    """How windows move along one axis of a length, and the pads before the data there."""

    length: int
    size: int
    stride: int
    dilation: int
    outputs: int
    begin: int

    @property
    def reach(self) -> int:
        """The number of elements from the first to the last that windows read, pads included."""
        return (self.outputs - 1) * self.stride + (self.size - 1) * self.dilation + 1

    def windows_at(self, tap: int, first: int, last: int) -> tuple[int, int]:
        """Return the range of those windows [first, last) whose tap reads data rather than a pad."""
        shift = tap * self.dilation - self.begin
        start = max(-(shift // self.stride), first)
        return start, max(min((self.length - 1 - shift) // self.stride + 1, last), start)


@dataclass(frozen=True)
class Windows:
    """The sizes of a pooling: samples, the axis of lines, the axis of pixels in a line, and channels."""

    samples: int
    lines: Axis
    pixels: Axis
    channels: int


def separable(
    windows: Windows,
    ufunc: np.ufunc,
    start: float,
    factors: Array | None,
    dtype: np.dtype[np.generic],
    pool: ThreadPool,
) -> Pooling:
    """Return the kernel that reduces windows by `ufunc` from `start` on, times `factors` (scalar or [H, W, 1])."""
    lines, pixels, channels = windows.lines, windows.pixels, windows.channels
    padded_width = max(pixels.begin + pixels.length, pixels.reach)
    block_lines = max(BLOCK_BYTES // (dtype.itemsize * padded_width * channels), 1)
    jobs = _jobs(windows.samples, lines.outputs, block_lines)
    large = windows.samples * lines.length * pixels.length * channels >= policy.POOLING_SHARED_MIN_ELEMENTS
    parts = split(len(jobs), pool.size if large else 1)
    sums = [np.full((block_lines, padded_width, channels), start, dtype) for _ in parts]

    def run(data: Array, output: Array) -> None:
        def part(number: int) -> None:
            for samples, (first, last) in jobs[slice(*parts[number])]:
                target = output[samples, first:last]
                _reduce(data[samples], target, sums[number], windows, first, ufunc, start)
                if factors is not None:
                    np.multiply(target, factors[first:last] if factors.ndim else factors, out=target)

        pool.run(part, len(parts))

    return run


def _jobs(samples: int, lines: int, block_lines: int) -> list[tuple[slice, tuple[int, int]]]:
    """Return samples and their lines so that at most `room` lines are in one: whole samples where these are small."""
    if lines <= block_lines:
        step = block_lines // lines
        return [(slice(first, min(first + step, samples)), (0, lines)) for first in range(0, samples, step)]
    return [
        (slice(sample, sample + 1), (first, min(first + block_lines, lines)))
        for sample in range(samples)
        for first in range(0, lines, block_lines)
    ]


def _reduce(
    data: Array, target: Array, lines: Array, windows: Windows, first: int, ufunc: np.ufunc, start: float
) -> None:
    """Reduce the windows of lines from `first` on; `lines` is memory for reduced lines with the pads at their ends."""
    pixels = windows.pixels
    block = lines[: target.shape[0] * target.shape[1]].reshape(*target.shape[:2], *lines.shape[1:])
    inner = block[:, :, pixels.begin : pixels.begin + pixels.length]
    _of_lines(data, inner, windows.lines, first, ufunc, start)
    _along(block, target, pixels, ufunc)


def _of_lines(data: Array, block: Array, lines: Axis, first: int, ufunc: np.ufunc, start: float) -> None:
    """Reduce the lines of each window from `first` on to one line of the block."""
    count = block.shape[1]
    views = []
    for tap in range(lines.size):
        begin, end = lines.windows_at(tap, first, first + count)
        if begin < end:
            top = begin * lines.stride + tap * lines.dilation - lines.begin
            rows = data[:, top : top + (end - begin - 1) * lines.stride + 1 : lines.stride]
            views.append((rows, block[:, begin - first : end - first]))
    whole = [number for number, (rows, _) in enumerate(views) if rows.shape[1] == count]
    if len(whole) > 1:
        ufunc(views[whole[0]][0], views[whole[1]][0], out=block)
    elif whole:
        np.copyto(block, views[whole[0]][0])
    else:
        block[...] = start
    for number, (rows, target) in enumerate(views):
        if number not in whole[:2]:
            ufunc(target, rows, out=target)


def _along(block: Array, target: Array, pixels: Axis, ufunc: np.ufunc) -> None:
    """Reduce the windows along the padded lines of a block."""
    reach = (pixels.outputs - 1) * pixels.stride + 1
    starts = [tap * pixels.dilation for tap in range(pixels.size)]
    views = [block[:, :, first : first + reach : pixels.stride] for first in starts]
    if pixels.size == 1:
        np.copyto(target, views[0])
        return
    ufunc(views[0], views[1], out=target)
    for view in views[2:]:
        ufunc(target, view, out=target)
