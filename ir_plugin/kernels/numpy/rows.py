"""Softmax and normalization of rows, in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**18
"""Bytes of one block of rows; 256 KB of input and of output fit a 2 MB cache."""

RowKernel: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes rows of the output from rows [M, N] of the data and the epilogue's operands as rows."""


BlockKernel: TypeAlias = "Callable[[Array, Array, int, Sequence[Array]], None]"
"""The same for a block of rows, given also the number of its first row."""


def in_blocks(kernel: BlockKernel, pool: ThreadPool, shared_from: int) -> RowKernel:
    """Return the kernel that applies a block kernel to all rows; threads share the blocks of `shared_from` elements."""

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        if data.nbytes <= BLOCK_BYTES and data.size < shared_from:
            kernel(data, output, 0, operands)
            return
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
    """Return the kernel for the softmax of rows."""

    def kernel(data: Array, output: Array, _first: int, _operands: Sequence[Array]) -> None:
        np.subtract(data, data.max(axis=1, keepdims=True), out=output)
        np.exp(output, out=output)
        np.divide(output, output.sum(axis=1, keepdims=True), out=output)

    return in_blocks(kernel, pool, policy.SOFTMAX_SHARED_MIN_ELEMENTS)


def root_mean(width: int, eps: float, epilogue: Rows | None, pool: ThreadPool) -> RowKernel:
    """Return the kernel that divides rows by the roots of their mean squares (RMS)."""

    def kernel(data: Array, output: Array, first: int, operands: Sequence[Array]) -> None:
        mean_squares = np.vecdot(data, data) / data.dtype.type(width)
        np.multiply(data, (1 / np.sqrt(mean_squares + data.dtype.type(eps)))[:, None], out=output)
        if epilogue is not None:
            epilogue(output, first, operands)

    return in_blocks(kernel, pool, policy.NORMALIZATION_SHARED_MIN_ELEMENTS)


def normalized(
    width: int, eps: float, inside: bool, variance: bool, epilogue: Rows | None, pool: ThreadPool
) -> RowKernel:
    """Return the kernel that subtracts the mean of each row, and divides by the root of its variance (MVN).

    The mean is a product with a vector, and the variance the product of each row with itself, which is faster than
    `mean` and `square`.
    """
    eps64 = np.float64(eps)

    def kernel(data: Array, output: Array, first: int, operands: Sequence[Array]) -> None:
        weights = np.full(width, 1 / width, data.dtype)
        np.subtract(data, (data @ weights)[:, None], out=output)
        if variance:
            squares = np.vecdot(output, output) / data.dtype.type(width)
            offset = data.dtype.type(eps64)
            root = np.sqrt(squares + offset) if inside else np.sqrt(squares) + offset
            np.multiply(output, (1 / root)[:, None], out=output)
        if epilogue is not None:
            epilogue(output, first, operands)

    return in_blocks(kernel, pool, policy.NORMALIZATION_SHARED_MIN_ELEMENTS)


def response_normalized(
    alpha: float, beta: float, bias: float, reach: int, epilogue: Rows | None, pool: ThreadPool
) -> RowKernel:
    """Return the kernel that divides rows of channels by a power of their local sums of squares (LRN).

    The usual power of 0.75 is two square roots: twice as fast as `power`.
    """

    def kernel(data: Array, output: Array, first: int, operands: Sequence[Array]) -> None:
        count, width = data.shape
        squares = np.zeros((count, width + 2 * reach), data.dtype)
        np.multiply(data, data, out=squares[:, reach : reach + width])
        sums = squares[:, :width] + squares[:, 1 : width + 1] if reach else squares.copy()
        for offset in range(2, 2 * reach + 1):
            np.add(sums, squares[:, offset : offset + width], out=sums)
        np.multiply(sums, data.dtype.type(alpha), out=sums)
        np.add(sums, data.dtype.type(bias), out=sums)
        np.divide(data, _power(sums, beta), out=output)
        if epilogue is not None:
            epilogue(output, first, operands)

    return in_blocks(kernel, pool, policy.NORMALIZATION_SHARED_MIN_ELEMENTS)


def group_normalized(samples: int, factors: tuple[int, float, Array, Array], epilogue: Rows | None) -> RowKernel:
    """Return the kernel that normalizes groups of channels over all rows of a sample.

    The factors are the number of groups, epsilon, and a factor and an addend for each channel.
    """
    groups, eps, scale, offset = factors

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        pixels, width = len(data) // samples, data.shape[1]
        weights = np.full((1, pixels), 1 / pixels, data.dtype)

        def means(rows: Array) -> Array:
            """Return the mean of its group for each channel."""
            of_groups = (weights @ rows).reshape(groups, -1).mean(axis=1, dtype=data.dtype)
            return np.repeat(of_groups, width // groups)

        for sample in range(samples):
            mine = slice(sample * pixels, (sample + 1) * pixels)
            target = output[mine]
            np.subtract(data[mine], means(data[mine]), out=target)
            variance = means(np.square(target))
            np.multiply(target, scale / np.sqrt(variance + data.dtype.type(eps)), out=target)
            np.add(target, offset, out=target)
        if epilogue is not None:
            epilogue(output, 0, operands)

    return run


def _power(total: Array, beta: float) -> Array:
    if beta == 0.75:
        root = np.sqrt(total)
        np.sqrt(root, out=total)
        np.multiply(root, total, out=total)
    else:
        np.power(total, total.dtype.type(beta), out=total)
    return total
