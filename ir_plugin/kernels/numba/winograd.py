"""Winograd's F(m, 3) as jobs of a spin pool: the arithmetic of `kernels.numpy.winograd`, without the interpreter.

Threads that run NumPy's form hold each other up (`python -m benchmarks.provider`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.keys import BindRun
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.packed_weights import PackedWeights, multiply, packed_panels
from ir_plugin.kernels.numba.gemm.products import CONVOLUTION, apply_epilogue, convolution_fields, epilogue_fields
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, fill_bytes, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import STRIDES, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numba.winograd_transforms import CHANNELS, SCRATCH, SPAN, back_2, back_4, data_2, data_4
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.winograd import transformed_filters
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array

MIN_OUTPUTS = LANES
"""Output channels that fill a register of a panel: the panels of one filter matrix must not reach into the next."""

BLOCK_TILES = 48
"""The fewest tiles that go through all steps at once: all filters are read for each block."""

BLOCK_ROWS = 96
"""Tiles that meet a panel of filters together."""

WINOGRAD = struct(
    f"tile_rows tile_columns size block_tile_rows transformed_data products scratch tables windows panels "
    f"{' '.join(STRIDES)}",
    CONVOLUTION,
)
"""Rows of tiles of a sample, columns of tiles, m, rows of tiles in a block; addresses of the transformed data, of their
products, and of scratch memory for each part; the tables of the packed filters, where rows of the data lie, the number
of panels, and the data's strides."""


@compiled("void(i8, i8, i8, i8, i8, i8, i8)")
def _transform_data(address: int, first: int, last: int, origin: int, count: int, target: int, scratch_at: int) -> None:
    """Transform the data of some rows of tiles to matrices [(m + 2)², count, C] that begin with the row `origin`."""
    a = arguments_at(address, WINOGRAD)
    size, depth, columns, lines = a.size, a.channels, a.tile_columns, a.tile_rows
    height, breadth, down, across = a.height, a.breadth, a.stride_y, a.stride_x
    width = size + 2
    scratch = carray(pointer(scratch_at), (SCRATCH,), np.float32)
    for tile in range((first - origin) * columns, (last - origin) * columns):
        row, column = origin + tile // columns, tile % columns
        image = a.data + row // lines * a.stride_n
        top, left = row % lines * size - a.pad_top, column * size - a.pad_left
        for channel in range(0, depth, CHANNELS):
            some = 4 * min(CHANNELS, depth - channel)
            for i in range(width * width):
                y, x = top + i // width, left + i % width
                if 0 <= y < height and 0 <= x < breadth:
                    source = image + y * down + x * across + 4 * channel
                    copy(scratch_at + 4 * CHANNELS * i, source, some)
                else:
                    fill_bytes(scratch_at + 4 * CHANNELS * i, 0, some)
            if size == 2:
                data_2(scratch)
            else:
                data_4(scratch)
            result = scratch_at + 8 * SPAN
            for i in range(width * width):
                copy(target + 4 * ((i * count + tile) * depth + channel), result + 4 * CHANNELS * i, some)


@compiled("void(i8, i8, i8, i8, i8, i8)")
def _multiply(address: int, count: int, data: int, output: int, first: int, last: int) -> None:
    """Multiply some of the (m + 2)² matrices [count, C] by theirs of the filters [C, O].

    The packed filters are one matrix, which concatenates the columns of the filter matrices.
    """
    a = arguments_at(address, WINOGRAD)
    depth, outputs, panels = a.channels, a.width, a.panels // (a.size + 2) ** 2
    for i in range(first, last):
        source, target = data + 4 * i * count * depth, output + 4 * i * count * outputs
        for begin in range(0, count, BLOCK_ROWS):
            rows = min(BLOCK_ROWS, count - begin)
            block, result = source + 4 * begin * depth, target + 4 * (begin - i) * outputs
            multiply(a.tables, i * panels, (i + 1) * panels, block, a.windows, rows, a.weights, result, 4 * outputs)


@compiled("void(i8, i8, i8, i8, i8, i8, i8)")
def _transform_products(
    address: int, first: int, last: int, origin: int, count: int, source: int, scratch_at: int
) -> None:
    """Transform products to the lines of the output that some rows of tiles cover, and apply the epilogue."""
    a = arguments_at(address, WINOGRAD)
    size, outputs, columns, lines = a.size, a.width, a.tile_columns, a.tile_rows
    width = size + 2
    height, breadth = a.output_height, a.output_width
    scratch = carray(pointer(scratch_at), (SCRATCH,), np.float32)
    for row in range(first, last):
        start = row // lines * height + row % lines * size
        used_rows = min(size, height - row % lines * size)
        for column in range(columns):
            tile = (row - origin) * columns + column
            for channel in range(0, outputs, CHANNELS):
                some = 4 * min(CHANNELS, outputs - channel)
                for i in range(width * width):
                    copy(scratch_at + 4 * CHANNELS * i, source + 4 * ((i * count + tile) * outputs + channel), some)
                if size == 2:
                    back_2(scratch)
                else:
                    back_4(scratch)
                for i in range(used_rows * size):
                    y, x = start + i // size, column * size + i % size
                    if x < breadth:
                        target = a.output + 4 * ((y * breadth + x) * outputs + channel)
                        copy(target, scratch_at + 8 * SPAN + 4 * CHANNELS * i, some)
        apply_epilogue(address, start * breadth, (start + used_rows) * breadth)


@compiled("i8(i8)")
def _rows(address: int) -> int:
    """Return the rows of tiles of all samples."""
    a = arguments_at(address, WINOGRAD)
    return int(a.tile_rows * (a.rows // (a.output_height * a.output_width)))


@job
def _blocks(address: int, part: int) -> None:
    """Take a part of the rows of tiles through all steps, block by block."""
    a = arguments_at(address, WINOGRAD)
    start, end = bound(_rows(address), a.parts, part), bound(_rows(address), a.parts, part + 1)
    matrices, tiles = (a.size + 2) ** 2, a.block_tile_rows * a.tile_columns
    data = a.transformed_data + 4 * part * matrices * tiles * a.channels
    products = a.products + 4 * part * matrices * tiles * a.width
    scratch = a.scratch + 4 * part * SCRATCH
    for first in range(start, end, a.block_tile_rows):
        last = min(first + a.block_tile_rows, end)
        count = (last - first) * a.tile_columns
        _transform_data(address, first, last, first, count, data, scratch)
        _multiply(address, count, data, products, 0, matrices)
        _transform_products(address, first, last, first, count, products, scratch)


@job
def _all_data(address: int, part: int) -> None:
    """Transform the data of a part of all rows of tiles."""
    a = arguments_at(address, WINOGRAD)
    first, last = bound(_rows(address), a.parts, part), bound(_rows(address), a.parts, part + 1)
    count = _rows(address) * a.tile_columns
    _transform_data(address, first, last, 0, count, a.transformed_data, a.scratch + 4 * part * SCRATCH)


@job
def _all_matrices(address: int, part: int) -> None:
    """Multiply a part of the matrices of all tiles."""
    a = arguments_at(address, WINOGRAD)
    matrices = (a.size + 2) ** 2
    first, last = bound(matrices, a.parts, part), bound(matrices, a.parts, part + 1)
    _multiply(address, _rows(address) * a.tile_columns, a.transformed_data, a.products, first, last)


@job
def _all_products(address: int, part: int) -> None:
    """Transform the products of a part of all rows of tiles."""
    a = arguments_at(address, WINOGRAD)
    first, last = bound(_rows(address), a.parts, part), bound(_rows(address), a.parts, part + 1)
    count = _rows(address) * a.tile_columns
    _transform_products(address, first, last, 0, count, a.products, a.scratch + 4 * part * SCRATCH)


class _Winograd(JobKernel):
    """A convolution whose jobs keep transformed data and products in the scratch memory of the pool."""

    reads_operand_rows = True

    def __init__(
        self, geometry: Geometry, filters: PackedWeights, epilogue: EncodedEpilogue, spin_pool: SpinPool, size: int
    ) -> None:
        self._filters, self._epilogue, self._size = filters, epilogue, size
        self._windows = np.arange(BLOCK_ROWS) * 4 * geometry.data[3]
        arguments = filled(
            WINOGRAD, parts=spin_pool.size, weights=address_of(filters.weights), size=size, tables=filters.address,
            windows=address_of(self._windows), panels=filters.count, **epilogue_fields(epilogue),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [], 1, epilogue.position)
        self.resize(geometry)

    def resize(self, geometry: Geometry) -> None:
        """Convolve data of other lengths from now on."""
        (height, width), depth, parts, size = geometry.output, geometry.data[3], self._pool.size, self._size
        rows, columns = -(-height // size), -(-width // size)
        all_rows = geometry.data[0] * rows
        at_once = all_rows * columns < 2 * BLOCK_TILES * parts
        block = all_rows if at_once else -(-BLOCK_TILES // columns)
        tiles = (size + 2) ** 2 * block * columns * (1 if at_once else parts)
        self._memory = self._pool.scratch(4 * (tiles * (depth + geometry.channels) + parts * SCRATCH))
        scratch = address_of(self._memory)
        data = scratch + 4 * parts * SCRATCH
        products = data + 4 * tiles * depth
        fill(
            self._arguments, tile_rows=rows, tile_columns=columns, block_tile_rows=block, transformed_data=data,
            products=products, scratch=scratch, **convolution_fields(geometry),
        )  # fmt: skip
        steps = [_all_data.address, _all_matrices.address, _all_products.address]
        self._set_jobs(steps if at_once else [_blocks.address], parts)


def winograd(
    weights: Array, epilogue: EncodedEpilogue, size: int, derived: Derived = underived
) -> Callable[[Geometry], Callable[[SpinPool], Run]]:
    """Return a factory of the f32 convolution by F(size, 3): it takes a geometry, then a spin pool.

    `weights` are [O, C, 3, 3] with at least MIN_OUTPUTS outputs, stride and dilation 1; all that it binds share the
    filters.
    """

    @cache
    def filters() -> PackedWeights:
        shape = ((size + 2) ** 2, weights.shape[1], weights.shape[0])

        def packed_once() -> Array:
            kind, make = ("winograd panels", size), lambda: [packed_panels(transformed_filters(weights, size))]
            return derived(kind, [weights], make)[0]

        return PackedWeights(shape, packed_once, [0], 0, np.zeros(0, np.float32), (-np.inf, np.inf))

    def bind(geometry: Geometry) -> Callable[[SpinPool], Run]:
        return lambda spin_pool: _Winograd(geometry, filters(), epilogue, spin_pool, size)

    return bind


@register(keys.WINOGRAD)
def winograd_convolution(
    weights: Array, stages: Sequence[EpilogueStage], size: int, derived: Derived
) -> Callable[[Geometry], BindRun] | None:
    """Return `winograd` with encoded stages, or None where one of them is unknown."""
    epilogue = encode_epilogue(stages, len(weights))
    if epilogue is None:
        return None
    return cast("Callable[[Geometry], BindRun]", winograd(weights, epilogue, size, derived))
