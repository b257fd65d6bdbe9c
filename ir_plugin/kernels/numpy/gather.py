"""Gather kernels: compute flat positions block by block, check them with one comparison, and take the elements.

Indices are viewed as unsigned numbers, so that one `max` finds both those that are too large and those that are
negative; only then are allowed negative indices wrapped. A kernel returns False where an index is out of range; its
output is then undefined. `take` writes to the output with mode "clip", which neither checks again nor copies as "raise"
with `out=` does; `take_along_axis` is slower still (`python -m benchmarks.run gathers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.tensors import Array

BLOCK_ELEMENTS = 2**17
"""Flat positions in one block: 1 MB."""

BLOCK_INDICES = 2**15
"""Indices of rows in one block: 256 KB."""

Taking: TypeAlias = "Callable[[Array, Array, Array], bool]"
"""Fills the output from data and indices; False where an index is out of range."""

Shape: TypeAlias = "tuple[int, ...]"


class Block(NamedTuple):
    """A block of work: a range of the axes before, and a range of the axis itself."""

    first: int
    last: int
    start: int
    end: int


def usable(indices: Array, length: int, wrap: bool) -> Array | None:
    """Return the indices, negative ones counted from the end if `wrap`, or None where one is out of range."""
    bits = 8 * indices.dtype.itemsize
    if indices.dtype.kind == "i" and length <= 1 << bits - 1 and int(indices.view(f"u{bits // 8}").max()) < length:
        return indices
    lowest, highest = int(indices.min()), int(indices.max())
    if highest >= length or lowest < (-length if wrap else 0):
        return None
    if lowest >= 0:
        return indices
    offsets = indices.astype(np.intp)
    wrapped: Array = offsets >> 63
    wrapped &= length
    wrapped += offsets
    return wrapped


def around(shape: Shape, axis: int) -> tuple[int, int, int]:
    """Return the product of the dimensions before an axis, its length, and the product of those after it."""
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def blocks(shape: tuple[int, int, int], pool: ThreadPool) -> list[list[Block]]:
    """Return the blocks of [before, axis, after], in one list for each part of the work."""
    before, length, after = shape
    if before > 1:
        step, rows = max(BLOCK_ELEMENTS // (length * after), 1), max(BLOCK_ELEMENTS // after, 1)
        return [
            [
                Block(first, min(first + step, end), row, min(row + rows, length))
                for first in range(start, end, step)
                for row in range(0, length, rows)
            ]
            for start, end in shares(before, pool, prod(shape), policy.INDEXING_PART_MIN_ELEMENTS)
        ]
    rows = max(BLOCK_ELEMENTS // after, 1)
    return [
        [Block(0, 1, row, min(row + rows, end)) for row in range(start, end, rows)]
        for start, end in shares(length, pool, prod(shape), policy.INDEXING_PART_MIN_ELEMENTS)
    ]


class Positions:
    """Computes flat positions in data [before, length, after] from blocks of indices [before, …, after]."""

    def __init__(self, before: int, length: int, after: int, wrap: bool, work: Sequence[Sequence[Block]]) -> None:
        self.length, self.after, self.wrap = length, after, wrap
        starts = np.arange(before, dtype=np.intp) * (length * after)
        self.base = starts[:, None, None] + np.arange(after, dtype=np.intp)
        self._largest = max((b.last - b.first) * (b.end - b.start) for blocks in work for b in blocks) * after
        self._free: list[Array] = []

    @contextmanager
    def buffer(self) -> Iterator[Array]:
        """Yield a buffer for the positions of a block, to one thread."""
        try:
            buffer_memory = self._free.pop()
        except IndexError:
            buffer_memory = np.empty(self._largest, np.intp)
        yield buffer_memory
        self._free.append(buffer_memory)

    def of(self, indices: Array, block: Block, buffer: Array) -> Array | None:
        """Return the flat positions of a block, or None where an index is out of range."""
        usable_indices = usable(indices, self.length, self.wrap)
        if usable_indices is None:
            return None
        positions = buffer[: indices.size].reshape(indices.shape)
        base = self.base[block.first : block.last]
        if self.after == 1:
            np.add(usable_indices, base, out=positions, dtype=np.intp, casting="unsafe")
        else:
            np.multiply(usable_indices, self.after, out=positions, dtype=np.intp, casting="unsafe")
            np.add(positions, base, out=positions)
        return positions


def gather_elements(data: Shape, indices: Shape, axis: int, wrap: bool, pool: ThreadPool) -> Taking:
    """Return the kernel of GatherElements for data and indices of these shapes."""
    before, length, after = around(data, axis)
    shape = (before, indices[axis], after)
    work = blocks(shape, pool)
    positions = Positions(before, length, after, wrap, work)

    def run(data: Array, indices: Array, output: Array) -> bool:
        flat, index_blocks, target = data.reshape(-1), indices.reshape(shape), output.reshape(shape)
        failed: list[int] = []

        def part(number: int) -> None:
            with positions.buffer() as room:
                for block in work[number]:
                    region = np.s_[block.first : block.last, block.start : block.end]
                    flat_positions = positions.of(index_blocks[region], block, room)
                    if flat_positions is None:
                        failed.append(number)
                        return
                    np.take(flat, flat_positions, mode="clip", out=target[region])

        pool.run(part, len(work))
        return not failed

    return run


def gather(data: Shape, indices: Shape, axis: int, batch: int, wrap: bool, pool: ThreadPool) -> Taking:
    """Return the kernel of Gather along an axis, with `batch` batch dimensions."""
    if batch:
        return _gather_in_batches(data, indices, axis, batch, wrap, pool)
    before, length, after = around(data, axis)
    if before == 1:
        return _gather_rows(length, prod(indices), after, wrap, pool)
    count = prod(indices)
    parts = shares(before, pool, before * count * after, policy.INDEXING_PART_MIN_ELEMENTS)

    def run(data: Array, indices: Array, output: Array) -> bool:
        rows_taken = usable(indices.reshape(-1), length, wrap)
        if rows_taken is None:
            return False
        rows, target = data.reshape(before, length, after), output.reshape(before, count, after)

        def part(number: int) -> None:
            start, end = parts[number]
            np.take(rows[start:end], rows_taken, axis=1, mode="clip", out=target[start:end])

        pool.run(part, len(parts))
        return True

    return run


def _gather_rows(length: int, count: int, after: int, wrap: bool, pool: ThreadPool) -> Taking:
    """Return the kernel for `count` rows, by blocks whose indices stay in the cache from check to use."""
    parts = shares(count, pool, count * after, policy.INDEXING_PART_MIN_ELEMENTS)

    def run(data: Array, indices: Array, output: Array) -> bool:
        rows, flat_indices, target = data.reshape(length, after), indices.reshape(-1), output.reshape(count, after)
        failed: list[int] = []

        def part(number: int) -> None:
            start, end = parts[number]
            for first in range(start, end, BLOCK_INDICES):
                block = slice(first, min(first + BLOCK_INDICES, end))
                block_indices = usable(flat_indices[block], length, wrap)
                if block_indices is None:
                    failed.append(number)
                    return
                np.take(rows, block_indices, axis=0, mode="clip", out=target[block])

        pool.run(part, len(parts))
        return not failed

    return run


def _gather_in_batches(data: Shape, indices: Shape, axis: int, batch: int, wrap: bool, pool: ThreadPool) -> Taking:
    batches, count = prod(data[:batch]), prod(indices[batch:])
    before, length, after = around(data[batch:], axis - batch)
    starts = (np.arange(batches * before) * length).reshape(batches, before, 1)
    parts = shares(batches, pool, batches * before * count * after, policy.INDEXING_PART_MIN_ELEMENTS)
    step = max(BLOCK_ELEMENTS // (before * count), 1)

    def run(data: Array, indices: Array, output: Array) -> bool:
        batch_indices = usable(indices.reshape(batches, 1, count), length, wrap)
        if batch_indices is None:
            return False
        rows, target = data.reshape(-1, after), output.reshape(batches, before, count, after)

        def part(number: int) -> None:
            for start in range(parts[number][0], parts[number][1], step):
                part_batches = slice(start, min(start + step, parts[number][1]))
                flat_rows = np.add(batch_indices[part_batches], starts[part_batches], dtype=np.intp, casting="unsafe")
                np.take(rows, flat_rows, axis=0, mode="clip", out=target[part_batches])

        pool.run(part, len(parts))
        return True

    return run


def gather_tuples(data: Shape, indices: Shape, batch: int, wrap: bool, pool: ThreadPool) -> Taking:
    """Return the kernel of GatherND, with `batch` batch dimensions."""
    count, width = prod(indices[:-1]), indices[-1]
    after = prod(data[batch + width :])
    positions = np.empty(count, np.intp)
    slabs = np.repeat(np.arange(prod(data[:batch])), prod(indices[batch:-1])) if batch else None
    parts = shares(count, pool, count * after, policy.INDEXING_PART_MIN_ELEMENTS)

    def run(data: Array, indices: Array, output: Array) -> bool:
        lengths = data.shape[batch : batch + width]
        rows, tuples = data.reshape(-1, after), indices.reshape(count, width)
        target = output.reshape(count, after)
        failed: list[int] = []

        def part(number: int) -> None:
            start, end = parts[number]
            block_positions = positions[start:end]
            if flatten_tuples(
                tuples[start:end], lengths, wrap, block_positions, None if slabs is None else slabs[start:end]
            ):
                np.take(rows, block_positions, axis=0, mode="clip", out=target[start:end])
            else:
                failed.append(number)

        pool.run(part, len(parts))
        return not failed

    return run


def flatten_tuples(tuples: Array, lengths: Shape, wrap: bool, out: Array, slabs: Array | None = None) -> bool:
    """Fill `out` with the flat positions (C order) of index tuples [count, width]; False if one is out of range."""
    if slabs is not None:
        np.copyto(out, slabs)
    for axis, length in enumerate(lengths):
        column = usable(tuples[:, axis], length, wrap)
        if column is None:
            return False
        if axis == 0 and slabs is None:
            np.copyto(out, column, casting="unsafe")
        else:
            np.multiply(out, length, out=out)
            np.add(out, column, out=out, dtype=np.intp, casting="unsafe")
    return True
