"""Products of rows of f32 with compressed weights [N, K], as jobs: few rows as dot products, many by micro-kernels.

Dot products decode the codes in registers and read each byte of the weights once for up to four rows. For many rows,
panels of weights are expanded into a block that stays in the second-level cache, where all rows meet it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.aligned import LINE
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.blocked import DEPTH, WIDTH, rows_of_tiles
from ir_plugin.kernels.numba.gemm.compressed_matrix import CompressedMatrix, matrix_of
from ir_plugin.kernels.numba.gemm.decoding import CHUNK, KINDS, decode_run, transpose_block
from ir_plugin.kernels.numba.gemm.dots import CHUNKS, FORMS, LONG, dots
from ir_plugin.kernels.numba.gemm.micro_kernel import LANES as TILE_LANES
from ir_plugin.kernels.numba.gemm.nibble_dots import (
    BLOCK,
    BLOCK_NUMBERS,
    CODES,
    FLIPPED,
    groups_of_block,
    order_block,
)  # fmt: skip
from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_fields, epilogue_jobs
from ir_plugin.kernels.numba.runtime.deferred import specialized
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, fill_bytes, load, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, kernel_factory
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor

COMPRESSED = struct(
    "depth row_bytes ahead bits table scales zeros zero_step groups group_size run data_bytes scratch scratch_bytes",
    ROWS,
)
"""The `weights` are codes, whose rows have `row_bytes`, and are prefetched `ahead` bytes before they are read. K;
addresses of a table of 16 numbers, of scales and zero points [N, groups]; the bytes of a row of zero points, 0 where
one serves all; numbers of a run of `dots`, and bytes of a row of data as those read it; where the address of scratch
memory lies, and its bytes for each part."""

_OUTPUTS = 4
"""Outputs of which the codes are decoded beside each other, so that the data are loaded once for all of them."""


@compiled("void(i8, i8, i8, i8, i8, i8, i8)")
def scale_run(values: int, first: int, count: int, scales: int, zeros: int, group_size: int, groups: int) -> None:
    """Subtract zero points from a run of decoded values, from position `first` of their row on, and apply scales."""
    row_scales = carray(pointer(scales), (groups,), np.float32)
    row_zeros = carray(pointer(zeros), (groups,), np.float32)
    position = 0
    while position < count:
        group = (first + position) // group_size
        length = min((group + 1) * group_size - first, count) - position
        scale, zero = row_scales[group], row_zeros[group]
        run = carray(pointer(values + 4 * position), (length,), np.float32)
        for k in range(length):
            run[k] = (run[k] - zero) * scale
        position += length


@compiled("void(i8, i8, i8)")
def dot_rows(address: int, output: int, values: int) -> None:
    """Fill an output of all rows with the dot products of its weights, which are expanded at `values`."""
    a = arguments_at(address, COMPRESSED)
    weights = carray(pointer(values), (a.depth,), np.float32)
    for row in range(a.rows):
        line = carray(pointer(a.data + 4 * row * a.depth), (a.depth,), np.float32)
        total = np.float32(0)
        for k in range(a.depth):
            total += line[k] * weights[k]
        carray(pointer(a.output + 4 * (row * a.width + output)), (1,), np.float32)[0] = total


@compiled("void(i8, i8, i8)")
def fill_columns(values: int, count: int, panel: int) -> None:
    """Store runs of values, `DEPTH` numbers apart, as neighbouring columns of a panel."""
    for first in range(0, count, TILE_LANES):
        transpose_block(values + 4 * first, 4 * DEPTH, panel + 4 * WIDTH * first, 4 * WIDTH)


@compiled("void(i8, i8, i8)")
def copy_rows_inside(address: int, spare: int, column: int) -> None:
    """Copy the columns of a last panel that are within the output."""
    a = arguments_at(address, COMPRESSED)
    for row in range(a.rows):
        copy(a.output + 4 * (row * a.width + column), spare + 4 * WIDTH * row, 4 * (a.width - column))


@specialized
def dot_block(
    kind: int, rows: int, outputs: int, form: int, has_zero: int, a: Any, data: int, row: int, first: int
) -> None:
    """Fill some outputs of some rows of the data, from `first` and `row` on, with dot products."""
    data, output = data + row * a.data_bytes, a.output + 4 * (row * a.width + first)
    codes = a.weights + first * a.row_bytes
    scales, zeros = a.scales + 4 * first * a.groups, a.zeros + first * a.zero_step
    dots(
        kind, rows, outputs, form, has_zero, data, a.data_bytes, codes, a.row_bytes, a.table, scales, zeros, a.groups,
        a.run, output, 4 * a.width, a.ahead,
    )  # fmt: skip


@specialized
def expand_run(kind: int, a: Any, output: int, first: int, count: int, values: int) -> None:
    """Store the weights [first, first + count) of an output."""
    codes = a.weights + output * a.row_bytes + first * a.bits // 8
    decode_run(kind, codes, count, values, a.table, WIDTH * a.row_bytes)
    scales, zeros = a.scales + 4 * output * a.groups, a.zeros + output * a.zero_step
    scale_run(values, first, count, scales, zeros, a.group_size, a.groups)


@compiled("void(i8, i8, i8, i8)")
def add_rest(address: int, output: int, count: int, values: int) -> None:
    """Add the products of the last weights of an output."""
    a = arguments_at(address, COMPRESSED)
    weights, sums = (
        carray(pointer(values), (count,), np.float32),
        carray(pointer(a.output), (a.rows, a.width), np.float32),
    )
    for row in range(a.rows):
        line = carray(pointer(a.data + 4 * ((row + 1) * a.depth - count)), (count,), np.float32)
        total = np.float32(0)
        for k in range(count):
            total += line[k] * weights[k]
        sums[row, output] += total


@compiled("i8(i8, i8)")
def order_rows(address: int, values: int) -> int:
    """Store all rows of data in the order of codes of four bits after the scratch `values`; return their address."""
    a = arguments_at(address, COMPRESSED)
    start: int = -(-(values + 4 * a.depth) // LINE) * LINE
    target = start
    for row in range(a.rows):
        for run in range(a.depth // a.run):
            first = a.data + 4 * (row * a.depth + run * a.run)
            for number in range(0, a.run, BLOCK):
                order_block(first + 4 * number, a.run - number, target)
                target += 4 * BLOCK_NUMBERS
    return start


_KINDS = range(len(KINDS))


def _forms_of(kind: int) -> Sequence[int]:
    """Return the forms of `dots` for codes of a kind."""
    if KINDS[kind] not in FLIPPED:
        return FORMS
    return sorted({0, *map(groups_of_block, range(CODES, BLOCK + 1, CODES))})


@kernel_factory(*((kind, form, zero) for kind in _KINDS for form in _forms_of(kind) for zero in (0, 1)))
def dots_job(kind: int, form: int, has_zero: int) -> Any:
    """Return the job of few rows where `dots` takes the groups."""
    is_ordered = KINDS[kind] in FLIPPED
    step = CODES if is_ordered else CHUNK

    def few_rows(address: int, part: int) -> None:
        a = arguments_at(address, COMPRESSED)
        values, rest = load(a.scratch) + part * a.scratch_bytes, a.depth % step
        data = order_rows(address, values) if is_ordered else a.data
        blocks = a.width // _OUTPUTS
        for block in range(bound(blocks, a.parts, part), bound(blocks, a.parts, part + 1)):
            first, fours = block * _OUTPUTS, a.rows // 4 * 4
            for row in range(0, fours, 4):
                dot_block(kind, 4, 2, form, has_zero, a, data, row, first)
                dot_block(kind, 4, 2, form, has_zero, a, data, row, first + 2)
            if a.rows - fours >= 2:
                dot_block(kind, 2, 4, form, has_zero, a, data, fours, first)
            if a.rows % 2:
                dot_block(kind, 1, 4, form, has_zero, a, data, a.rows - 1, first)
            for output in range(first, first + _OUTPUTS if rest else first):
                expand_run(kind, a, output, a.depth - rest, rest, values)
                add_rest(address, output, rest, values)
        if part == a.parts - 1:
            for output in range(blocks * _OUTPUTS, a.width):
                expand_run(kind, a, output, 0, a.depth, values)
                dot_rows(address, output, values)

    return job(few_rows)


@kernel_factory(*((kind,) for kind in _KINDS))
def expanding_job(kind: int) -> Any:
    """Return the job of few rows for groups of any size."""

    def few_rows_expanded(address: int, part: int) -> None:
        a = arguments_at(address, COMPRESSED)
        values = load(a.scratch) + part * a.scratch_bytes
        for output in range(bound(a.width, a.parts, part), bound(a.width, a.parts, part + 1)):
            expand_run(kind, a, output, 0, a.depth, values)
            dot_rows(address, output, values)

    return job(few_rows_expanded)


@kernel_factory(*((kind,) for kind in _KINDS))
def panels_job(kind: int) -> Any:
    """Return the job of many rows."""

    def many_rows(address: int, part: int) -> None:
        a = arguments_at(address, COMPRESSED)
        values = load(a.scratch) + part * a.scratch_bytes
        start = values + 4 * DEPTH * TILE_LANES
        panel = start + 4 * WIDTH
        spare = panel + 4 * DEPTH * WIDTH
        fill_bytes(start, 0, 4 * WIDTH)
        panels = -(-a.width // WIDTH)
        for number in range(bound(panels, a.parts, part), bound(panels, a.parts, part + 1)):
            column = number * WIDTH
            columns = min(WIDTH, a.width - column)
            target, step = (a.output + 4 * column, 4 * a.width) if columns == WIDTH else (spare, 4 * WIDTH)
            origin, origin_step = start, 0
            for first in range(0, a.depth, DEPTH):
                count = min(DEPTH, a.depth - first)
                for index in range(columns):
                    lane = index % TILE_LANES
                    expand_run(kind, a, column + index, first, count, values + 4 * DEPTH * lane)
                    if lane == TILE_LANES - 1 or index == columns - 1:
                        fill_columns(values, count, panel + 4 * (index - lane))
                data = a.data + 4 * first
                rows_of_tiles(a.rows, data, 4 * a.depth, panel, target, step, count, origin, origin_step)
                origin, origin_step = target, step
            if columns < WIDTH:
                copy_rows_inside(address, spare, column)

    return job(many_rows)


def _few_rows_job(matrix: CompressedMatrix) -> Any:
    form, has_zeros = _form_of(matrix), int(matrix.has_zeros)
    return expanding_job(matrix.kind) if form is None else dots_job(matrix.kind, form, has_zeros)


def _form_of(matrix: CompressedMatrix) -> int | None:
    """Return the form of a matrix' groups for dot products; None if they do not support this group size."""
    size, is_whole = matrix.group_size, matrix.group_size == matrix.depth
    if KINDS[matrix.kind] in FLIPPED:
        return groups_of_block(size) if size % CODES == 0 or (is_whole and size > CODES) else None
    return (CHUNKS if size == CHUNK else LONG) if size % CHUNK == 0 or is_whole else None


def _run_of(matrix: CompressedMatrix) -> tuple[int, int]:
    """Return the numbers of a run of dot products, and the bytes of a row of data as those read it."""
    form, size = _form_of(matrix), matrix.group_size
    if form is None or KINDS[matrix.kind] not in FLIPPED:
        return size, 4 * matrix.depth
    run = matrix.depth if form else size // CODES * CODES
    return run, 4 * BLOCK_NUMBERS * -(-run // BLOCK) * (matrix.depth // run)


class CompressedProduct(JobKernel):
    """The product of any number of rows with a compressed matrix, whose outputs the threads of a pool share."""

    reads_operand_rows = True

    def __init__(self, matrix: CompressedMatrix, epilogue: EncodedEpilogue, pool: ThreadPool) -> None:
        self._matrix, self._epilogue, self._count = matrix, epilogue, 0
        groups = matrix.scales.shape[1]
        self._run, self._data_bytes = _run_of(matrix)
        arguments = filled(
            COMPRESSED, depth=matrix.depth, width=matrix.width, weights=address_of(matrix.codes),
            row_bytes=matrix.row_bytes, ahead=min(_OUTPUTS * matrix.row_bytes, policy.COMPRESSED_PREFETCH_MAX_BYTES),
            bits=matrix.bits, table=address_of(matrix.table), groups=groups,
            scales=address_of(matrix.scales), zeros=address_of(matrix.zeros),
            zero_step=4 * groups if len(matrix.zeros) > 1 else 0, group_size=matrix.group_size,
            run=self._run, data_bytes=self._data_bytes, scratch=pool.scratch_pointer, **epilogue_fields(epilogue),
        )  # fmt: skip
        super().__init__(pool, arguments, [], 0, epilogue.position)

    def _prepare(self, data: Array) -> None:
        """Divide the work for as many rows as the data have, and take scratch memory for each part."""
        rows, matrix = len(data), self._matrix
        if rows == self._count:
            return
        is_shared = matrix.width * matrix.depth >= policy.COMPRESSED_JOB_SHARED_MIN_ELEMENTS
        parts = self._pool.size * policy.POOL_PARTS_PER_THREAD if is_shared and self._pool.size > 1 else 1
        if rows >= policy.COMPRESSED_JOB_PANELS_MIN_ROWS:
            parts, product = min(parts, -(-matrix.width // WIDTH)), panels_job(matrix.kind)
            numbers = DEPTH * TILE_LANES + WIDTH + DEPTH * WIDTH + (rows * WIDTH if matrix.width % WIDTH else 0)
        else:
            product, numbers = _few_rows_job(matrix), matrix.depth + (LINE + rows * self._data_bytes) // 4
        size = -(-4 * numbers // LINE) * LINE
        self._pool.scratch(parts * size)
        fill(self._arguments, rows=rows, parts=parts, scratch_bytes=size)
        self._set_jobs([product.address, *epilogue_jobs(self._epilogue)], parts)
        self._count = rows


@register(keys.COMPRESSED_PRODUCT)
def product(
    tensor: CompressedTensor, transposed: bool, stages: Sequence[EpilogueStage], derived: Derived = underived
) -> Callable[[ThreadPool], Product] | None:
    """Return a factory of the product with a compressed matrix for a pool, or None if no kernel decodes its codes."""
    matrix = matrix_of(tensor, transposed, derived)
    epilogue = None if matrix is None else encode_epilogue(stages, matrix.width)
    if matrix is None or epilogue is None:
        return None
    _few_rows_job(matrix), panels_job(matrix.kind)
    return lambda pool: CompressedProduct(matrix, epilogue, pool)
