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
from ir_plugin.kernels.numba.gemm.micro_kernel import HAS_FMA, LANES, TALL_ROWS, VECTORS, evenly
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.numpy.products import Product, apply_stages
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, split
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


def with_weights(
    panels: Array, start: Array, width: int, rows: int, epilogue: Rows | None, pool: ThreadPool
) -> Product:
    """Return the product of `rows` rows with packed weights of `width` columns, added to `start`, with an epilogue."""
    shared = pool.size if rows * panels.size // WIDTH * WIDTH >= policy.GEMM_COMPILED_SHARED_MIN_MULTIPLICATIONS else 1
    if shared == 1 or rows >= policy.GEMM_COMPILED_ROWS_MIN_ROWS_PER_THREAD * shared:
        return _sharing_rows(panels, start, rows, epilogue, pool, shared)
    return _sharing_columns(panels, start, width, rows, epilogue, pool)


def _sharing_rows(
    panels: Array, start: Array, rows: int, epilogue: Rows | None, pool: ThreadPool, shared: int
) -> Product:
    parts = [(begin * TALL_ROWS, min(end * TALL_ROWS, rows)) for begin, end in split(-(-rows // TALL_ROWS), shared)]

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        data = _readable(data)
        if len(parts) == 1 and rows <= BLOCK_ROWS:
            multiply(data, panels, start, output)
            apply_stages(epilogue, output, 0, rows, operands)
            return

        def part(number: int) -> None:
            begin, end = parts[number]
            for first in range(begin, end, BLOCK_ROWS):
                last = min(first + BLOCK_ROWS, end)
                multiply(data[first:last], panels, start, output[first:last])
                apply_stages(epilogue, output, first, last, operands)

        pool.run(part, len(parts))

    return run


def _sharing_columns(
    panels: Array, start: Array, width: int, rows: int, epilogue: Rows | None, pool: ThreadPool
) -> Product:
    parts, row_parts = split(len(panels), pool.size), split(rows, pool.size)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        data = _readable(data)

        def product(number: int) -> None:
            begin, end = parts[number]
            target = output[:, begin * WIDTH : min(end * WIDTH, width)]
            multiply(data, panels[begin:end], start[begin:end], target)

        pool.run(product, len(parts))
        if epilogue is not None:
            pool.run(lambda number: apply_stages(epilogue, output, *row_parts[number], operands), len(row_parts))

    return run


def _readable(data: Array) -> Array:
    """Return rows of neighbouring elements, as `multiply` reads them."""
    return (
        data if data.strides[1] == data.itemsize and data.flags.aligned else np.require(data, requirements=["C", "A"])
    )


register(keys.GEMM)(GemmKernels(WIDTH, packed, start_of, with_weights))
