"""Products with compressed weights, which are expanded block by block into a small buffer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor

BLOCK_BYTES = 2**20
"""Bytes of expanded weights that meet all rows of the data at once: they fit a second-level cache."""


def product(tensor: CompressedTensor, transposed: bool, pool: ThreadPool | None = None) -> Product:
    """Return the product of rows with a compressed matrix, [N, K] if `transposed`, otherwise [K, N].

    Threads share the blocks of the first axis: columns of the output, or parts of sums.
    """
    length = tensor.codes_shape[0]
    blocks = blocks_of(length, tensor.size // max(length, 1))
    return _by_columns(tensor, blocks, pool) if transposed else _by_depth(tensor, blocks)


def blocks_of(length: int, size: int) -> list[tuple[int, int]]:
    """Return ranges of an axis whose positions have `size` values each: a block of f32 fits a second-level cache."""
    step = max(1, BLOCK_BYTES // (4 * size or 1))
    return [(first, min(first + step, length)) for first in range(0, length, step)]


def _by_columns(tensor: CompressedTensor, blocks: Sequence[tuple[int, int]], pool: ThreadPool | None) -> Product:
    """Return the product in which each block fills columns of the output."""
    depth, ratio = tensor.shape[1], tensor.shape[0] // tensor.codes_shape[0]
    parts = split(len(blocks), 1 if pool is None else pool.size)

    def run(data: Array, output: Array, _: Sequence[Array]) -> None:
        def part(number: int) -> None:
            begin, end = parts[number]
            buffer = np.empty((_most(blocks) * ratio, depth), np.float32)
            for first, last in blocks[begin:end]:
                weights = buffer[: (last - first) * ratio]
                tensor.expand(first, last, weights)
                np.matmul(data, weights.T, out=output[:, first * ratio : last * ratio])

        if pool is None:
            part(0)
        else:
            pool.run(part, len(parts))

    return run


def _by_depth(tensor: CompressedTensor, blocks: Sequence[tuple[int, int]]) -> Product:
    """Return the product in which each block adds the products of some columns of the data."""
    width, ratio = tensor.shape[1], tensor.shape[0] // tensor.codes_shape[0]

    def run(data: Array, output: Array, _: Sequence[Array]) -> None:
        buffer = np.empty((_most(blocks) * ratio, width), np.float32)
        output[...] = 0
        for first, last in blocks:
            weights = buffer[: (last - first) * ratio]
            tensor.expand(first, last, weights)
            np.add(output, data[:, first * ratio : last * ratio] @ weights, out=output)

    return run


def _most(blocks: Sequence[tuple[int, int]]) -> int:
    return blocks[0][1] - blocks[0][0]


def grouped_axes(lengths: list[int], across: int, operands: list[Array]) -> int:
    """Return the number of first axes along which scales or zero points vary, at least `across`, the output axes."""
    count = len(lengths)
    while count > across and all(array.shape[count - 1] == 1 for array in operands):
        count -= 1
    return count


def by_group(operand: Array | None, lengths: list[int], width: int) -> Array | None:
    """Return an operand for each output and group."""
    if operand is None:
        return None
    leading = operand.reshape(operand.shape[: len(lengths)])
    return np.ascontiguousarray(np.broadcast_to(leading, lengths).reshape(width, -1), np.float32)


def scales_and_zeros(tensor: CompressedTensor) -> list[Array]:
    """Return the f32 scales and zero points [N, G] of a matrix [N, K] whose first axis is one axis of its codes."""
    lengths = list(tensor.codes_shape)
    operands = [operand for operand in (tensor.scale, tensor.zero_point) if operand is not None]
    count = grouped_axes(lengths, 1, operands)
    scales, zeros = (by_group(operand, lengths[:count], lengths[0]) for operand in (tensor.scale, tensor.zero_point))
    shape = (lengths[0], int(np.prod(lengths[1:count])))
    return [
        np.ones(shape, np.float32) if scales is None else scales,
        np.zeros(shape, np.float32) if zeros is None else zeros,
    ]
