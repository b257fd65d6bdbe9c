"""The windows of a convolution's pixels: where they begin, in the data itself or in a padded copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_plugin.kernels import policy
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import THREE_PLANES, carray, copy, fill_bytes, interleave_three, pointer
from ir_plugin.kernels.numba.runtime.job import STRIDES, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

WINDOWS = f"tables windows panels padded padded_line_bytes padded_lines pad narrow {' '.join(STRIDES)}"
"""Fields that follow `CONVOLUTION`: the tables of the packed weights; where each pixel's window begins; the number of
panels; padded data (0 if the data is read in place), the bytes of a line of it, the lines of a sample, and the byte
that pads consist of; memory for rows shorter than a register (0 if they are not); the data's strides."""
REGISTER_BYTES = 64
INTERLEAVED = 16
"""Channels of a pixel that are written together: a cache line of floats."""


@register_jitable
def _interleave(
    target: int, source: int, breadth: int, channels: int, step: int, plane: int, element: Any, size: int
) -> None:
    """Copy channels that lie `plane` bytes apart, of pixels `step` elements apart, beside each other."""
    begin = 0
    if size == 1 and channels == 3 and step == 1:
        begin = breadth // THREE_PLANES * THREE_PLANES
        for x in range(0, begin, THREE_PLANES):
            interleave_three(target + 3 * x, source + x, plane)
    pixels = carray(pointer(target), (breadth * channels,), element)
    for first in range(0, channels, INTERLEAVED):
        count, planes = min(INTERLEAVED, channels - first), source + first * plane
        for x in range(begin, breadth):
            for channel in range(count):
                line = carray(pointer(planes + channel * plane), ((breadth - 1) * step + 1,), element)
                pixels[x * channels + first + channel] = line[x * step]


@register_jitable
def _pad(address: int, struct: Any, element: Any, size: int, first: int, last: int) -> None:
    """Copy some lines of the data, with pads around them, into the padded ones."""
    a = arguments_at(address, struct)
    channels, breadth, stride_x, stride_c = a.channels, a.breadth, a.stride_x, a.stride_c
    before, inside = size * a.pad_left * channels, size * breadth * channels
    for line in range(first, last):
        y = line % a.padded_lines - a.pad_top
        target = a.padded + line * a.padded_line_bytes
        if y < 0 or y >= a.height:
            fill_bytes(target, a.pad, a.padded_line_bytes)
            continue
        fill_bytes(target, a.pad, before)
        fill_bytes(target + before + inside, a.pad, a.padded_line_bytes - before - inside)
        source = a.data + line // a.padded_lines * a.stride_n + y * a.stride_y
        target += before
        if stride_c == size and stride_x == size * channels:
            copy(target, source, size * channels * breadth)
        elif stride_c == size:
            for x in range(breadth):
                copy(target + size * channels * x, source + stride_x * x, size * channels)
        else:
            _interleave(target, source, breadth, channels, stride_x // size, stride_c, element, size)


@register_jitable
def window_data(address: int, struct: Any, element: Any, size: int, first: int, last: int) -> int:
    """Return where the windows of the pixels [first, last) lie, which are copied there first if they need pads.

    The data has elements of `size` bytes. Threads whose windows overlap write the same numbers to the same lines.
    """
    a = arguments_at(address, struct)
    if a.padded == 0:
        return int(a.data)
    if first < last:
        windows = carray(pointer(a.windows), (last,), np.int64)
        reach = (a.kernel_height - 1) * a.dilation_down + 1
        begin, end = windows[first] // a.padded_line_bytes, windows[last - 1] // a.padded_line_bytes + reach
        _pad(address, struct, element, size, begin, end)
    return int(a.padded)


@register_jitable
def part_of_rows(rows: int, parts: int, part: int, tile: int) -> tuple[int, int]:
    """Return the range [first, end) of rows of a part; parts are whole tiles."""
    units = -(-rows // tile)
    return bound(units, parts, part) * tile, min(bound(units, parts, part + 1) * tile, rows)


@register_jitable
def rows_of_block(rows: int, most: int, tile: int) -> int:
    """Return how many of the rows, in whole tiles, each of equal blocks has that are not longer than `most`."""
    blocks = max(-(-rows // most), 1)
    return max(-(-rows // (blocks * tile)) * tile, 1)


class Windows:
    """Where windows begin, and the memory of padded data, of one element type and byte of the pads."""

    def __init__(self, geometry: Geometry, element: npt.DTypeLike, pad: int, spin_pool: SpinPool) -> None:
        self._spin_pool, self._pad, self._item = spin_pool, pad, np.dtype(element).itemsize
        self.starts = np.empty(0, np.int64)
        self.resize(geometry)

    def resize(self, geometry: Geometry) -> None:
        """Describe the windows of data of other lengths; the memory stays where it is large enough."""
        samples, _, _, channels = geometry.data
        self.line_bytes, self.lines = padded_lines(geometry, self._item)
        self.size = samples * self.lines * self.line_bytes
        (height, width), (step_y, step_x) = geometry.output, geometry.strides
        count = samples * height * width
        if self.starts.size < count:
            self.starts = np.empty(count, np.int64)
        columns = _multiples(width, step_x * self._item * channels)
        if samples == height == 1:
            self.starts[:count] = columns
        else:
            rows = np.add.outer(_multiples(samples, self.size // samples), _multiples(height, step_y * self.line_bytes))
            np.add.outer(rows, columns, out=self.starts[:count].reshape(samples, height, width))
        self._padded: Array | None = None

    def pad(self) -> int:
        """Return the address of padded data; a register that begins at its last element stays within its memory."""
        if self._padded is None:
            self._padded = self._spin_pool.scratch(self.size + REGISTER_BYTES)
        return address_of(self._padded)

    @property
    def fields(self) -> dict[str, int]:
        """The fields of `WINDOWS` that do not depend on the data."""
        return {
            "windows": address_of(self.starts), "padded_line_bytes": self.line_bytes, "padded_lines": self.lines,
            "pad": self._pad,
        }  # fmt: skip


def _multiples(count: int, step: int) -> Array:
    """Return the first multiples of a step, from 0 on."""
    return np.arange(0, count * step, step)


class WindowKernel(JobKernel):
    """A kernel that reads windows of the data in place, or of a padded copy where the memory is not channels last."""

    reads_planes = True
    _windows: Windows

    def _prepare(self, data: Array) -> None:
        if not self._arguments["padded"] and not data.flags.c_contiguous:
            self._arguments["padded"] = self._windows.pad()


def padded_lines(geometry: Geometry, item: int) -> tuple[int, int]:
    """Return the bytes of a padded line, of elements of `item` bytes, and the lines of a sample."""
    _, height, width, channels = geometry.data
    (top, left), (bottom, right) = geometry.begin, geometry.end
    return item * channels * (width + left + right), height + top + bottom


def run_offsets(geometry: Geometry, item: int, is_row_together: bool) -> list[int]:
    """Return where the runs of neighbours begin that a window consists of: its rows, or each of its pixels."""
    (tall, wide), (far_y, far_x) = geometry.kernel, geometry.dilations
    line, _ = padded_lines(geometry, item)
    columns = [0] if is_row_together else [kx * far_x * item * geometry.data[3] for kx in range(wide)]
    return [ky * far_y * line + column for ky in range(tall) for column in columns]


def block_diagonal_weights(weights: Array, firsts: Sequence[int], merged: int) -> Array:
    """Return weights [G, O, C, kh, kw] with `merged` groups as one from each of `firsts` on.

    Merged weights are blocks on a diagonal, zeros elsewhere.
    """
    if merged == 1:
        return weights
    _, outputs, channels, *kernel = weights.shape
    blocks = np.zeros((len(firsts), merged, outputs, merged, channels, *kernel), weights.dtype)
    for position, first in enumerate(firsts):
        for number in range(merged):
            blocks[position, number, :, number] = weights[first + number]
    return blocks.reshape(len(firsts), merged * outputs, merged * channels, *kernel)


def shares(rows: int, work: int, most_rows: int, pool: ThreadPool) -> int:
    """Return in how many parts rows are shared: more than threads where work is long, for one thread may be held up.

    `work` is counted in multiplications of f32. All weights are read for each part.
    """
    if work < policy.CONVOLUTION_JOB_SHARED_MIN_MULTIPLICATIONS or pool.size == 1:
        return 1
    parts = min(work // policy.CONVOLUTION_JOB_PART_MIN_MULTIPLICATIONS, rows // (most_rows * pool.size), 4)
    return pool.size * max(parts, 1)


def block_rows(cache_bytes: int, pixel_bytes: int, tile: int, most: int) -> int:
    """Return how many pixels, in whole tiles, meet a panel together, so that what they read stays in the cache."""
    return min(max(cache_bytes // pixel_bytes // tile, 1) * tile, most)
