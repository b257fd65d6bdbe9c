"""Convolutions and products of u8 with i8 weights, in groups or in one, as jobs of a spin pool.

Sums are exact in i32. Where nothing but a bias and limits stands between the sums and the levels of the result, tiles
are stored as u8; otherwise the epilogue is applied to a block of f32 that stays in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
from ir_plugin.kernels.numba.gemm.integer_micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.integer_weights import (
    TALLEST,
    IntegerWeights,
    multiply_integers,
    packed_depthwise,
    packed_panels,
)
from ir_plugin.kernels.numba.gemm.products import convolution_fields, epilogue_fields
from ir_plugin.kernels.numba.quantized_rows import QUANTIZED, Scratch, finish_rows
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import STRIDES, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.numpy.quantization import SumsEpilogue
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**18
"""Bytes of data, and of f32 that an epilogue is applied to, which meet one panel of weights after the other."""
MOST_ROWS = 6 * TALLEST

INTEGER = struct(
    f"tables windows panels padded padded_line_bytes padded_lines narrow direct {' '.join(STRIDES)}", QUANTIZED
)
"""The tables of the packed weights; where each pixel's window begins; the number of panels; padded data (0 if the data
is read as it lies), the bytes of a line of it and the lines of a sample; memory for rows shorter than a register (0 if
they are not); whether tiles are stored as levels at once; the data's strides."""


@compiled("void(i8, i8, i8)")
def _pad(address: int, first: int, last: int) -> None:
    """Copy some lines of the data into the padded ones; the pads have the zero point from the beginning."""
    a = arguments_at(address, INTEGER)
    channels, breadth, stride_x, stride_c = a.channels, a.breadth, a.stride_x, a.stride_c
    for line in range(first, last):
        y = line % a.padded_lines - a.pad_top
        if y < 0 or y >= a.height:
            continue
        source = a.data + line // a.padded_lines * a.stride_n + y * a.stride_y
        target = a.padded + line * a.padded_line_bytes + a.pad_left * channels
        if stride_c == 1 and stride_x == channels:
            copy(target, source, channels * breadth)
        elif stride_c == 1:
            for x in range(breadth):
                copy(target + channels * x, source + stride_x * x, channels)
        else:
            pixels = carray(pointer(target), (breadth * channels,), np.uint8)
            for channel in range(channels):
                plane = carray(pointer(source + channel * stride_c), ((breadth - 1) * stride_x + 1,), np.uint8)
                for x in range(breadth):
                    pixels[x * channels + channel] = plane[x * stride_x]


@compiled("i8(i8, i8, i8)")
def _source(address: int, first: int, last: int) -> int:
    """Return where the windows of the pixels [first, last) lie, which are copied there first if they need pads.

    Threads whose windows overlap write the same numbers to the same lines.
    """
    a = arguments_at(address, INTEGER)
    if a.padded == 0:
        return int(a.data)
    if first < last:
        windows = carray(pointer(a.windows), (last,), np.int64)
        reach = (a.kernel_height - 1) * a.dilation_down + 1
        _pad(address, windows[first] // a.padded_line_bytes, windows[last - 1] // a.padded_line_bytes + reach)
    return int(a.padded)


@compiled("void(i8, i8, i8, i8, i8, i8)")
def _blocks(address: int, first: int, last: int, panel: int, panels: int, part: int) -> None:
    """Compute the columns of some panels for some pixels, and apply the epilogue if these are all panels."""
    a = arguments_at(address, INTEGER)
    source = _source(address, first, last)
    is_whole = panels - panel == a.panels
    to_bytes = a.direct if a.direct else np.int64(0)
    size = np.int64(1) if to_bytes else np.int64(4)
    row_bytes = size * a.width
    blocks = max(-(-(last - first) // a.block_rows), 1)
    most = -(-(last - first) // (blocks * TALLEST)) * TALLEST
    for begin in range(first, last, max(most, 1)):
        count = min(most, last - begin)
        if a.direct != 0 or a.to_bytes == 0:
            target = a.output + begin * row_bytes
        elif is_whole:
            target = a.block + 4 * part * a.scratch_rows * a.width
        else:
            target = a.block + begin * row_bytes
        scratch = a.narrow + 4 * LANES * part * a.block_rows
        output, step = (target, row_bytes) if a.narrow == 0 else (scratch, size * LANES)
        multiply_integers(a.tables, panel, panels, source, a.windows + 8 * begin, count, output, step, to_bytes)
        if a.narrow != 0:
            for row in range(count):
                copy(target + row * row_bytes, scratch + row * step, row_bytes)
        if is_whole and a.direct == 0:
            finish_rows(address, part, target, begin, begin + count)


@job
def _by_rows(address: int, part: int) -> None:
    """Compute all columns of a part of the pixels."""
    a = arguments_at(address, INTEGER)
    units = -(-a.rows // TALLEST)
    first = bound(units, a.parts, part) * TALLEST
    last = min(bound(units, a.parts, part + 1) * TALLEST, a.rows)
    _blocks(address, first, last, 0, a.panels, part)


@job
def _by_panels(address: int, part: int) -> None:
    """Compute the columns of a part of the panels for all pixels."""
    a = arguments_at(address, INTEGER)
    first, last = bound(a.panels, a.parts, part), bound(a.panels, a.parts, part + 1)
    _blocks(address, 0, a.rows, first, last, part)


@job
def _finish_by_rows(address: int, part: int) -> None:
    """Apply the epilogue to a part of the rows that `_by_panels` has computed."""
    a = arguments_at(address, INTEGER)
    first, last = bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)
    for begin in range(first, last, a.scratch_rows):
        source = a.block if a.to_bytes else a.output
        end = min(begin + a.scratch_rows, last)
        finish_rows(address, part, source + 4 * begin * a.width, begin, end)


class IntegerConvolution(JobKernel):
    """A convolution with packed weights, the epilogue behind it, and all memory that its jobs use.

    It computes the output [N, H, W, O], in C order, from data [N, H, W, C] and the epilogue's operands as rows.
    """

    def __init__(
        self,
        geometry: Geometry,
        weights: IntegerWeights,
        epilogue: SumsEpilogue,
        coded: EncodedEpilogue,
        spin_pool: SpinPool,
        zero: int,
    ) -> None:
        self._geometry, self._weights, self._coded, self._zero = geometry, weights, coded, zero
        rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
        parts = _shares(rows, weights.weights.size, spin_pool)
        by_rows = parts == 1 or rows >= 2 * TALLEST * spin_pool.size or weights.count < 2 * spin_pool.size
        step = _block(geometry, epilogue) if by_rows else -(-rows // TALLEST) * TALLEST
        self._windows = _windows(geometry)
        self._narrow = np.empty(parts * step * LANES if geometry.channels < LANES else 0, np.float32)
        self._scratch = Scratch(0 if epilogue.direct else parts, step, geometry.channels, epilogue.rest)
        pads = any(geometry.begin + geometry.end) or not _is_whole(geometry)
        self._padded = self._pads() if pads else None
        line_bytes, lines = _lines(geometry)
        arguments = filled(
            INTEGER, parts=parts, block_rows=step, tables=weights.address, windows=address_of(self._windows),
            panels=weights.count, padded_line_bytes=line_bytes, padded_lines=lines,
            padded=0 if self._padded is None else address_of(self._padded), direct=int(epilogue.direct),
            narrow=address_of(self._narrow) if self._narrow.size else 0,
            **convolution_fields(geometry), **self._scratch.fields, **epilogue_fields(coded),
        )  # fmt: skip
        finishes = not epilogue.direct and (len(coded.codes) > 0 or epilogue.rest.output is not None)
        rest = [_finish_by_rows.address] if finishes else []
        jobs = [_by_rows.address] if by_rows else [_by_panels.address, *rest]
        super().__init__(spin_pool, arguments, jobs, parts, coded.position)

    def _pads(self) -> Array:
        line, lines = _lines(self._geometry)
        return np.full(self._geometry.data[0] * lines * line + 4, self._zero, np.uint8)

    def _prepare(self, data: Array) -> None:
        if self._padded is None and not data.flags.c_contiguous:
            self._padded = self._pads()
            self._arguments["padded"] = address_of(self._padded)


def _is_whole(geometry: Geometry) -> bool:
    """Return whether runs of neighbouring channels consist of quads, so that nothing behind the data is read."""
    if geometry.groups == geometry.data[3] == geometry.channels and geometry.channels >= LANES:
        return True
    return geometry.data[3] // geometry.groups % 4 == 0 and geometry.data[3] % 4 == 0


def _shares(rows: int, weights: int, spin_pool: SpinPool) -> int:
    """Return in how many parts work is shared: more than threads where it is long, for one thread may be held up."""
    if rows * weights < 4 * policy.CONVOLUTION_JOB_SHARED_MIN_MULTIPLICATIONS or spin_pool.size == 1:
        return 1
    work = rows * weights // (4 * policy.CONVOLUTION_JOB_PART_MIN_MULTIPLICATIONS)
    return spin_pool.size * max(min(work, rows // (MOST_ROWS * spin_pool.size), 4), 1)


def _block(geometry: Geometry, epilogue: SumsEpilogue) -> int:
    """Return how many pixels meet a panel together: their data, and f32 results that wait, fit the cache."""
    step_y, step_x = geometry.strides if geometry.kernel != (1, 1) else (1, 1)
    pixel = geometry.data[3] * step_y * step_x + (0 if epilogue.direct else 4 * geometry.channels)
    return min(max(BLOCK_BYTES // pixel // TALLEST, 1) * TALLEST, MOST_ROWS)


def _lines(geometry: Geometry) -> tuple[int, int]:
    """Return the bytes of a padded line and the lines of a sample."""
    _, height, width, channels = geometry.data
    (top, left), (bottom, right) = geometry.begin, geometry.end
    return channels * (width + left + right), height + top + bottom


def _windows(geometry: Geometry) -> Array:
    """Return where, in the padded data, the window of each pixel of the output begins."""
    line, lines = _lines(geometry)
    (height, width), (step_y, step_x) = geometry.output, geometry.strides
    samples = np.arange(geometry.data[0])[:, None, None] * lines * line
    rows, columns = np.arange(height)[:, None] * step_y * line, np.arange(width) * step_x * geometry.data[3]
    return np.ascontiguousarray((samples + rows + columns).reshape(-1), np.int64)


def _packed(
    geometry: Geometry,
    weights: Array,
    vectors: tuple[Array, Array, Array],
    limits: tuple[float, float],
    derived: Derived,
) -> IntegerWeights:
    """Return i8 weights [G, O, C, kh, kw] as panels; windows are read in runs as long as they lie together."""
    source, total = weights, weights.shape[0]
    is_depthwise = weights.shape[1] == weights.shape[2] == 1 and total >= LANES
    weights, firsts = (weights, [0]) if is_depthwise else merged_groups(weights)
    groups, outputs, channels, tall, wide = weights.shape
    (far_y, far_x), pixel = geometry.dilations, geometry.data[3]
    line, _ = _lines(geometry)
    together = wide == 1 or (total == 1 and far_x == 1)
    columns = [0] if together and not is_depthwise else [kx * far_x * pixel for kx in range(wide)]
    offsets = [ky * far_y * line + column for ky in range(tall) for column in columns]
    shape = (groups, len(offsets), tall * wide * channels // len(offsets), outputs)
    shape = (1, len(offsets), 0, total) if is_depthwise else shape

    def packed_once() -> Array:
        if is_depthwise:
            taps = weights.reshape(total, -1).T
            return derived("taps of integers", [source], lambda: [packed_depthwise(taps)])[0]
        matrices = weights.transpose(0, 3, 4, 2, 1).reshape(shape)
        return derived("panels of integers", [source], lambda: [packed_panels(matrices)])[0]

    return IntegerWeights(shape, packed_once, offsets, _of_groups(geometry, firsts), vectors, limits)


def _of_groups(geometry: Geometry, firsts: Sequence[int]) -> Array:
    """Return, for each merged group, the first channel of the data that it reads and its first column."""
    channels, columns = geometry.data[3] // geometry.groups, geometry.channels // geometry.groups
    return np.array([[first * channels, first * columns] for first in firsts], np.int64)


def merged_groups(weights: Array) -> tuple[Array, list[int]]:
    """Return weights [G, O, C, kh, kw] of fewer, larger groups whose outputs fill a register, and the first of each.

    What a group does not read has weights of zero. The last ones overlap where their number is no multiple.
    """
    groups, outputs, channels, *kernel = weights.shape
    merged = min(-(-LANES // outputs), groups)
    firsts = list(range(0, groups - merged + 1, merged))
    firsts += [groups - merged] if firsts[-1] + merged < groups else []
    if merged == 1:
        return weights, firsts
    spread = np.zeros((len(firsts), merged, outputs, merged, channels, *kernel), weights.dtype)
    for position, first in enumerate(firsts):
        for number in range(merged):
            spread[position, number, :, number] = weights[first + number]
    return spread.reshape(len(firsts), merged * outputs, merged * channels, *kernel), firsts


def integer_convolution(
    geometry: Geometry,
    weights: Array,
    zero: int,
    epilogue: SumsEpilogue,
    coded: EncodedEpilogue,
    derived: Derived = underived,
) -> Callable[[SpinPool], IntegerConvolution]:
    """Return what binds the convolution of levels of u8, of which `zero` means 0, to a spin pool.

    `weights` are i8 [O, C, kh, kw] or [G, O, C, kh, kw]; `coded` has the stages of the epilogue.
    """
    grouped = weights if weights.ndim == 5 else weights[None]

    @cache
    def packed() -> IntegerWeights:
        start = -zero * grouped.astype(np.int64).sum((2, 3, 4)).reshape(-1)
        vectors = start.astype(np.int32), epilogue.scale, epilogue.offset
        return _packed(geometry, grouped, vectors, epilogue.limits, derived)

    return lambda spin_pool: IntegerConvolution(geometry, packed(), epilogue, coded, spin_pool, zero)
