"""Maxima and sums of windows on memory with channels last, one axis after the other.

Lines first: their sums are made of whole lines, which are long and contiguous, some lines at a time so that they stay
in the cache for the sums along them. Pads are never copied around the data: lines outside are left out, and the sums of
lines get the pads at their ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

Pooling: TypeAlias = "Callable[[Array, Array], None]"
"""Computes [N, H, W, C] from [N, H, W, C]."""

BLOCK_BYTES = 2**18
"""Bytes of sums of lines that are made at once."""

MANY_ELEMENTS = 2**21
"""Elements of the data from which on threads share the lines: below, many short calls wait for each other."""


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
        """Elements from the first to the last that windows meet."""
        return (self.outputs - 1) * self.stride + (self.size - 1) * self.dilation + 1

    def met(self, place: int, first: int, last: int) -> tuple[int, int]:
        """Return which of the windows [first, last) have data at a place."""
        shift = place * self.dilation - self.begin
        start = max(-(shift // self.stride), first)
        return start, max(min((self.length - 1 - shift) // self.stride + 1, last), start)


@dataclass(frozen=True)
class Windows:
    """What is pooled: samples, the lines, the pixels of a line, and channels."""

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
    """Return the reduction of windows by `ufunc`, with pads of `start`, times `factors` (one, or [H, W, 1])."""
    lines, pixels, channels = windows.lines, windows.pixels, windows.channels
    wide = max(pixels.begin + pixels.length, pixels.reach)
    room = max(BLOCK_BYTES // (dtype.itemsize * wide * channels), 1)
    jobs = _jobs(windows.samples, lines.outputs, room)
    large = windows.samples * lines.length * pixels.length * channels >= MANY_ELEMENTS
    parts = split(len(jobs), pool.size if large else 1)
    sums = [np.full((room, wide, channels), start, dtype) for _ in parts]
    inner = slice(pixels.begin, pixels.begin + pixels.length)

    def run(data: Array, output: Array) -> None:
        def part(number: int) -> None:
            for samples, (first, last) in jobs[slice(*parts[number])]:
                target = output[samples, first:last]
                block = sums[number][: target.shape[0] * target.shape[1]].reshape(*target.shape[:2], wide, channels)
                _of_lines(data[samples], block[:, :, inner], lines, first, ufunc, start)
                _along(block, target, pixels, ufunc)
                if factors is not None:
                    np.multiply(target, factors[first:last] if factors.ndim else factors, out=target)

        pool.run(part, len(parts))

    return run


def _jobs(samples: int, lines: int, room: int) -> list[tuple[slice, tuple[int, int]]]:
    """Return samples and their lines so that at most `room` lines are in one: whole samples where these are small."""
    if lines <= room:
        step = room // lines
        return [(slice(first, min(first + step, samples)), (0, lines)) for first in range(0, samples, step)]
    return [
        (slice(sample, sample + 1), (first, min(first + room, lines)))
        for sample in range(samples)
        for first in range(0, lines, room)
    ]


def _of_lines(data: Array, block: Array, lines: Axis, first: int, ufunc: np.ufunc, start: float) -> None:
    """Reduce the lines of the windows from `first` on into the block, a line for each."""
    count = block.shape[1]
    views = []
    for place in range(lines.size):
        begin, end = lines.met(place, first, first + count)
        if begin < end:
            top = begin * lines.stride + place * lines.dilation - lines.begin
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
    """Reduce windows of the pixels of lines with their pads."""
    reach = (pixels.outputs - 1) * pixels.stride + 1
    starts = [place * pixels.dilation for place in range(pixels.size)]
    views = [block[:, :, first : first + reach : pixels.stride] for first in starts]
    if pixels.size == 1:
        np.copyto(target, views[0])
        return
    ufunc(views[0], views[1], out=target)
    for view in views[2:]:
        ufunc(target, view, out=target)
