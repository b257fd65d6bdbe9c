"""Products of few rows with a matrix of integers, whose scales and zero points belong to groups of neighbours.

The codes stay integers of one byte. A block of them is expanded in the second-level cache, and the scales multiply the
sums of the groups, which are fewer than the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy import compressed
from ir_plugin.kernels.numpy.compressed import BLOCK_BYTES, blocks_of, scales_and_zeros
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor
from ir_plugin.tensors.packing import unpack

_CENTERS = {"i8": 0, "u8": 128, "i4": 0, "u4": 8, "i2": 0, "u2": 2}
"""What is subtracted from the codes of each type: they become signed, and their zero points small."""
_GREATEST = np.float32(1e30)
"""The greatest magnitude of data that is multiplied by zero points apart from codes: no product is infinite."""


_Fill: TypeAlias = "Callable[[Sequence[tuple[int, int]], Array, Array | None, Array], None]"
"""Fills an output from blocks of its columns, the data by group, and the sums of the data in each group."""


@dataclass(frozen=True)
class GroupedCodes:
    """The matrix [N, K] of the values (codes - zeros) * scales, in groups of K / G neighbours in a row."""

    codes: Array
    """i8 [G, N, K / G]."""
    scales: Array
    """f32 [G, N, 1]."""
    zeros: Array
    """f32 [G, N, 1]."""


def is_grouped(tensor: CompressedTensor, transposed: bool) -> bool:
    """Return whether a compressed matrix, [N, K] if `transposed`, has codes in groups."""
    is_matrix = transposed and len(tensor.shape) == 2 and tensor.lead == 1 and tensor.element_type.name in _CENTERS
    return is_matrix and tensor.row_bytes * 8 == tensor.shape[1] * tensor.element_type.bits


def _by_group(tensor: CompressedTensor) -> list[Array]:
    """Return codes, scales and zero points of a matrix by group."""
    scales, zeros = scales_and_zeros(tensor)
    (width, groups), depth = scales.shape, tensor.shape[1]
    center = _CENTERS[tensor.element_type.name]
    codes = np.empty((groups, width, depth // groups), np.int8)
    for first, last in blocks_of(width, depth):
        packed = tensor.codes[first * tensor.row_bytes : last * tensor.row_bytes]
        levels = unpack(packed, tensor.element_type, (last - first) * depth).reshape(last - first, groups, -1)
        codes[:, first:last] = np.subtract(levels, center, dtype=np.int16).swapaxes(0, 1)
    return [codes, *(np.ascontiguousarray(array.T)[..., None] for array in (scales, zeros - np.float32(center)))]


def product(
    tensor: CompressedTensor, transposed: bool, pool: ThreadPool | None = None, derived: Derived = underived
) -> Product:
    """Return the product of rows with a compressed matrix, [N, K] if `transposed`, otherwise [K, N].

    Few rows are multiplied by its codes in groups, which the first of them brings about, many by blocks of its values.
    """
    many = compressed.product(tensor, transposed, pool)
    if not is_grouped(tensor, transposed):
        return many

    @cache
    def few() -> Product:
        arrays = derived(("codes by group", tensor.key), [tensor.codes], lambda: _by_group(tensor))
        return _few_rows(GroupedCodes(*arrays), pool)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        is_few = len(data) <= policy.GROUPED_CODES_MAX_ROWS and np.abs(data).max(initial=0) <= _GREATEST
        (few() if is_few else many)(data, output, operands)

    return run


def _few_rows(weights: GroupedCodes, pool: ThreadPool | None) -> Product:
    """Return the product of few rows with a matrix; threads share its outputs."""
    groups, width, size = weights.codes.shape
    is_large = weights.codes.size >= policy.SHARED_MIN_MULTIPLICATIONS
    threads = pool.size if pool is not None and is_large else 1
    step = max(1, min(BLOCK_BYTES // (4 * groups * size), -(-width // threads)))
    blocks = [(first, min(first + step, width)) for first in range(0, width, step)]
    parts = split(len(blocks), threads)
    fill, has_zeros = _filler(weights, step), bool(weights.zeros.any())

    def run(data: Array, output: Array, _: Sequence[Array]) -> None:
        columns = np.ascontiguousarray(data.reshape(len(data), groups, size).transpose(1, 2, 0))
        sums = columns.sum(1, keepdims=True) if has_zeros else None

        def part(number: int) -> None:
            fill(blocks[slice(*parts[number])], columns, sums, output)

        if pool is None or threads == 1:
            for number in range(len(parts)):
                part(number)
        else:
            pool.run(part, len(parts))

    return run


def _filler(weights: GroupedCodes, step: int) -> _Fill:
    """Return a function that fills the columns of an output in some blocks of at most `step`, one block at a time.

    It takes the sums of the data in each group, or None where no zero point is subtracted.
    """
    groups, _, size = weights.codes.shape

    def fill(blocks: Sequence[tuple[int, int]], columns: Array, sums: Array | None, output: Array) -> None:
        buffer = np.empty((groups, step, size), np.float32)
        for first, last in blocks:
            values = buffer[:, : last - first]
            np.copyto(values, weights.codes[:, first:last])
            products = np.matmul(values, columns)
            if sums is not None:
                products -= weights.zeros[:, first:last] * sums
            products *= weights.scales[:, first:last]
            np.sum(products, axis=0, out=output[:, first:last].T)

    return fill
