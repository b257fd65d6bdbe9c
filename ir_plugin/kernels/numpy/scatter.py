"""Scatter kernels: write elements and slices at indices, in the order of the updates; the last of equal indices wins.

A kernel copies the data to the output, unless both are the same memory, and `put` writes each slice as one item of
memory, which is faster than assignment to rows of an array (`python -m benchmarks.run gathers`). It returns False where
an index is out of range, before it writes to memory of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.gather import BLOCK_ELEMENTS, Shape, around, flatten_tuples, usable
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.tensors import Array

Writing: TypeAlias = "Callable[[Array, Array, Array, Array], bool]"
"""Fills the output from data, indices and updates; False where an index is out of range."""


def items(array: Array, count: int) -> Array:
    """Return an array flattened, with `count` elements as one item; a view if it is in C order."""
    size = array.dtype.itemsize * count
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(f"u{size}" if size in (1, 2, 4, 8) else f"V{size}")


def begin(data: Array, output: Array, part: slice = slice(None)) -> None:
    """Copy rows of the data to the output, unless both are the same memory."""
    if not np.may_share_memory(data, output):
        np.copyto(output[part], data[part])


def scatter_elements(data: Shape, indices: Shape, axis: int, wrap: bool, pool: ThreadPool) -> Writing:
    """Return the kernel of ScatterElementsUpdate.

    Threads share the axes before the scattered one, or else the axes after it, so that no two write the same element.
    """
    before, length, after = around(data, axis)
    count = indices[axis]
    parts = regions(before, after, prod(indices), pool)

    def run(data: Array, indices: Array, updates: Array, output: Array) -> bool:
        usable_indices = usable(indices.reshape(before, count, after), length, wrap)
        if usable_indices is None:
            return False
        values, source = items(updates, 1).reshape(usable_indices.shape), data.reshape(before, length, after)
        flat, target = items(output, 1), output.reshape(before, length, after)

        def part(number: int) -> None:
            (start, end), (left, right) = parts[number]
            begin(source[start:end, :, left:right], target[start:end, :, left:right])
            base = np.arange(left, right)
            for first, last, row, stop in _blocks(start, end, count, right - left):
                region = np.s_[first:last, row:stop, left:right]
                flat_positions = np.multiply(usable_indices[region], after, dtype=np.intp, casting="unsafe")
                flat_positions += (np.arange(first, last) * (length * after))[:, None, None] + base
                flat[flat_positions] = values[region]

        pool.run(part, len(parts))
        return True

    return run


def regions(before: int, after: int, work: int, pool: ThreadPool) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return for each part of the work its range of the flattened axes before an axis, and of the axes after it."""
    if before > 1:
        return [(slabs, (0, after)) for slabs in shares(before, pool, work, policy.INDEXING_PART_MIN_ELEMENTS)]
    return [
        ((0, 1), columns)
        for columns in shares(
            after, pool, min(work // policy.INDEXING_PART_MIN_ELEMENTS, after // policy.SCATTER_PART_MIN_COLUMNS), 1
        )
    ]


def _blocks(start: int, end: int, count: int, width: int) -> list[tuple[int, int, int, int]]:
    """Return the ranges of slabs and of rows of each block, with the rows of a slab in order."""
    slabs, rows = max(BLOCK_ELEMENTS // (count * width), 1), max(BLOCK_ELEMENTS // width, 1)
    return [
        (first, min(first + slabs, end), row, min(row + rows, count))
        for first in range(start, end, slabs)
        for row in range(0, count, rows)
    ]


def scatter_slices(data: Shape, indices: Shape, axis: int, wrap: bool, pool: ThreadPool) -> Writing:
    """Return the kernel of ScatterUpdate along an axis; threads share the axes before it."""
    before, length, after = around(data, axis)
    count = prod(indices)
    parts = shares(before, pool, before * count * after, policy.INDEXING_PART_MIN_ELEMENTS)

    def run(data: Array, indices: Array, updates: Array, output: Array) -> bool:
        slice_indices = usable(indices.reshape(-1), length, wrap)
        if slice_indices is None:
            return False
        source, target = data.reshape(before, -1), output.reshape(before, -1)
        rows, values = items(output, after), items(updates, after).reshape(before, count)

        def part(number: int) -> None:
            block = slice(*parts[number])
            begin(source, target, block)
            flat_positions = np.add(
                slice_indices, (np.arange(*parts[number]) * length)[:, None], dtype=np.intp, casting="unsafe"
            )
            np.put(rows, flat_positions, values[block], mode="clip")

        pool.run(part, len(parts))
        return True

    return run


def scatter_tuples(data: Shape, indices: Shape, wrap: bool, pool: ThreadPool) -> Writing:
    """Return the kernel of ScatterNDUpdate; threads share the copy of the data."""
    count, width = prod(indices[:-1]), indices[-1]
    after = prod(data[width:])
    positions = np.empty(count, np.intp)
    parts = shares(prod(data), pool, prod(data), policy.INDEXING_PART_MIN_ELEMENTS)

    def run(data: Array, indices: Array, updates: Array, output: Array) -> bool:
        if not flatten_tuples(indices.reshape(count, width), data.shape[:width], wrap, positions):
            return False
        source, target = data.reshape(-1), output.reshape(-1)
        pool.run(lambda number: begin(source, target, slice(*parts[number])), len(parts))
        np.put(items(output, after), positions, items(updates, after), mode="clip")
        return True

    return run
