"""Reading and writing elements at indices: flat positions, checked with one comparison, taken in blocks.

Indices are looked at as unsigned numbers, so that one `max` finds what is too large and what is negative; a kernel
then returns False and nothing it wrote counts. Positions are made in a buffer, and `take` writes to the output with
mode "clip", which neither checks again nor copies as "raise" with `out=` does (2 to 3 times slower).

Loops that numba compiles were tried and dropped: for 1000x1000 along axis 1 they take 1.65 ms where these take .76, for
200000x64 17.5 against 12.4; only ScatterElementsUpdate along axis 0, in one thread here, gained (1.0 against 1.7).
GatherElements of 50000x64 by 200000x64: 148 ms by take_along_axis, 43.5 so, OpenVINO 74 to 82.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels.team import Team, split
from ir_plugin.tensors import Array

BLOCK_ELEMENTS = 2**17
"""Positions that are made at once: 1 MB."""

SMALL_ELEMENTS = 2**14
"""Elements below which one thread does the work."""

Taking: TypeAlias = "Callable[[Array, Array, Array], bool]"
"""Fills the output from data and indices; False where an index is not in [0, length)."""


class Block(NamedTuple):
    """Ranges of the axes before, and of the axis itself, that are done at once."""

    first: int
    last: int
    start: int
    end: int


def inside(indices: Array, length: int) -> bool:
    """Return whether all indices are in [0, length)."""
    if indices.dtype.kind == "i":
        indices = indices.view(f"u{indices.dtype.itemsize}")
    return indices.size == 0 or int(indices.max()) < length


def blocks(shape: tuple[int, int, int], parts: int) -> list[list[Block]]:
    """Return the blocks of [before, axis, behind] that each of the threads does."""
    before, length, behind = shape
    if before > 1:
        step, rows = max(BLOCK_ELEMENTS // (length * behind), 1), max(BLOCK_ELEMENTS // behind, 1)
        return [
            [
                Block(first, min(first + step, end), row, min(row + rows, length))
                for first in range(start, end, step)
                for row in range(0, length, rows)
            ]
            for start, end in split(before, parts)
        ]
    rows = max(BLOCK_ELEMENTS // behind, 1)
    return [
        [Block(0, 1, row, min(row + rows, end)) for row in range(start, end, rows)]
        for start, end in split(length, parts)
    ]


class _Positions:
    """Makes the flat positions in data [before, length, behind] of blocks of indices [before, …, behind]."""

    def __init__(self, before: int, length: int, behind: int, work: Sequence[Sequence[Block]]) -> None:
        self.length, self.behind = length, behind
        starts = np.arange(before, dtype=np.intp) * (length * behind)
        self.base = starts[:, None, None] + np.arange(behind, dtype=np.intp)
        largest = max((b.last - b.first) * (b.end - b.start) for blocks in work for b in blocks)
        self.buffers = [np.empty(largest * behind, np.intp) for _ in work]

    def of(self, indices: Array, block: Block, part: int) -> Array | None:
        """Return the positions, or None where an index is out of range."""
        if not inside(indices, self.length):
            return None
        found = self.buffers[part][: indices.size].reshape(indices.shape)
        base = self.base[block.first : block.last]
        if self.behind == 1:
            np.add(indices, base, out=found, casting="unsafe")
        else:
            np.multiply(indices, self.behind, out=found, casting="unsafe")
            np.add(found, base, out=found)
        return found


def gather_elements(data: tuple[int, ...], indices: tuple[int, ...], axis: int, team: Team) -> Taking:
    """Return the kernel for data and indices that agree in all but the axis."""
    before, length, behind = _around(data, axis)
    shape = (before, indices[axis], behind)
    work = blocks(shape, team.size if np.prod(indices) >= SMALL_ELEMENTS else 1)
    positions = _Positions(before, length, behind, work)

    def run(data: Array, indices: Array, output: Array) -> bool:
        flat, given, target = data.reshape(-1), indices.reshape(shape), output.reshape(shape)
        failed: list[int] = []

        def part(number: int) -> None:
            for block in work[number]:
                place = np.s_[block.first : block.last, block.start : block.end]
                found = positions.of(given[place], block, number)
                if found is None:
                    failed.append(number)
                    return
                np.take(flat, found, mode="clip", out=target[place])

        team.run(part, len(work))
        return not failed

    return run


def scatter_elements(shape: tuple[int, ...], count: int, axis: int, team: Team) -> Callable[..., bool]:
    """Return the kernel that writes updates to a copy of the data; of two equal places the later one wins.

    Threads share what is before the axis, so that no two write to the same place.
    """
    before, length, behind = _around(shape, axis)
    updates_shape = (before, count, behind)
    work = blocks(updates_shape, team.size if before > 1 and np.prod(shape) >= SMALL_ELEMENTS else 1)
    positions = _Positions(before, length, behind, work)

    def run(data: Array, indices: Array, updates: Array, output: Array) -> bool:
        given, values = indices.reshape(updates_shape), updates.reshape(updates_shape)
        source, flat = data.reshape(before, -1), output.reshape(-1)
        target = output.reshape(before, -1)
        failed: list[int] = []

        def part(number: int) -> None:
            mine = slice(work[number][0].first, work[number][-1].last)
            target[mine] = source[mine]
            for block in work[number]:
                place = np.s_[block.first : block.last, block.start : block.end]
                found = positions.of(given[place], block, number)
                if found is None:
                    failed.append(number)
                    return
                flat[found] = values[place]

        team.run(part, len(work))
        return not failed

    return run


def gather(shape: tuple[int, ...], count: int, axis: int, team: Team) -> Taking:
    """Return the kernel for slices of data along an axis, at so many indices."""
    before, length, behind = _around(shape, axis)
    wide = before * count * behind >= SMALL_ELEMENTS
    parts = split(before if before > 1 else count, team.size if wide else 1)

    def run(data: Array, indices: Array, output: Array) -> bool:
        if not inside(indices, length):
            return False
        rows, places = data.reshape(before, length, behind), indices.reshape(-1)
        target = output.reshape(before, count, behind)

        def part(number: int) -> None:
            start, end = parts[number]
            if before > 1:
                np.take(rows[start:end], places, axis=1, mode="clip", out=target[start:end])
            else:
                np.take(rows[0], places[start:end], axis=0, mode="clip", out=target[0, start:end])

        team.run(part, len(parts))
        return True

    return run


def gather_tuples(shape: tuple[int, ...], count: int, width: int, team: Team) -> Taking:
    """Return the kernel for slices of data at so many tuples of `width` indices (GatherND)."""
    lead = shape[:width]
    behind = int(np.prod(shape[width:], dtype=np.int64))
    positions = np.empty(count, np.intp)
    parts = split(count, team.size if count * behind >= SMALL_ELEMENTS else 1)

    def run(data: Array, indices: Array, output: Array) -> bool:
        rows, tuples = data.reshape(-1, behind), indices.reshape(count, width)
        target = output.reshape(count, behind)
        failed: list[int] = []

        def part(number: int) -> None:
            start, end = parts[number]
            found = positions[start:end]
            for place, length in enumerate(lead):
                column = tuples[start:end, place]
                if not inside(column, length):
                    failed.append(number)
                    return
                if place == 0:
                    np.copyto(found, column, casting="unsafe")
                else:
                    np.multiply(found, length, out=found)
                    np.add(found, column, out=found, casting="unsafe")
            np.take(rows, found, axis=0, mode="clip", out=target[start:end])

        team.run(part, len(parts))
        return not failed

    return run


def _around(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    before, behind = np.prod(shape[:axis], dtype=np.int64), np.prod(shape[axis + 1 :], dtype=np.int64)
    return int(before), shape[axis], int(behind)
