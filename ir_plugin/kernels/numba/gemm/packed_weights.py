"""Products of rows of data with panels of weights, packed once, in tiles that stay in registers.

A panel is up to three registers of neighbouring columns. Where the columns do not fill the last panel, it begins so
much earlier: what both compute is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES, VECTORS, scattered
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.spin_pool import address_of
from ir_plugin.tensors import Array

DEPTH = 768
"""Rows of a panel that are used for all rows of the data at once: 72 KB of the second-level cache."""

TALLEST = 24
"""Rows that tiles of all widths fill: shares and blocks of so many leave no rest but the last."""

_OFFSETS, _SEGMENTS, _SEGMENT_COUNT, _PANELS, _START, _LIMITS, NUMBERS = range(7)
"""What a product reads beside the data: addresses of tables, of the vector that sums begin with, and of limits."""

_ARGUMENTS = ", ".join(["i8"] * 11)
_four_3, _two_3, _one_3 = (scattered(rows, 3) for rows in (4, 2, 1))
_six_2, _three_2, _one_2 = (scattered(rows, 2) for rows in (6, 3, 1))
_eight_1, _four_1, _two_1, _one_1 = (scattered(rows, 1) for rows in (8, 4, 2, 1))


@compiled(f"void({_ARGUMENTS}, f4, f4)")
def _of_three(
    count: int, data: int, places: int, offsets: int, runs: int, length: int, panel: int, output: int, step: int,
    start: int, start_step: int, low: float, high: float,
) -> None:  # fmt: skip
    while count > 0:
        rows = 4 if count >= 4 else 2 if count >= 2 else 1
        if rows == 4:
            _four_3(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        elif rows == 2:
            _two_3(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        else:
            _one_3(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        count, places, output, start = count - rows, places + 8 * rows, output + rows * step, start + rows * start_step


@compiled(f"void({_ARGUMENTS}, f4, f4)")
def _of_two(
    count: int, data: int, places: int, offsets: int, runs: int, length: int, panel: int, output: int, step: int,
    start: int, start_step: int, low: float, high: float,
) -> None:  # fmt: skip
    while count > 0:
        rows = 6 if count >= 6 else 3 if count >= 3 else 1
        if rows == 6:
            _six_2(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        elif rows == 3:
            _three_2(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        else:
            _one_2(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        count, places, output, start = count - rows, places + 8 * rows, output + rows * step, start + rows * start_step


@compiled(f"void({_ARGUMENTS}, f4, f4)")
def _of_one(
    count: int, data: int, places: int, offsets: int, runs: int, length: int, panel: int, output: int, step: int,
    start: int, start_step: int, low: float, high: float,
) -> None:  # fmt: skip
    while count > 0:
        rows = 8 if count >= 8 else 4 if count >= 4 else 2 if count >= 2 else 1
        if rows == 8:
            _eight_1(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        elif rows == 4:
            _four_1(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        elif rows == 2:
            _two_1(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        else:
            _one_1(data, places, offsets, runs, length, panel, output, step, start, start_step, low, high)
        count, places, output, start = count - rows, places + 8 * rows, output + rows * step, start + rows * start_step


@compiled("void(i8, i8, i8, i8, i8, i8, i8, i8, i8)")
def multiply(
    tables: int, first: int, last: int, data: int, places: int, count: int, weights: int, output: int, step: int
) -> None:
    """Fill the columns of some panels in rows at an address, `step` bytes apart, of which `places` says where they lie.

    `tables` are those of `Panels`.
    """
    a = carray(pointer(tables), (NUMBERS,), np.int64)
    panels = carray(pointer(a[_PANELS]), (last, 4), np.int64)
    segments = carray(pointer(a[_SEGMENTS]), (a[_SEGMENT_COUNT], 5), np.int64)
    limits = carray(pointer(a[_LIMITS]), (2,), np.float32)
    for number in range(first, last):
        group, panel, column, vectors = panels[number]
        target, start, start_step = output + 4 * column, a[_START] + 4 * column, 0
        low, high = np.float32(-np.inf), np.float32(np.inf)
        for segment in range(a[_SEGMENT_COUNT]):
            run, runs, skipped, length, row = segments[segment]
            given, offsets = data + group + skipped, a[_OFFSETS] + 8 * run
            used = weights + panel + 4 * LANES * vectors * row
            if segment == a[_SEGMENT_COUNT] - 1:
                low, high = limits[0], limits[1]
            if vectors == 3:
                _of_three(count, given, places, offsets, runs, length, used, target, step, start, start_step, low, high)
            elif vectors == 2:
                _of_two(count, given, places, offsets, runs, length, used, target, step, start, start_step, low, high)
            else:
                _of_one(count, given, places, offsets, runs, length, used, target, step, start, start_step, low, high)
            start, start_step = target, step


class PackedWeights:
    """Weights [G, K, N] as panels, and the tables by which `multiply` reads them.

    The K numbers that each group reads are runs of neighbours, which begin at `offsets` from a row's place, in bytes,
    and `group_step` bytes further for each group. Sums begin with `start` and are cut to `limits`.
    """

    def __init__(
        self, weights: Array, offsets: Sequence[int], group_step: int, start: Array, limits: tuple[float, float]
    ) -> None:
        groups, depth, width = weights.shape
        places = _places(width)
        sizes = [depth * vectors * LANES for _, vectors in places] * groups
        ends = np.cumsum(sizes)
        table = np.zeros((groups, len(places), 4), np.int64)
        table[..., 0] = np.arange(groups)[:, None] * group_step
        table[..., 1] = 4 * (ends - sizes).reshape(table.shape[:2])
        table[..., 2] = np.arange(groups)[:, None] * width + [column for column, _ in places]
        table[..., 3] = [vectors for _, vectors in places]
        self.count = groups * len(places)
        self.weights = np.zeros(ends[-1], np.float32)
        for (group, number), end in zip(np.ndindex(table.shape[:2]), ends, strict=True):
            column, vectors = places[number]
            part = weights[group, :, column : column + vectors * LANES]
            panel = self.weights[end - depth * vectors * LANES : end].reshape(depth, -1)
            panel[:, : part.shape[1]] = part
        segments = _segments(len(offsets), depth // len(offsets))
        begin = np.zeros(max(groups * width, LANES), np.float32)
        begin[: start.size] = start
        self._kept = [np.array(offsets, np.int64), segments, table, begin, np.array(limits, np.float32)]
        one, two, *rest = map(address_of, self._kept)
        self.numbers = np.array([one, two, len(segments), *rest], np.int64)

    @property
    def address(self) -> int:
        """Where the tables lie."""
        return address_of(self.numbers)


def _places(width: int) -> list[tuple[int, int]]:
    """Return the first column and the registers of each panel; several panels of one register are avoided."""
    whole, rest = divmod(-(-width // LANES), VECTORS)
    sizes = [VECTORS] * whole + ([rest] if rest else [])
    if len(sizes) > 1 and sizes[-1] == 1:
        sizes[-2:] = [2, 2]
    if len(sizes) == 1 and LANES < width < sizes[0] * LANES:
        sizes = [sizes[0] - 1, 1]
    begins = [LANES * sum(sizes[:number]) for number in range(len(sizes))]
    begins[-1] = max(width - LANES * sizes[-1], 0)
    return list(zip(begins, sizes, strict=True))


def _segments(runs: int, length: int) -> Array:
    """Return pieces of at most `DEPTH` numbers of a row.

    Each has a first run and a number of runs, the bytes skipped in each, what is read of each, and the numbers before.
    """
    if length <= DEPTH:
        step = DEPTH // length
        firsts = range(0, runs, step)
        found = [(first, min(step, runs - first), 0, length, first * length) for first in firsts]
    else:
        pieces = -(-length // DEPTH)
        ends = [length * piece // pieces for piece in range(pieces + 1)]
        found = [
            (run, 1, 4 * begin, end - begin, run * length + begin)
            for run in range(runs)
            for begin, end in pairwise(ends)
        ]
    return np.array(found, np.int64)


def spread_groups(weights: Array) -> Array:
    """Return weights [G, O, C, kh, kw] of fewer, larger groups, if need be, so that their outputs fill a register.

    What a group does not read has weights of zero.
    """
    groups, outputs, channels, *kernel = weights.shape
    fits = (number for number in range(1, groups + 1) if groups % number == 0 and number * outputs >= LANES)
    merged = next(fits, groups)
    if merged == 1:
        return weights
    made = np.zeros((groups // merged, merged, outputs, merged, channels, *kernel), weights.dtype)
    for number in range(merged):
        made[:, number, :, number] = weights[number::merged]
    return made.reshape(groups // merged, merged * outputs, merged * channels, *kernel)
