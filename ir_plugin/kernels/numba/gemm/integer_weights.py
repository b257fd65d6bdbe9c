"""Products of rows of u8 with i8 weights that are packed once, by micro-kernels of integers.

Panels are laid out as in `packed_weights`: the last one overlaps the one before, so that it is full.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numba.gemm.integer_micro_kernel import (
    DEPTHWISE_ROWS,
    LANES,
    QUAD_BYTES,
    TILE_ROWS,
    VECTORS,
    integer_tile,
    packed_quads,
    packed_taps,
)
from ir_plugin.kernels.numba.gemm.tile_micro_kernel import DEPTH, TILE_BYTES, packed_tiles
from ir_plugin.kernels.numba.gemm.tile_micro_kernel import VECTORS as TILE_VECTORS
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.tensors import Array

PACKED_INTEGER_WEIGHTS = struct("weights offsets runs quads panels start scale offset low high")
"""The address of the packed weights; the address of the runs' byte offsets, their number, and the quads of each (0: a
depthwise convolution, whose runs are taps); the table of `PANEL`; and vectors of a number a column: the i32 that sums
begin with, the f32 that they are multiplied by and increased by, and the limits of the result."""

PANEL = struct("data_offset weights_offset column vectors")
"""Bytes from a row's window to what the panel's group reads; bytes from the weights to the panel; its first column of
the output; its registers."""
PANEL_BYTES = PANEL.itemsize

ROW_MULTIPLE = 24
"""Row counts of parts and blocks are multiples of this, so that only the last block has partial tiles."""


def _fills_panel(taps: int, vectors: int, tall: int, middle: int) -> Any:
    """Build the function that fills the columns of the `PANEL` of `vectors` registers, by tiles of three heights."""

    def fill(
        tables: int, panel: int, count: int, data: int, windows: int, output: int, step: int, to_bytes: int
    ) -> None:
        a, p = arguments_at(tables, PACKED_INTEGER_WEIGHTS), arguments_at(panel, PANEL)
        at, weights, source = 4 * p.column, a.weights + p.weights_offset, data + p.data_offset
        start, scale, offset, low, high = a.start + at, a.scale + at, a.offset + at, a.low + at, a.high + at
        target = output + (p.column if to_bytes else at)
        while count > 0:
            rows = tall if count >= tall else middle if count >= middle else 1
            if rows == tall:
                integer_tile(
                    taps, tall, vectors, source, windows, a.offsets, a.runs, a.quads, weights, target, step, start,
                    scale, offset, to_bytes, low, high,
                )  # fmt: skip
            elif rows == middle:
                integer_tile(
                    taps, middle, vectors, source, windows, a.offsets, a.runs, a.quads, weights, target, step, start,
                    scale, offset, to_bytes, low, high,
                )  # fmt: skip
            else:
                integer_tile(
                    taps, 1, vectors, source, windows, a.offsets, a.runs, a.quads, weights, target, step, start,
                    scale, offset, to_bytes, low, high,
                )  # fmt: skip
            count, windows, target = count - rows, windows + 8 * rows, target + rows * step

    return compiled(f"void({', '.join(['i8'] * 8)})", exact=True)(fill)


_fill_4, _fill_3, _fill_2, _fill_1 = (_fills_panel(0, vectors, *TILE_ROWS[vectors]) for vectors in (4, 3, 2, 1))
_fill_taps_4, _fill_taps_1 = (_fills_panel(1, vectors, *DEPTHWISE_ROWS[vectors]) for vectors in (4, 1))


@compiled("void(i8, i8, i8, i8, i8, i8, i8, i8, i8)")
def multiply_integers(
    tables: int, first: int, last: int, data: int, windows: int, count: int, output: int, step: int, to_bytes: int
) -> None:
    """Fill the columns of the panels [first, last) in `count` rows of the output, `step` bytes apart.

    `tables` is the address of the `PACKED_INTEGER_WEIGHTS`, `windows` the address of the offsets of each row's window.
    """
    a = arguments_at(tables, PACKED_INTEGER_WEIGHTS)
    panels = carray(pointer(a.panels), (last,), PANEL)
    for number in range(first, last):
        vectors, panel = panels[number].vectors, a.panels + number * PANEL_BYTES
        arguments = (tables, panel, count, data, windows, output, step, to_bytes)
        if a.quads == 0 and vectors == 4:
            _fill_taps_4(*arguments)
        elif a.quads == 0:
            _fill_taps_1(*arguments)
        elif vectors == 4:
            _fill_4(*arguments)
        elif vectors == 3:
            _fill_3(*arguments)
        elif vectors == 2:
            _fill_2(*arguments)
        else:
            _fill_1(*arguments)


class IntegerWeights:
    """Weights [G, R, L, N] of R runs of L numbers, packed into panels, and the tables by which they are read.

    A depthwise convolution has the shape [1, R, 0, N]: R taps of N channels. Runs begin at `offsets` from a row's
    window, in bytes. `groups_at` has, for each group, the first channel that it reads and its first column; The vectors
    are `start`, `scale`, `offset`, `low` and `high` of `PACKED_INTEGER_WEIGHTS`.
    """

    def __init__(
        self,
        shape: tuple[int, int, int, int],
        panels: Callable[[], Array],
        offsets: Sequence[int],
        groups_at: Array,
        vectors: Sequence[Array],
        is_tiled: bool = False,
    ) -> None:
        """Take the shape [G, R, L, N] of the weights, and the function that returns them as `packed_panels` does.

        Runs of those that are tiled are counted in chunks of `DEPTH` numbers in place of quads.
        """
        _, runs, length, width = shape
        columns = panel_columns(width, is_tiled) if length else depthwise_columns(width)
        quads = -(-length // (DEPTH if is_tiled else 4))
        bytes_of_run = quads * (TILE_BYTES if is_tiled else QUAD_BYTES) if length else 4 * LANES
        self._panels = _panel_table(columns, groups_at, runs * bytes_of_run, is_depthwise=not length)
        self.count, self.is_tiled, self.run_bytes = self._panels.size, is_tiled, length
        self.weights = panels()
        self._vectors = [_padded(array) for array in vectors]
        self.offsets, self.farthest = np.array(offsets, np.int64), int(self._panels["data_offset"].max())
        start, scale, offset, low, high = map(address_of, self._vectors)
        self._tables = filled(
            PACKED_INTEGER_WEIGHTS, weights=address_of(self.weights), offsets=address_of(self.offsets), runs=runs,
            quads=quads, panels=address_of(self._panels), start=start, scale=scale, offset=offset, low=low, high=high,
        )  # fmt: skip

    @property
    def address(self) -> int:
        """The address of the `PACKED_INTEGER_WEIGHTS`."""
        return address_of(self._tables)


def _panel_table(
    columns: Sequence[tuple[int, int]], groups_at: Array, register_bytes: int, *, is_depthwise: bool
) -> Array:
    """Return the `PANEL` of each panel of each group; a register of a panel has `register_bytes` bytes of weights."""
    firsts, counts = ([pair[part] for pair in columns] for part in (0, 1))
    sizes = [count * register_bytes for count in counts] * len(groups_at)
    panels = np.zeros((len(groups_at), len(columns)), PANEL)
    panels["data_offset"] = firsts if is_depthwise else groups_at[:, :1]
    panels["weights_offset"] = (np.cumsum(sizes) - sizes).reshape(panels.shape)
    panels["column"] = groups_at[:, 1:] + firsts
    panels["vectors"] = counts
    return panels


def _padded(vector: Array) -> Array:
    """Return a vector that fills a register at least."""
    padded = np.zeros(max(vector.size, LANES), vector.dtype)
    padded[: vector.size] = vector
    return padded


def packed_panels(weights: Array, is_tiled: bool = False) -> Array:
    """Pack i8 weights [G, R, L, N] into consecutive panels of bytes; runs are padded with zeros."""
    groups, runs, length, width = weights.shape
    unit = DEPTH if is_tiled else 4
    padded = np.zeros((groups, runs, -(-length // unit) * unit, -(-width // LANES) * LANES), np.int8)
    padded[:, :, :length, :width] = weights
    parts = []
    for group in padded:
        rows = group.reshape(-1, group.shape[-1])
        for column, vectors in panel_columns(width, is_tiled):
            columns = rows[:, column : column + vectors * LANES]
            parts.append(packed_tiles(columns) if is_tiled else _packed_registers(columns))
    packed = aligned((sum(part.size for part in parts),), np.dtype(np.uint8))
    return np.concatenate(parts, out=packed)


def _packed_registers(weights: Array) -> Array:
    """Pack weights of some registers of columns so that the members of a quad are adjacent."""
    registers = [packed_quads(weights[:, first : first + LANES]) for first in range(0, weights.shape[1], LANES)]
    return np.stack([register.reshape(-1, QUAD_BYTES) for register in registers], 1).reshape(-1)


def packed_depthwise(weights: Array) -> Array:
    """Return the panels of i8 weights [K, N] of a depthwise convolution of LANES channels or more, as bytes."""
    columns = depthwise_columns(weights.shape[1])
    return np.concatenate([packed_taps(weights[:, first : first + LANES * vectors]) for first, vectors in columns])


def depthwise_columns(width: int) -> list[tuple[int, int]]:
    """Return the first channel and the number of registers, four or one, of each panel of a depthwise convolution."""
    whole, rest = divmod(width, 4 * LANES)
    firsts = [4 * LANES * number for number in range(whole)]
    singles = [4 * LANES * whole + LANES * number for number in range(rest // LANES)]
    singles += [width - LANES] if width % LANES else []
    return [*((first, 4) for first in firsts), *((first, 1) for first in singles)]


def panel_columns(width: int, is_tiled: bool = False) -> list[tuple[int, int]]:
    """Return the first column and the number of registers of each panel, of nearly equal sizes."""
    registers = -(-width // LANES)
    count = -(-registers // (TILE_VECTORS if is_tiled else VECTORS))
    sizes = [registers * (number + 1) // count - registers * number // count for number in range(count)]
    if count == 1 and LANES < width < registers * LANES and registers > 1:
        sizes = [registers - 1, 1]
    begins = [LANES * sum(sizes[:number]) for number in range(len(sizes))]
    begins[-1] = max(width - LANES * sizes[-1], 0)
    return list(zip(begins, sizes, strict=True))
