"""Softmax and normalizations of rows, some rows at a time so that they stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**18
"""Bytes of rows that go through all steps of a kernel at once; 256 KB of input and of output fit a 2 MB cache."""

MANY_EXPONENTIALS = 2**18
"""Elements from which on threads share a softmax; 1536 x 128 takes .6 ms in one thread and in two.

Threads that call one short ufunc after the other wait for each other at the interpreter's lock.
"""

MANY_ELEMENTS = 2**20
"""The same for a normalization: 128 x 768 takes .20 ms in one thread and .30 in two."""

RowKernel: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes rows of the output from rows [M, N] of the data, given the operands of fused stages as rows."""


BlockKernel: TypeAlias = "Callable[[Array, Array, int, Sequence[Array]], None]"
"""The same for a block of them, given also the number of its first row."""


def in_blocks(kernel: BlockKernel, pool: ThreadPool, shared_from: int) -> RowKernel:
    """Return the kernel applied to blocks of rows, which threads share; it is told the number of the first row."""

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        rows, width = data.shape
        step = max(BLOCK_BYTES // max(data.itemsize * width, 1), 1)
        parts = split(rows, pool.size if data.size >= shared_from else 1)

        def part(number: int) -> None:
            start, end = parts[number]
            for first in range(start, end, step):
                last = min(first + step, end)
                kernel(data[first:last], output[first:last], first, operands)

        pool.run(part, len(parts))

    return run


def softmax(pool: ThreadPool) -> RowKernel:
    """Return the softmax of rows. 12x128x128: .45 ms in one thread, .25 in two, against OpenVINO's .33."""

    def kernel(data: Array, output: Array, _first: int, _operands: Sequence[Array]) -> None:
        np.subtract(data, data.max(axis=1, keepdims=True), out=output)
        np.exp(output, out=output)
        np.divide(output, output.sum(axis=1, keepdims=True), out=output)

    return in_blocks(kernel, pool, MANY_EXPONENTIALS)


def root_mean(width: int, eps: float, epilogue: Rows | None, pool: ThreadPool) -> RowKernel:
    """Return rows over the roots of their mean squares."""

    def kernel(data: Array, output: Array, first: int, operands: Sequence[Array]) -> None:
        squares = np.vecdot(data, data) / data.dtype.type(width)
        np.multiply(data, (1 / np.sqrt(squares + data.dtype.type(eps)))[:, None], out=output)
        if epilogue is not None:
            epilogue(output, first, operands)

    return in_blocks(kernel, pool, MANY_ELEMENTS)


def normalized(
    width: int, eps: float, inside: bool, variance: bool, epilogue: Rows | None, pool: ThreadPool
) -> RowKernel:
    """Return rows less their means, over the roots of their variances.

    The mean is a product with a vector and the variance one of each row with itself: 128x768 takes .071 ms, where
    `mean` and `square` take .21 and OpenVINO .10.
    """
    small = np.float64(eps)

    def kernel(data: Array, output: Array, first: int, operands: Sequence[Array]) -> None:
        weights = np.full(width, 1 / width, data.dtype)
        np.subtract(data, (data @ weights)[:, None], out=output)
        if variance:
            squares = np.vecdot(output, output) / data.dtype.type(width)
            small_part = data.dtype.type(small)
            root = np.sqrt(squares + small_part) if inside else np.sqrt(squares) + small_part
            np.multiply(output, (1 / root)[:, None], out=output)
        if epilogue is not None:
            epilogue(output, first, operands)

    return in_blocks(kernel, pool, MANY_ELEMENTS)


def response_normalized(
    alpha: float, beta: float, bias: float, reach: int, epilogue: Rows | None, pool: ThreadPool
) -> RowKernel:
    """Return rows of channels divided by a power of their local sums of squares (LRN across channels).

    The usual power of 0.75 is two square roots: twice as fast as `power`.
    """

    def kernel(data: Array, output: Array, first: int, operands: Sequence[Array]) -> None:
        count, width = data.shape
        squares = np.zeros((count, width + 2 * reach), data.dtype)
        np.multiply(data, data, out=squares[:, reach : reach + width])
        total = squares[:, :width] + squares[:, 1 : width + 1] if reach else squares.copy()
        for offset in range(2, 2 * reach + 1):
            np.add(total, squares[:, offset : offset + width], out=total)
        np.multiply(total, data.dtype.type(alpha), out=total)
        np.add(total, data.dtype.type(bias), out=total)
        np.divide(data, _power(total, beta), out=output)
        if epilogue is not None:
            epilogue(output, first, operands)

    return in_blocks(kernel, pool, MANY_ELEMENTS)


def _power(total: Array, beta: float) -> Array:
    if beta == 0.75:
        root = np.sqrt(total)
        np.sqrt(root, out=total)
        np.multiply(root, total, out=total)
    else:
        np.power(total, total.dtype.type(beta), out=total)
    return total
