"""Products of rows of data with weights that are packed once, by micro-kernels.

A panel is up to three registers of neighbouring columns. Where the columns do not fill the last panel, it begins so
much earlier: the columns that two panels share get the same sums twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import pairwise
from math import lcm

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numba.gemm.micro_kernel import LANES, TALL_ROWS, VECTORS, scattered
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array

DEPTH = 768
"""Rows of a panel that are used for all rows of the data at once: 72 KB of the second-level cache."""

PACKED_WEIGHTS = struct("offsets segments segment_count panels start", low=np.float32, high=np.float32)
"""Addresses: the byte offsets of runs, tables of `SEGMENT` and `PANEL`, the vector that sums begin with; then the
limits of the sums."""

PANEL = struct("data_offset weights_offset column vectors")
"""Bytes from a row's window to what the panel's group reads; bytes from the weights to the panel; its first column of
the output; its registers."""

SEGMENT = struct("first_run runs skipped length row")
"""At most `DEPTH` rows of a panel, from `row` on: some runs, of which `skipped` bytes are skipped and `length` numbers
read."""

HEIGHTS = {1: 8, 2: 6, 3: TALL_ROWS}
"""The most rows of a tile, by its number of registers."""
ROW_MULTIPLE = lcm(*HEIGHTS.values())
"""Row counts of parts and blocks are multiples of this, so that only the last block has partial tiles."""
_MOST_1, _MOST_2, _MOST_3 = HEIGHTS.values()
_one, _two, _three = (scattered(rows, vectors) for vectors, rows in HEIGHTS.items())
_ADDRESSES = ", ".join(["i8"] * 12)


@compiled(f"void({_ADDRESSES}, f4, f4)")
def _rows_of_tiles(
    vectors: int, count: int, data: int, windows: int, offsets: int, runs: int, length: int, panel: int, output: int,
    step: int, start: int, start_step: int, low: float, high: float,
) -> None:  # fmt: skip
    """Compute the columns of one panel in rows of the output."""
    most = _MOST_3 if vectors == 3 else _MOST_2 if vectors == 2 else _MOST_1
    while count > 0:
        rows = min(count, most)
        if vectors == 3:
            _three(rows, data, windows, offsets, runs, length, panel, output, step, start, start_step, low, high)
        elif vectors == 2:
            _two(rows, data, windows, offsets, runs, length, panel, output, step, start, start_step, low, high)
        else:
            _one(rows, data, windows, offsets, runs, length, panel, output, step, start, start_step, low, high)
        count, windows = count - rows, windows + 8 * rows
        output, start = output + rows * step, start + rows * start_step


@compiled("void(i8, i8, i8, i8, i8, i8, i8, i8, i8)")
def multiply(
    tables: int, first: int, last: int, data: int, windows: int, count: int, weights: int, output: int, step: int
) -> None:
    """Fill the columns of the panels [first, last) in `count` rows of the output, `step` bytes apart.

    `tables` is the address of the `PACKED_WEIGHTS`, `windows` the address of the offsets of each row's window.
    """
    a = arguments_at(tables, PACKED_WEIGHTS)
    panels = carray(pointer(a.panels), (last,), PANEL)
    segments = carray(pointer(a.segments), (a.segment_count,), SEGMENT)
    for number in range(first, last):
        panel = panels[number]
        vectors = panel.vectors
        target, start, start_step = output + 4 * panel.column, a.start + 4 * panel.column, 0
        low, high = np.float32(-np.inf), np.float32(np.inf)
        for segment_number in range(a.segment_count):
            segment = segments[segment_number]
            runs, length = segment.runs, segment.length
            rows, offsets = data + panel.data_offset + segment.skipped, a.offsets + 8 * segment.first_run
            packed = weights + panel.weights_offset + 4 * LANES * vectors * segment.row
            if segment_number == a.segment_count - 1:
                low, high = a.low, a.high
            _rows_of_tiles(
                vectors, count, rows, windows, offsets, runs, length, packed, target, step, start, start_step, low, high
            )
            start, start_step = target, step


class PackedWeights:
    """Weights [G, K, N] packed into panels, and the tables by which `multiply` reads them.

    The K numbers that each group reads are runs of neighbours, which begin at `offsets` from a row's window, in bytes,
    and `group_step` bytes further for each group. Sums begin with `start` and are cut to `limits`.
    """

    def __init__(
        self,
        shape: tuple[int, int, int],
        panels: Callable[[], Array],
        offsets: Sequence[int],
        group_step: int,
        start: Array,
        limits: tuple[float, float],
    ) -> None:
        """Take the shape [G, K, N] of the weights, and the function that returns them as `packed_panels` does."""
        self.groups, depth, width = shape
        groups, columns = self.groups, _panel_columns(width)
        sizes = [depth * vectors * LANES for _, vectors in columns] * groups
        ends = np.cumsum(sizes)
        self._panels = np.zeros((groups, len(columns)), PANEL)
        self._panels["data_offset"] = np.arange(groups)[:, None] * group_step
        self._panels["weights_offset"] = 4 * (ends - sizes).reshape(self._panels.shape)
        self._panels["column"] = np.arange(groups)[:, None] * width + [column for column, _ in columns]
        self._panels["vectors"] = [vectors for _, vectors in columns]
        self.count = self._panels.size
        self.weights = panels()
        self._start = np.zeros(max(groups * width, LANES), np.float32)
        self._start[: start.size] = start
        self._offsets = np.array(offsets, np.int64)
        self._segments = _segments(len(offsets), depth // len(offsets))
        self._tables = filled(
            PACKED_WEIGHTS, offsets=address_of(self._offsets), segments=address_of(self._segments),
            segment_count=len(self._segments), panels=address_of(self._panels),
            start=address_of(self._start), low=limits[0], high=limits[1],
        )  # fmt: skip

    def read_at(self, offsets: Sequence[int]) -> PackedWeights:
        """Return the same weights with as many other `offsets`."""
        other = copy(self)
        other._offsets, other._tables = np.array(offsets, np.int64), self._tables.copy()
        other._tables["offsets"] = address_of(other._offsets)
        return other

    def move(self, offsets: Sequence[int]) -> None:
        """Replace the offsets by as many others."""
        self._offsets[:] = offsets

    @property
    def address(self) -> int:
        """The address of the `PACKED_WEIGHTS`."""
        return address_of(self._tables)


def packed_panels(weights: Array) -> Array:
    """Pack weights [G, K, N] into consecutive panels."""
    groups, depth, width = weights.shape
    columns = _panel_columns(width)
    numbers = groups * depth * LANES * sum(vectors for _, vectors in columns)
    packed = aligned((numbers,), np.dtype(np.float32))
    end = 0
    for group in range(groups):
        for column, vectors in columns:
            part = weights[group, :, column : column + vectors * LANES]
            first, end = end, end + depth * vectors * LANES
            packed[first:end].reshape(depth, -1)[:, : part.shape[1]] = part
    return packed


def _panel_columns(width: int) -> list[tuple[int, int]]:
    """Return the first column and the number of registers of each panel, avoiding several panels of one register."""
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
    """Return the table of `SEGMENT` for `runs` runs of `length` numbers."""
    if length <= DEPTH:
        step = DEPTH // length
        segments = [(run, min(step, runs - run), 0, length, run * length) for run in range(0, runs, step)]
    else:
        pieces = -(-length // DEPTH)
        ends = [length * piece // pieces for piece in range(pieces + 1)]
        segments = [
            (run, 1, 4 * begin, end - begin, run * length + begin)
            for run in range(runs)
            for begin, end in pairwise(ends)
        ]
    return np.array(segments, SEGMENT)


@register(keys.GROUPS_PER_GEMM)
def groups_per_gemm(groups: int, outputs: int) -> int:
    """Return the number of groups merged into one GEMM, whose outputs then fill a register."""
    fits = (number for number in range(1, groups + 1) if groups % number == 0 and number * outputs >= LANES)
    return next(fits, groups)
