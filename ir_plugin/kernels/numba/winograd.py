"""Winograd's F(m, 3) as jobs of a crew: the arithmetic of `kernels.numpy.winograd`, without the interpreter in between.

64 channels of 56x56 take NumPy's form 3.2 ms in one thread and 5.7 in two, which hold each other up; a crew of two
takes .9 (`python -m benchmarks.provider`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ir_plugin.kernels.numba.epilogue import Coded
from ir_plugin.kernels.numba.gemm import products
from ir_plugin.kernels.numba.gemm.micro_kernel import LANES as _PANEL_LANES
from ir_plugin.kernels.numba.gemm.packed_weights import PackedWeights, multiply
from ir_plugin.kernels.numba.gemm.products import bound, finish
from ir_plugin.kernels.numba.runtime.intrinsics import carray, clear, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import JobArguments
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.kernels.numba.winograd_transforms import LANES, SCRATCH, SPAN, back_2, back_4, data_2, data_4
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.winograd import transformed_filters
from ir_plugin.tensors import Array

LEAST_OUTPUTS = _PANEL_LANES
"""Output channels that fill a register of a panel: the panels of one filter matrix must not reach into the next."""

BLOCK_TILES = 48
"""The fewest tiles that go through all steps at once: all filters are read for each block."""

BLOCK_ROWS = 96
"""Tiles that meet a panel of filters together."""

(
    _TILE_ROWS, _TILE_COLUMNS, _SIZE, _DEPTH, _BLOCK, _GIVEN, _MADE, _SCRATCHES, _TABLES, _PLACES, _PANELS, _NUMBERS,
) = range(products.NUMBERS, products.NUMBERS + 12)  # fmt: skip
"""Further arguments: rows and columns of tiles of all samples, m, channels of the data, rows of tiles in a block; the
addresses of what is multiplied, of the products, and of scratch memory for each part; the tables and the number of
panels of filters, and where rows of the data lie."""


@compiled("void(i8[::1], i8, i8, i8, i8, i8, i8)")
def _forward(a: Array, first: int, last: int, origin: int, count: int, given: int, scratch_at: int) -> None:
    """Transform the data of some rows of tiles to matrices [(m + 2)², count, C] that begin with the row `origin`."""
    size, depth, columns, lines = a[_SIZE], a[_DEPTH], a[_TILE_COLUMNS], a[_TILE_ROWS]
    width = size + 2
    scratch = carray(pointer(scratch_at), (SCRATCH,), np.float32)
    for tile in range((first - origin) * columns, (last - origin) * columns):
        row, column = origin + tile // columns, tile % columns
        image = a[products.DATA] + 4 * (row // lines) * a[products.HEIGHT] * a[products.BREADTH] * depth
        top, left = row % lines * size - a[products.TOP], column * size - a[products.LEFT]
        for channel in range(0, depth, LANES):
            some = 4 * min(LANES, depth - channel)
            for i in range(width * width):
                y, x = top + i // width, left + i % width
                if 0 <= y < a[products.HEIGHT] and 0 <= x < a[products.BREADTH]:
                    source = image + 4 * ((y * a[products.BREADTH] + x) * depth + channel)
                    copy(scratch_at + 4 * LANES * i, source, some)
                else:
                    clear(scratch_at + 4 * LANES * i, some)
            if size == 2:
                data_2(scratch)
            else:
                data_4(scratch)
            made = scratch_at + 8 * SPAN
            for i in range(width * width):
                copy(given + 4 * ((i * count + tile) * depth + channel), made + 4 * LANES * i, some)


@compiled("void(i8[::1], i8, i8, i8, i8, i8)")
def _multiply(a: Array, count: int, given: int, made: int, first: int, last: int) -> None:
    """Multiply some of the (m + 2)² matrices [count, C] by theirs of the filters [C, O].

    To the panels all filters are beside each other, so that the columns of one follow those of all before.
    """
    depth, outputs, panels = a[_DEPTH], a[products.WIDTH], a[_PANELS] // (a[_SIZE] + 2) ** 2
    for i in range(first, last):
        source, target = given + 4 * i * count * depth, made + 4 * i * count * outputs
        for begin in range(0, count, BLOCK_ROWS):
            rows = min(BLOCK_ROWS, count - begin)
            block, result = source + 4 * begin * depth, target + 4 * (begin - i) * outputs
            multiply(
                a[_TABLES], i * panels, (i + 1) * panels, block, a[_PLACES], rows, a[products.WEIGHTS], result,
                4 * outputs,
            )  # fmt: skip


@compiled("void(i8[::1], i8, i8, i8, i8, i8, i8)")
def _backward(a: Array, first: int, last: int, origin: int, count: int, made: int, scratch_at: int) -> None:
    """Transform products to the lines of the output that some rows of tiles cover, and apply the stages."""
    size, outputs, columns, lines = a[_SIZE], a[products.WIDTH], a[_TILE_COLUMNS], a[_TILE_ROWS]
    width = size + 2
    height, breadth = a[products.LINES], a[products.PIXELS]
    scratch = carray(pointer(scratch_at), (SCRATCH,), np.float32)
    for row in range(first, last):
        start = row // lines * height + row % lines * size
        used_rows = min(size, height - row % lines * size)
        for column in range(columns):
            tile = (row - origin) * columns + column
            for channel in range(0, outputs, LANES):
                some = 4 * min(LANES, outputs - channel)
                for i in range(width * width):
                    copy(scratch_at + 4 * LANES * i, made + 4 * ((i * count + tile) * outputs + channel), some)
                if size == 2:
                    back_2(scratch)
                else:
                    back_4(scratch)
                for i in range(used_rows * size):
                    y, x = start + i // size, column * size + i % size
                    if x < breadth:
                        target = a[products.OUTPUT] + 4 * ((y * breadth + x) * outputs + channel)
                        copy(target, scratch_at + 8 * SPAN + 4 * LANES * i, some)
        finish(a, start * breadth, (start + used_rows) * breadth)


@compiled("i8(i8[::1])")
def _rows(a: Array) -> int:
    """Return the rows of tiles of all samples."""
    found: int = a[_TILE_ROWS] * (a[products.ROWS] // (a[products.LINES] * a[products.PIXELS]))
    return found


@job
def _blocks(address: int, part: int) -> None:
    """Take a share of the rows of tiles through all steps, block by block."""
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    start, end = bound(_rows(a), a[products.PARTS], part), bound(_rows(a), a[products.PARTS], part + 1)
    matrices, tiles = (a[_SIZE] + 2) ** 2, a[_BLOCK] * a[_TILE_COLUMNS]
    given = a[_GIVEN] + 4 * part * matrices * tiles * a[_DEPTH]
    made = a[_MADE] + 4 * part * matrices * tiles * a[products.WIDTH]
    scratch = a[_SCRATCHES] + 4 * part * SCRATCH
    for first in range(start, end, a[_BLOCK]):
        last = min(first + a[_BLOCK], end)
        count = (last - first) * a[_TILE_COLUMNS]
        _forward(a, first, last, first, count, given, scratch)
        _multiply(a, count, given, made, 0, matrices)
        _backward(a, first, last, first, count, made, scratch)


@job
def _all_forward(address: int, part: int) -> None:
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    first, last = bound(_rows(a), a[products.PARTS], part), bound(_rows(a), a[products.PARTS], part + 1)
    count = _rows(a) * a[_TILE_COLUMNS]
    _forward(a, first, last, 0, count, a[_GIVEN], a[_SCRATCHES] + 4 * part * SCRATCH)


@job
def _all_products(address: int, part: int) -> None:
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    matrices = (a[_SIZE] + 2) ** 2
    first, last = bound(matrices, a[products.PARTS], part), bound(matrices, a[products.PARTS], part + 1)
    _multiply(a, _rows(a) * a[_TILE_COLUMNS], a[_GIVEN], a[_MADE], first, last)


@job
def _all_backward(address: int, part: int) -> None:
    a = carray(pointer(address), (_NUMBERS,), np.int64)
    first, last = bound(_rows(a), a[products.PARTS], part), bound(_rows(a), a[products.PARTS], part + 1)
    count = _rows(a) * a[_TILE_COLUMNS]
    _backward(a, first, last, 0, count, a[_MADE], a[_SCRATCHES] + 4 * part * SCRATCH)


class _Winograd:
    """A convolution with all memory that its jobs use."""

    def __init__(
        self, geometry: Geometry, filters: PackedWeights, coded: Coded, spin_pool: SpinPool, size: int
    ) -> None:
        (height, width), depth = geometry.output, geometry.data[3]
        self.filters, self.coded, self.parts = filters, coded, spin_pool.size
        self.places = np.arange(BLOCK_ROWS) * 4 * depth
        rows, columns = -(-height // size), -(-width // size)
        everything = geometry.data[0] * rows
        whole = everything * columns < 2 * BLOCK_TILES * self.parts
        block = everything if whole else -(-BLOCK_TILES // columns)
        tiles = (size + 2) ** 2 * block * columns * (1 if whole else self.parts)
        self.memory = [
            np.empty(count, np.float32) for count in (tiles * depth, tiles * geometry.channels, self.parts * SCRATCH)
        ]
        self.numbers = np.zeros(_NUMBERS, np.int64)
        rows_out = geometry.data[0] * height * width
        products.note(self.numbers, rows_out, filters.weights, coded, self.parts, geometry)
        self.numbers[_TILE_ROWS:_TABLES] = rows, columns, size, depth, block, *map(address_of, self.memory)
        self.numbers[_TABLES:] = filters.address, address_of(self.places), filters.count
        self.numbers[products.WIDTH] = geometry.channels
        together = [_all_forward.address, _all_products.address, _all_backward.address]
        self.jobs = together if whole else [_blocks.address]
        self.task = JobArguments(spin_pool, self.numbers, coded.position)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        self.task.run(self.jobs, self.parts, data, output, operands)


def winograd(geometry: Geometry, weights: Array, coded: Coded, size: int) -> Callable[[SpinPool], Run]:
    """Return what makes the convolution in f32 by F(size, 3) for a crew; all that it makes share the filters.

    `weights` are [O, C, 3, 3] with at least LEAST_OUTPUTS outputs, stride and dilation 1.
    """

    @cache
    def filters() -> PackedWeights:
        transformed = transformed_filters(weights, size)
        return PackedWeights(transformed, [0], 0, np.zeros(0, np.float32), (-np.inf, np.inf))

    return lambda spin_pool: _Winograd(geometry, filters(), coded, spin_pool, size)
