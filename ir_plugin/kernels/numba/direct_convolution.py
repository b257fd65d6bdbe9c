"""Convolutions, in groups or in one, as jobs of a crew: tiles of products read the data where they lie.

No windows are gathered, but a padded copy of the data is made where there are pads or the memory is not channels last;
weights are packed once, where BLAS packs both factors in every call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ir_plugin.kernels.compiling import NotFasterError
from ir_plugin.kernels.numba import elementwise_chain as stages
from ir_plugin.kernels.numba.epilogue import Coded
from ir_plugin.kernels.numba.gemm import products
from ir_plugin.kernels.numba.gemm.micro_kernel import HAS_FMA, LANES
from ir_plugin.kernels.numba.gemm.packed_weights import TALLEST, PackedWeights, multiply, spread_groups
from ir_plugin.kernels.numba.gemm.products import bound, finish, finish_rows
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import JobArguments
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.numpy.rows import RowKernel
from ir_plugin.tensors import Array

if not HAS_FMA:
    raise NotFasterError("this processor has no fused multiply-add: products are left to BLAS")

BLOCK_BYTES = 3 * 2**17
"""Bytes of data that meet one panel of weights after the other, which fit a second-level cache of 512 KB with it."""
MOST_ROWS = 6 * TALLEST

FEW_ROWS = 96
"""Pixels of the output a thread below which threads share the panels of weights, so that each reads only its part."""

SMALL_WORK = 200_000
"""Multiplications below which one thread does them: some 5 µs, which sharing a job takes."""

LONG_WORK = 16_000_000
"""Multiplications from which on there are more parts than threads: some 200 µs of both."""

_TABLES, _PLACES, _PANELS, _PADDED, _LINE, _LINES, _NARROW, _STEPS, _NUMBERS = (
    products.NUMBERS + number for number in (0, 1, 2, 3, 4, 5, 6, 7, 11)
)
"""Further arguments: the tables of panels; where each pixel's window begins; the number of panels; padded data (0 where
the data are read as they are), bytes of a line of them and lines of a sample; memory for rows shorter than a register;
the data's strides."""


@compiled("void(i8, i8, i8, i8, i8, i8)")
def _interleave(target: int, source: int, breadth: int, channels: int, step: int, plane: int) -> None:
    """Copy channels that lie `plane` bytes apart, of pixels `step` numbers apart, beside each other."""
    made = carray(pointer(target), (breadth * channels,), np.float32)
    for channel in range(channels):
        line = carray(pointer(source + channel * plane), ((breadth - 1) * step + 1,), np.float32)
        for x in range(breadth):
            made[x * channels + channel] = line[x * step]


@compiled("void(i8[::1], i8, i8)")
def _pad(a: Array, first: int, last: int) -> None:
    """Copy some lines of the data into the padded ones; the pads are zero from the beginning."""
    channels, breadth = a[products.CHANNELS], a[products.BREADTH]
    step_n, step_y, step_x, step_c = a[_STEPS], a[_STEPS + 1], a[_STEPS + 2], a[_STEPS + 3]
    for line in range(first, last):
        y = line % a[_LINES] - a[products.TOP]
        if y < 0 or y >= a[products.HEIGHT]:
            continue
        source = a[products.DATA] + line // a[_LINES] * step_n + y * step_y
        target = a[_PADDED] + line * a[_LINE] + 4 * a[products.LEFT] * channels
        if step_c == 4 and step_x == 4 * channels:
            copy(target, source, 4 * channels * breadth)
        elif step_c == 4:
            for x in range(breadth):
                copy(target + 4 * channels * x, source + step_x * x, 4 * channels)
        else:
            _interleave(target, source, breadth, channels, step_x // 4, step_c)


@compiled("i8(i8[::1], i8, i8)")
def _source(a: Array, first: int, last: int) -> int:
    """Return where the data of some pixels' windows lie, which are copied there before if they need pads.

    Threads whose windows overlap write the same numbers to the same lines.
    """
    if a[_PADDED] == 0:
        return int(a[products.DATA])
    if first < last:
        places = carray(pointer(a[_PLACES]), (last,), np.int64)
        reach = (a[products.TALL] - 1) * a[products.FAR_Y] + 1
        _pad(a, places[first] // a[_LINE], places[last - 1] // a[_LINE] + reach)
    return int(a[_PADDED])


@compiled("void(i8[::1], i8, i8, i8, i8, i8)")
def _blocks(a: Array, first: int, last: int, panel: int, panels: int, part: int) -> None:
    """Compute the columns of some panels for some pixels, and apply the stages where these are all panels."""
    source, size = _source(a, first, last), 4 * a[products.WIDTH]
    scratch = a[_NARROW] + 4 * LANES * part * a[products.STEP]
    blocks = max(-(-(last - first) // a[products.STEP]), 1)
    most = -(-(last - first) // (blocks * TALLEST)) * TALLEST
    for begin in range(first, last, max(most, 1)):
        count = min(most, last - begin)
        target = a[products.OUTPUT] + begin * size
        output, step = (target, size) if a[_NARROW] == 0 else (scratch, 4 * LANES)
        multiply(a[_TABLES], panel, panels, source, a[_PLACES] + 8 * begin, count, a[products.WEIGHTS], output, step)
        if a[_NARROW] != 0:
            for row in range(count):
                copy(target + row * size, scratch + 4 * LANES * row, size)
        if panels - panel == a[_PANELS]:
            finish(a, begin, begin + count)


@job
def _by_rows(address: int, part: int) -> None:
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    units = -(-a[products.ROWS] // TALLEST)
    first = bound(units, a[products.PARTS], part) * TALLEST
    last = min(bound(units, a[products.PARTS], part + 1) * TALLEST, a[products.ROWS])
    _blocks(a, first, last, 0, a[_PANELS], part)


@job
def _by_panels(address: int, part: int) -> None:
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    first, last = bound(a[_PANELS], a[products.PARTS], part), bound(a[_PANELS], a[products.PARTS], part + 1)
    _blocks(a, 0, a[products.ROWS], first, last, part)


class Direct:
    """A convolution with weights in panels, stages behind it, and all memory that its jobs use."""

    def __init__(self, geometry: Geometry, panels: PackedWeights, coded: Coded, spin_pool: SpinPool) -> None:
        self._geometry, self._panels, self._coded = geometry, panels, coded
        rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
        parts = self._parts = _shares(rows, panels.weights.size, spin_pool)
        step = _block(geometry)
        self._places = _places(geometry)
        self._narrow = np.empty(parts * step * LANES if geometry.channels < LANES else 0, np.float32)
        self._padded = _padded(geometry) if any(geometry.begin + geometry.end) else None
        numbers = self._numbers = np.zeros(_NUMBERS, np.int64)
        products.note(numbers, rows, panels.weights, coded, parts, geometry)
        numbers[[products.WIDTH, products.STEP]] = geometry.channels, step
        numbers[_TABLES : _PANELS + 1] = panels.address, address_of(self._places), panels.count
        numbers[_PADDED] = 0 if self._padded is None else address_of(self._padded)
        numbers[_LINE : _NARROW + 1] = *_lines(geometry), address_of(self._narrow) if self._narrow.size else 0
        by_rows = parts == 1 or rows >= FEW_ROWS * spin_pool.size or panels.count < 2 * spin_pool.size
        rest = [finish_rows.address] if len(coded.codes) else []
        self._jobs = [_by_rows.address] if by_rows else [_by_panels.address, *rest]
        self._task = JobArguments(spin_pool, numbers, coded.position, steps=_STEPS)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Compute the output [N, H, W, O], in C order, from data [N, H, W, C] and the operands of stages as rows."""
        if self._padded is None and not data.flags.c_contiguous:
            self._padded = _padded(self._geometry)
            self._numbers[_PADDED] = address_of(self._padded)
        self._task.run(self._jobs, self._parts, data, output, operands)


def _shares(rows: int, weights: int, spin_pool: SpinPool) -> int:
    """Return in how many parts work is shared: more than threads where it is long, for one thread may be held up.

    All weights are read for each part.
    """
    if rows * weights < SMALL_WORK or spin_pool.size == 1:
        return 1
    return spin_pool.size * max(min(rows * weights // LONG_WORK, rows // (MOST_ROWS * spin_pool.size), 4), 1)


def _block(geometry: Geometry) -> int:
    """Return how many pixels meet a panel together: their data and a panel fit the second-level cache."""
    step_y, step_x = geometry.strides if geometry.kernel != (1, 1) else (1, 1)
    pixel = 4 * geometry.data[3] * step_y * step_x
    return min(max(BLOCK_BYTES // pixel // TALLEST, 1) * TALLEST, MOST_ROWS)


def _first_stages(coded: Coded, width: int) -> tuple[Array, tuple[float, float], Coded]:
    """Return a first sum with a vector, limits behind it, and the stages that are left."""
    codes, vectors, position = coded
    start, limits, used = np.zeros(width, np.float32), (-np.inf, np.inf), 0
    if len(codes) > used and codes[used] == stages.ADD:
        start, used = vectors[used, :width], used + 1
    if len(codes) > used and codes[used] == stages.CLIP:
        limits, used = (vectors[used, 0], vectors[used, 1]), used + 1
    left = Coded(codes[used:].copy(), vectors[used:].copy() if len(codes) > used else vectors[:1], position)
    return start, limits, left


def _lines(geometry: Geometry) -> tuple[int, int]:
    """Return the bytes of a padded line and the lines of a sample."""
    _, height, width, channels = geometry.data
    (top, left), (bottom, right) = geometry.begin, geometry.end
    return 4 * channels * (width + left + right), height + top + bottom


def _padded(geometry: Geometry) -> Array:
    line, lines = _lines(geometry)
    return np.zeros(geometry.data[0] * lines * line // 4, np.float32)


def _places(geometry: Geometry) -> Array:
    """Return where, in the padded data, the window of each pixel of the output begins."""
    line, lines = _lines(geometry)
    (height, width), (step_y, step_x) = geometry.output, geometry.strides
    samples = np.arange(geometry.data[0])[:, None, None] * lines * line
    rows, columns = np.arange(height)[:, None] * step_y * line, np.arange(width) * step_x * 4 * geometry.data[3]
    return np.ascontiguousarray((samples + rows + columns).reshape(-1), np.int64)


def _packed(geometry: Geometry, weights: Array, start: Array, limits: tuple[float, float]) -> PackedWeights:
    """Return weights [G, O, C, kh, kw] as panels; windows are read in runs as long as they lie together."""
    groups, outputs, channels, tall, wide = weights.shape
    (far_y, far_x), pixel = geometry.dilations, 4 * geometry.data[3]
    line, _ = _lines(geometry)
    together = wide == 1 or (groups == 1 and far_x == 1)
    columns = [0] if together else [kx * far_x * pixel for kx in range(wide)]
    offsets = [ky * far_y * line + column for ky in range(tall) for column in columns]
    matrices = weights.transpose(0, 3, 4, 2, 1).reshape(groups, -1, outputs)
    return PackedWeights(matrices, offsets, 4 * channels, start, limits)


def convolution(geometry: Geometry, weights: Array, coded: Coded) -> Callable[[SpinPool], Direct]:
    """Return what makes the convolution in f32 for a crew, with stages behind it; all that it makes share the weights.

    `weights` are [O, C, kh, kw] or [G, O, C, kh, kw].
    """
    start, limits, rest = _first_stages(coded, geometry.channels)

    @cache
    def panels() -> PackedWeights:
        return _packed(geometry, spread_groups(weights if weights.ndim == 5 else weights[None]), start, limits)

    return lambda spin_pool: Direct(geometry, panels(), rest, spin_pool)


def product(rows: int, weights: Array, coded: Coded) -> Callable[[SpinPool], RowKernel]:
    """Return what makes, for a crew, the product in f32 of so many rows with weights [K, N], and stages behind it."""
    depth, width = weights.shape
    geometry = Geometry((1, 1, rows, depth), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (1, rows), 1, width)
    make = convolution(geometry, weights.T[..., None, None], coded)

    def made(spin_pool: SpinPool) -> RowKernel:
        run = make(spin_pool)
        return lambda data, output, operands: run(data[None, None], output, operands)

    return made
