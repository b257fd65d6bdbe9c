"""Products of rows of u8 with i8 weights in AMX's tiles.

Rows that lie evenly apart are read where they lie. The rows of other units, such as those that go on in the next line
of a convolution's data, are copied beside each other first, once for all panels that read the same channels.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numba.gemm.integer_micro_kernel import LANES, finish_residual, finish_sums
from ir_plugin.kernels.numba.gemm.integer_weights import PACKED_INTEGER_WEIGHTS, PANEL, PANEL_BYTES, IntegerWeights
from ir_plugin.kernels.numba.gemm.tile_micro_kernel import (
    DEPTH,
    GROUPS,
    TILE_COLUMNS,
    TILE_ROWS,
    VECTORS,
    tile_configuration,
    tile_sums,
)
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numba.runtime.target import may_use_tiles
from ir_plugin.tensors import Array

TILES = struct(
    "weights windows line rows even run_bytes run_offsets depth copies copy_rows sums numbers rounds inverse shift"
)
"""The `PACKED_INTEGER_WEIGHTS`; where each row's window begins, `line` bytes after the row before in units that are
`even`, of `rows` rows a tile; bytes of a run; where runs begin in a copied row of `depth` bytes; memory of each part
for `copy_rows` copied rows and for the sums of a unit; and what `finish_residual` takes where an operand is added."""

SUMS_BYTES = 4 * GROUPS * VECTORS * TILE_ROWS * TILE_COLUMNS
_COPY_COST = 64
"""What copying a number of a row takes, in numbers that a column of tiles multiplies meanwhile."""
_UNUSED_ROWS = 4
"""What a tile takes whatever its rows are, in rows."""


@compiled("void(i8, i8, i8, i8, i8)")
def _copy_uneven(tiles: int, source: int, begin: int, count: int, target: int) -> None:
    """Copy the rows of the units that are not even beside each other."""
    t = arguments_at(tiles, TILES)
    a = arguments_at(t.weights, PACKED_INTEGER_WEIGHTS)
    runs, unit = a.runs, GROUPS * t.rows
    offsets = carray(pointer(a.offsets), (runs,), np.int64)
    windows = carray(pointer(t.windows), (begin + count,), np.int64)
    even = carray(pointer(t.even), ((begin + count + unit - 1) // unit,), np.int64)
    chunk_bytes = t.depth // runs
    for row in range(count):
        if even[(begin + row) // unit] == 0:
            window, copied = source + windows[begin + row], target + row * t.depth
            for run in range(runs):
                copy(copied + run * chunk_bytes, window + offsets[run], t.run_bytes)


@compiled("void(i8, i8, i8, i8, i8, i8, i8)")
def _compute_sums(tiles: int, panel: int, source: int, copies: int, first: int, count: int, sums: int) -> None:
    """Compute the sums of `count` rows of a unit, of which `first` is the first, and the columns of a panel."""
    t = arguments_at(tiles, TILES)
    a, p = arguments_at(t.weights, PACKED_INTEGER_WEIGHTS), arguments_at(panel, PANEL)
    weights, start, runs, chunks, rows = a.weights + p.weights_offset, a.start + 4 * p.column, a.runs, a.quads, t.rows
    if carray(pointer(t.even), (first // (GROUPS * rows) + 1,), np.int64)[first // (GROUPS * rows)]:
        windows = carray(pointer(t.windows), (first + count,), np.int64)
        upper, line, offsets = source + p.data_offset + windows[first], t.line, a.offsets
        lower = source + p.data_offset + windows[min(first + rows, first + count - 1)]
    else:
        upper, line, offsets = copies, t.depth, t.run_offsets
        lower = copies + rows * t.depth
    if count > rows and p.vectors == 2:
        tile_sums(2, 2, upper, lower, line, offsets, runs, chunks, weights, start, sums, rows)
    elif count > rows:
        tile_sums(2, 1, upper, lower, line, offsets, runs, chunks, weights, start, sums, rows)
    elif p.vectors == 2:
        tile_sums(1, 2, upper, lower, line, offsets, runs, chunks, weights, start, sums, rows)
    else:
        tile_sums(1, 1, upper, lower, line, offsets, runs, chunks, weights, start, sums, rows)


@compiled("void(i8, i8, i8, i8, i8, i8, i8, i8)", exact=True)
def _store_sums(
    tiles: int, panel: int, sums: int, count: int, output: int, step: int, to_bytes: int, operand: int
) -> None:
    """Store rows of sums in the columns of a panel, with an operand's levels added unless its address is 0."""
    t = arguments_at(tiles, TILES)
    a, p = arguments_at(t.weights, PACKED_INTEGER_WEIGHTS), arguments_at(panel, PANEL)
    at, others = 4 * p.column, operand + p.column
    scale, offset, low, high = a.scale + at, a.offset + at, a.low + at, a.high + at
    inverse, shift, numbers, rounds = t.inverse + at, t.shift + at, t.numbers, t.rounds
    output += p.column if to_bytes else at
    if operand == 0 and p.vectors == 2:
        finish_sums(2, sums, count, output, step, to_bytes, scale, offset, low, high)
    elif operand == 0:
        finish_sums(1, sums, count, output, step, to_bytes, scale, offset, low, high)
    elif p.vectors == 2:
        finish_residual(2, sums, count, output, step, others, numbers, rounds, scale, offset, low, high, inverse, shift)
    else:
        finish_residual(1, sums, count, output, step, others, numbers, rounds, scale, offset, low, high, inverse, shift)


@compiled("void(i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8)")
def multiply_tiles(
    tiles: int, first: int, last: int, source: int, begin: int, count: int, output: int, step: int, to_bytes: int,
    operand: int, part: int,
) -> None:  # fmt: skip
    """Fill the columns of the panels [first, last) in the rows [begin, begin + count) of the output.

    `tiles` is the address of the `TILES`, with which the thread is configured; `begin` is the first row of a unit;
    `operand` is 0, or where these rows of an operand lie whose levels are added.
    """
    t = arguments_at(tiles, TILES)
    a = arguments_at(t.weights, PACKED_INTEGER_WEIGHTS)
    panels = carray(pointer(a.panels), (last,), PANEL)
    copies, sums, copied = t.copies + part * t.copy_rows * t.depth, t.sums + part * SUMS_BYTES, np.int64(-1)
    unit = GROUPS * t.rows
    for number in range(first, last):
        panel, offset = a.panels + number * PANEL_BYTES, panels[number].data_offset
        if offset != copied:
            copied = offset
            _copy_uneven(tiles, source + offset, begin, count, copies)
        for row in range(0, count, unit):
            rows, others = min(unit, count - row), operand + row * step if operand else np.int64(0)
            _compute_sums(tiles, panel, source, copies + row * t.depth, begin + row, rows, sums)
            _store_sums(tiles, panel, sums, rows, output + row * step, step, to_bytes, others)


class TiledRows:
    """How rows are read as tiles, and the memory of the parts of a job."""

    def __init__(self, starts: Array, size: int, weights: IntegerWeights, columns: int) -> None:
        """Take where windows begin in memory of `size` bytes, and the columns that are computed for each."""
        self._windows, self._weights, run_bytes = starts, weights, weights.run_bytes
        self._runs = len(weights.offsets)
        chunks = -(-run_bytes // DEPTH) * DEPTH
        self._depth, self._run_bytes = self._runs * chunks, run_bytes
        self._offsets = np.arange(self._runs) * chunks
        reach = int(weights.offsets.max()) + chunks + weights.farthest
        self.line = int(starts[1] - starts[0]) if starts.size > 1 else 0
        self.rows = _best_rows(starts, self.line, columns)
        self._even = _even_units(starts, self.line, self.rows, size - reach).astype(np.int64)
        self._configuration = tile_configuration(self.rows)
        self._residual: dict[str, int] = {}

    @property
    def unit(self) -> int:
        """Rows whose sums are computed together."""
        return GROUPS * self.rows

    @property
    def configuration(self) -> int:
        """The address of the configuration of the tiles."""
        return address_of(self._configuration)

    def add_levels(self, inverse: int, shift: int, numbers: Array, rounds: bool) -> None:
        """Let an operand's levels be added, with the arguments of `finish_residual`."""
        self._numbers, address = numbers, address_of(numbers)
        self._residual = {"numbers": address, "rounds": int(rounds), "inverse": inverse, "shift": shift}

    def allocate(self, parts: int, rows: int) -> int:
        """Allocate memory for parts with blocks of `rows` rows, and return the address of the `TILES`."""
        copied = 0 if self._even.all() else -(-rows // self.unit) * self.unit
        self._copies = aligned((parts * copied * self._depth,), np.dtype(np.uint8))
        self._sums = aligned((parts * SUMS_BYTES,), np.dtype(np.uint8))
        self._tiles = filled(
            TILES, weights=self._weights.address,
            windows=address_of(self._windows), line=self.line, rows=self.rows, even=address_of(self._even),
            run_bytes=self._run_bytes, run_offsets=address_of(self._offsets), depth=self._depth,
            copies=address_of(self._copies) if copied else 0, copy_rows=copied, sums=address_of(self._sums),
            **self._residual,
        )  # fmt: skip
        return address_of(self._tiles)


def _even_units(starts: Array, line: int, rows: int, last: int) -> Array:
    """Return which units of rows are evenly spaced, and end so that no tile load reads past the data."""
    even = _even_groups(starts, line, rows, last)
    pairs = np.concatenate([even, np.ones(even.size % GROUPS, bool)])
    return np.asarray(pairs.reshape(-1, GROUPS).all(1))


def _even_groups(starts: Array, line: int, rows: int, last: int) -> Array:
    count = -(-starts.size // rows)
    padded = np.full(count * rows, -1, np.int64)
    padded[: starts.size] = starts
    groups = padded.reshape(count, rows)
    even: Array = (groups == groups[:, :1] + line * np.arange(rows)).all(1) & (groups.max(1) <= last)
    return even


def _best_rows(starts: Array, line: int, columns: int) -> int:
    """Return how many rows tiles have so that all take the least time, with what has to be copied."""

    def cost(rows: int) -> float:
        even = _even_groups(starts, line, rows, starts.max())
        copied = np.count_nonzero(~even) * rows * _COPY_COST / columns
        return even.size * (rows + _UNUSED_ROWS) + float(copied)

    return min(range(TILE_ROWS, TILE_ROWS // 2, -1), key=cost)


def suits_tiles(rows: int, runs: int, length: int, columns: int) -> bool:
    """Return whether tiles multiply rows of `runs` runs of `length` numbers faster than registers do."""
    quads, tiles = runs * -(-length // 4), runs * -(-length // DEPTH)
    is_long = quads - 3 * tiles >= policy.TILES_MIN_QUADS and rows >= policy.TILES_MIN_ROWS
    return is_long and LANES == TILE_COLUMNS <= columns and may_use_tiles()
