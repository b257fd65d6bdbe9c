"""Products of rows with weights in panels of one width, for thread pools of any kind and for attention.

BLAS packs both factors in every call, this packs the weights once.

Three layouts of weights remain, each fastest where it is used (`python -m benchmarks.products` on an Intel Xeon with
AVX-512, µs in one thread):

| rows x depth x width | these panels | `packed_weights`, windows by a table | `recurrent`, wide panels |
|---|---|---|---|
| 128 x 768 x 768 | 912 | 882 | 2021 |
| 49 x 384 x 384 | 81 | 97 | 223 |
| 8 x 256 x 1024 | 37 | 50 | 76 |
| 1 x 256 x 1024 | 15.6 | 23.5 | 13.3 |
| 1 x 128 x 512 | 3.6 | 10.8 | 2.9 |
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.compiling import NotFasterError
from ir_plugin.kernels.keys import GemmKernels
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, compiled_rows, encode_epilogue
from ir_plugin.kernels.numba.gemm.micro_kernel import HAS_FMA, LANES, TALL_ROWS, VECTORS, evenly
from ir_plugin.kernels.numba.gemm.products import ROWS, apply_epilogue, epilogue_fields, epilogue_jobs
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.products import Product, apply_stages
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

if not HAS_FMA:
    raise NotFasterError("this processor has no fused multiply-add: products are left to BLAS")

WIDTH = VECTORS * LANES
"""Columns of a panel of weights."""
DEPTH = 768
"""Rows of a panel that are used for all rows of the data at once: 72 KB of the second-level cache."""

_tile = evenly(TALL_ROWS, VECTORS)
_ADDRESSES = ", ".join(["i8"] * 9)


@compiled(f"void({_ADDRESSES})")
def rows_of_tiles(
    rows: int, data: int, data_step: int, panel: int, output: int, output_step: int, depth: int, start: int,
    start_step: int,
) -> None:  # fmt: skip
    """Fill rows of one panel's columns with data x panel + start; all steps are in bytes."""
    while rows > 0:
        count = min(rows, TALL_ROWS)
        _tile(count, data, data_step, panel, output, output_step, depth, start, start_step)
        rows -= count
        data, output, start = data + count * data_step, output + count * output_step, start + count * start_step


@compiled(f"void(Array(f4, 2, 'A', True), {read_only(3)}, {read_only(2)}, f4[:, :])")
def multiply(data: Array, panels: Array, start: Array, output: Array) -> None:
    """Fill rows [M, N] with data [M, K] x panels [P, K, WIDTH] + start [P, WIDTH], where WIDTH P covers N.

    The elements of a row of data and of output are neighbours in memory; rows may be apart.
    """
    rows, width = output.shape
    spare = np.empty((rows if width % WIDTH else 0, WIDTH), np.float32)
    depth = panels.shape[1]
    for number in range(panels.shape[0]):
        column = number * WIDTH
        inside = column + WIDTH <= width
        target = output.ctypes.data + 4 * column if inside else spare.ctypes.data
        step = output.strides[0] if inside else 4 * WIDTH
        origin, origin_step = start.ctypes.data + 4 * column, 0
        panel, source = panels.ctypes.data + 4 * column * depth, data.ctypes.data
        for first in range(0, depth, DEPTH):
            count = min(DEPTH, depth - first)
            rows_of_tiles(
                rows, source + 4 * first, data.strides[0], panel + 4 * WIDTH * first, target, step, count, origin,
                origin_step,
            )  # fmt: skip
            origin, origin_step = target, step
        if not inside:
            for row in range(rows):
                for lane in range(width - column):
                    output[row, column + lane] = spare[row, lane]


def packed(weights: Array) -> Array:
    """Return weights [K, N] as panels [P, K, WIDTH], the last one filled up with zeros."""
    depth, width = weights.shape
    count = -(-width // WIDTH)
    panels = np.zeros((count, depth, WIDTH), np.float32)
    for number in range(count):
        part = weights[:, number * WIDTH : (number + 1) * WIDTH]
        panels[number, :, : part.shape[1]] = part
    return panels


def start_of(bias: Array | None, panels: Array) -> Array:
    """Return the sums that tiles begin with: a bias of N numbers, or zeros."""
    start = np.zeros((len(panels), WIDTH), np.float32)
    if bias is not None:
        start.reshape(-1)[: bias.size] = bias
    return start


BLOCK_ROWS = 128
"""Rows that meet a panel together."""

PRODUCT = struct("depth panels start column_parts", ROWS)
"""Rows of a product and its epilogue; K; addresses of the panels and of the sums that they begin with; the ranges of
columns by which the parts of the job differ first, then ranges of rows."""

_NO_EPILOGUE = EncodedEpilogue(np.zeros(0, np.int64), np.zeros((0, 1), np.float32), None)


@job
def _product_of_part(address: int, part: int) -> None:
    """Fill some columns of some rows; apply the epilogue too, if those are all columns."""
    a = arguments_at(address, PRODUCT)
    count, row_parts, number = -(-a.width // WIDTH), a.parts // a.column_parts, part // a.column_parts
    begin = bound(count, a.column_parts, part % a.column_parts)
    end = bound(count, a.column_parts, part % a.column_parts + 1)
    panels = carray(pointer(a.panels + 4 * WIDTH * a.depth * begin), (end - begin, a.depth, WIDTH), np.float32)
    start = carray(pointer(a.start + 4 * WIDTH * begin), (end - begin, WIDTH), np.float32)
    data = carray(pointer(a.data), (a.rows, a.depth), np.float32)
    output = carray(pointer(a.output), (a.rows, a.width), np.float32)[:, begin * WIDTH : min(end * WIDTH, a.width)]
    tiles = -(-a.rows // TALL_ROWS)
    last = min(bound(tiles, row_parts, number + 1) * TALL_ROWS, a.rows)
    for first in range(bound(tiles, row_parts, number) * TALL_ROWS, last, BLOCK_ROWS):
        above = min(first + BLOCK_ROWS, last)
        multiply(data[first:above], panels, start, output[first:above])
        if a.column_parts == 1:
            apply_epilogue(address, first, above)


class PackedProduct(JobKernel):
    """The product of any number of rows with packed weights, whose rows or columns the threads of a pool share."""

    reads_operand_rows = True

    def __init__(self, panels: Array, start: Array, width: int, epilogue: EncodedEpilogue, pool: ThreadPool) -> None:
        self._panels, self._start, self._epilogue, self._count = panels, start, epilogue, 0
        arguments = filled(
            PRODUCT, width=width, depth=panels.shape[1], panels=address_of(panels), start=address_of(start),
            **epilogue_fields(epilogue),
        )  # fmt: skip
        super().__init__(pool, arguments, [], 0, epilogue.position)

    def _prepare(self, data: Array) -> None:
        """Divide the work for as many rows as the data have."""
        rows, panels, threads = len(data), self._panels, self._pool.size
        if rows == self._count:
            return
        if rows * panels.size < policy.GEMM_COMPILED_SHARED_MIN_MULTIPLICATIONS:
            threads = 1
        by_rows = rows >= policy.GEMM_COMPILED_ROWS_MIN_ROWS_PER_THREAD * threads or threads == 1
        parts = min(threads, -(-rows // TALL_ROWS) if by_rows else len(panels))
        fill(self._arguments, rows=rows, parts=parts, column_parts=1 if by_rows else parts)
        apart = [] if parts == 1 or by_rows else epilogue_jobs(self._epilogue)
        self._set_jobs([_product_of_part.address, *apart], parts)
        self._count = rows


def with_weights(panels: Array, start: Array, width: int, stages: Sequence[EpilogueStage], pool: ThreadPool) -> Product:
    """Return the product of rows with packed weights of `width` columns, added to `start`, with an epilogue."""
    epilogue = encode_epilogue(stages, width)
    if epilogue is not None:
        return PackedProduct(panels, start, width, epilogue, pool)
    product, rows = PackedProduct(panels, start, width, _NO_EPILOGUE, pool), compiled_rows(stages, width)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        product(data, output, operands)
        apply_stages(rows, output, 0, len(output), operands)

    return run


register(keys.GEMM)(GemmKernels(WIDTH, packed, start_of, with_weights))
