"""Matrix products into existing buffers, whose rows or columns the threads of a pool share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

STAGE_BYTES = 2**19
"""Bytes of rows in one block of the epilogue."""

Product: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes rows [M, N] from rows [M, K] and the epilogue's operands as rows."""


def packed(weights: Array, columns: Sequence[tuple[int, int]]) -> list[Array]:
    """Return contiguous weights [K, N], split into the columns of each thread if there are any."""
    return [np.ascontiguousarray(weights[:, start:end]) for start, end in columns or [(0, weights.shape[1])]]


def columns_of(shape: tuple[int, ...], rows: int, threads: int) -> list[tuple[int, int]]:
    """Return which columns each thread computes; none where they share the rows, or one does all."""
    small = rows * shape[0] * shape[1] < policy.SHARED_MIN_MULTIPLICATIONS
    return [] if small or threads == 1 or rows >= policy.GEMM_ROWS_SHARED_MIN_ROWS else split(shape[1], threads)


def with_weights(
    weights: Array,
    rows: int,
    epilogue: Rows | None,
    pool: ThreadPool,
    bias: Array | None = None,
    packed_weights: Sequence[Array] | None = None,
) -> Product:
    """Return the kernel of a product of `rows` rows with constant weights [K, N], plus a bias of N numbers.

    `packed_weights` are the weights as `packed` returns them. BLAS is up to a tenth faster writing contiguous rows than
    columns of a wider matrix; the sum with the bias copies them there. One thread applies the epilogue of few rows, as
    threads that call short ufuncs wait for each other at the interpreter's lock.
    """
    depth, width = weights.shape
    columns = columns_of(weights.shape, rows, pool.size)
    factors = packed(weights, columns) if packed_weights is None else packed_weights
    if columns:
        offset = np.zeros(width, weights.dtype) if bias is None else bias
        return _by_columns(factors, columns, offset, rows, epilogue, pool)
    is_large = rows * depth * width >= policy.SHARED_MIN_MULTIPLICATIONS
    parts = split(rows, pool.size if is_large and rows >= policy.GEMM_ROWS_SHARED_MIN_ROWS else 1)
    if len(parts) == 1 and rows <= stage_rows(width, weights.itemsize):
        return _at_once(factors[0], bias, epilogue)
    return _by_rows(factors[0], parts, bias, epilogue, pool)


def _at_once(factor: Array, bias: Array | None, epilogue: Rows | None) -> Product:
    """Return the kernel of a product whose rows fit one block of the epilogue."""

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        np.matmul(data, factor, out=output)
        if bias is not None:
            np.add(output, bias, out=output)
        if epilogue is not None:
            epilogue(output, 0, operands)

    return run


def _by_rows(
    factor: Array, parts: Sequence[tuple[int, int]], bias: Array | None, epilogue: Rows | None, pool: ThreadPool
) -> Product:
    """Return the kernel of a product whose rows threads share, in blocks of several of the epilogue's."""
    step = stage_rows(factor.shape[1], factor.itemsize) * 8

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        def product(number: int) -> None:
            start, end = parts[number]
            for first in range(start, end, step):
                block = output[first : min(first + step, end)]
                np.matmul(data[first : first + len(block)], factor, out=block)
                if bias is not None:
                    np.add(block, bias, out=block)
                apply_stages(epilogue, output, first, first + len(block), operands)

        pool.run(product, len(parts))

    return run


def _by_columns(
    factors: Sequence[Array],
    columns: Sequence[tuple[int, int]],
    bias: Array,
    rows: int,
    epilogue: Rows | None,
    pool: ThreadPool,
) -> Product:
    scratch = [np.empty((rows, end - start), bias.dtype) for start, end in columns]

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        def product(number: int) -> None:
            start, end = columns[number]
            np.matmul(data, factors[number], out=scratch[number])
            np.add(scratch[number], bias[start:end], out=output[:, start:end])

        pool.run(product, len(columns))
        apply_stages(epilogue, output, 0, rows, operands)

    return run


def stage_rows(width: int, itemsize: int) -> int:
    """Return how many rows fit `STAGE_BYTES`."""
    return max(STAGE_BYTES // (itemsize * width), 1)


def apply_stages(epilogue: Rows | None, output: Array, start: int, end: int, operands: Sequence[Array]) -> None:
    """Apply an epilogue to rows of the output, in blocks that stay in the cache."""
    if epilogue is not None:
        step = stage_rows(output.shape[1], output.itemsize)
        for first in range(start, end, step):
            epilogue(output[first : min(first + step, end)], first, operands)


def batched(a: Array, b: Array, output: Array, pool: ThreadPool) -> None:
    """Compute a batched matrix product, whose leading dimensions broadcast."""
    work = output.size * a.shape[-1]
    leads = output.shape[:-2]
    if work < policy.SHARED_MIN_MULTIPLICATIONS or pool.size == 1 or not leads or leads[-1] < pool.size:
        np.matmul(a, b, out=output)
        return
    parts = split(leads[-1], pool.size)

    def part(number: int) -> None:
        start, end = parts[number]
        np.matmul(_part_of(a, start, end), _part_of(b, start, end), out=output[..., start:end, :, :])

    pool.run(part, len(parts))


def _part_of(array: Array, start: int, end: int) -> Array:
    return array if array.ndim < 3 or array.shape[-3] == 1 else array[..., start:end, :, :]
