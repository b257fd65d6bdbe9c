# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Micro-kernels of integers in AMX's tile registers: sums in i32 of products of u8 data with i8 weights.

A tile has up to 16 rows of 64 bytes. `tdpbusd` multiplies a tile of data, of 64 neighbours a row, with a tile of 16
quads of weights for 16 columns. Two by two tiles of sums share what they read. The configuration of the tiles is state
of a thread: a job loads it before its first tile and releases it after its last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir

from ir_plugin.kernels.numba.runtime.deferred import LazyModule, inline_llvm, intrinsic
from ir_plugin.kernels.numba.runtime.target import knows_tiles
from ir_plugin.tensors import Array

TILE_ROWS, TILE_COLUMNS, TILE_BYTES = 16, 16, 1024
DEPTH = 64
"""Numbers of the reduction in a tile."""
GROUPS, VECTORS = 2, 2
"""Tiles of rows and of columns whose sums are computed together."""

_TOOLS, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")
_I8, _I32, _I64, _FLOAT, _VOID = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.FloatType(), ir.VoidType()
_POINTER = _I8.as_pointer()
_SUMS, _FLOATS = ir.VectorType(_I32, TILE_COLUMNS), ir.VectorType(_FLOAT, TILE_COLUMNS)


def tile_configuration(rows: int) -> Array:
    """Return the operand of `ldtilecfg`: data and sums in tiles of `rows` rows, weights in tiles of 16 rows."""
    configuration = np.zeros(64, np.uint8)
    configuration[0] = 1
    configuration[16:32].view(np.uint16)[:] = DEPTH
    configuration[48:56] = rows
    configuration[48 + GROUPS * VECTORS + GROUPS : 56] = TILE_ROWS
    return configuration


def packed_tiles(weights: Array) -> Array:
    """Pack i8 weights [K, N], K a multiple of 64 and N of 16, into tiles in row-major order."""
    depth, width = weights.shape
    tiles = weights.reshape(depth // DEPTH, DEPTH // 4, 4, width // TILE_COLUMNS, TILE_COLUMNS)
    return np.ascontiguousarray(tiles.transpose(0, 3, 1, 4, 2)).reshape(-1).view(np.uint8)


def _number(value: int, kind: Any = _I64) -> Any:
    return ir.Constant(kind, value)


def _call(builder: Any, name: str, kinds: Sequence[Any], arguments: Sequence[Any]) -> None:
    """Emit an instruction, if the target has tiles: otherwise no kernel gets here, but its module is compiled."""
    if knows_tiles():
        kind = ir.FunctionType(_VOID, kinds)
        builder.call(_TOOLS.get_or_insert_function(builder.module, kind, f"llvm.x86.{name}"), arguments)


def _move(builder: Any, name: str, tile: int, address: Any, step: Any) -> None:
    arguments = [_number(tile, _I8), builder.inttoptr(address, _POINTER), step]
    _call(builder, name, [_I8, _POINTER, _I64], arguments)


@inline_llvm("void(i8)")
def configure_tiles(builder: Any, configuration: Any) -> None:
    """Load the configuration of the thread's tiles from an address."""
    _call(builder, "ldtilecfg", [_POINTER], [builder.inttoptr(configuration, _POINTER)])


@inline_llvm("void()")
def release_tiles(builder: Any) -> None:
    """Return the thread's tiles to their first state."""
    _call(builder, "tilerelease", [], [])


class _Tiles:
    """Emits the sums of `groups` tiles of rows by `vectors` of columns; a register is named by its number."""

    def __init__(self, builder: Any, groups: int, vectors: int) -> None:
        self.builder, self.groups, self.vectors = builder, groups, vectors
        self.sums = [[group * VECTORS + vector for vector in range(vectors)] for group in range(groups)]
        self.data = [GROUPS * VECTORS + group for group in range(groups)]
        self.weights = [GROUPS * VECTORS + GROUPS + vector for vector in range(vectors)]

    def begin(self, start: Any) -> None:
        """Fill each row of the sums with a vector of i32 at an address."""
        for sums in self.sums:
            for vector, tile in enumerate(sums):
                address = self.builder.add(start, _number(4 * TILE_COLUMNS * vector))
                _move(self.builder, "tileloadd64", tile, address, _number(0))

    def add(self, rows: Sequence[Any], line: Any, panel: Any) -> None:
        """Add the products of rows, `line` bytes apart, with the weights at address `panel`."""
        builder, kinds = self.builder, [_I8] * 3
        for group, address in enumerate(rows):
            _move(builder, "tileloadd64", self.data[group], address, line)
            for vector, total in enumerate(self.sums[group]):
                if group == 0:
                    source = builder.add(panel, _number(TILE_BYTES * vector))
                    _move(builder, "tileloadd64", self.weights[vector], source, _number(DEPTH))
                tiles = (total, self.data[group], self.weights[vector])
                _call(builder, "tdpbusd", kinds, [_number(tile, _I8) for tile in tiles])

    def end(self, output: Any, rows: Any) -> None:
        """Store the sums row by row, each row with all vectors; a group has `rows` rows."""
        step = _number(4 * TILE_COLUMNS * self.vectors)
        for group, sums in enumerate(self.sums):
            for vector, tile in enumerate(sums):
                offset = self.builder.mul(_number(group), self.builder.mul(rows, step))
                base = self.builder.add(output, self.builder.add(offset, _number(4 * TILE_COLUMNS * vector)))
                _move(self.builder, "tilestored64", tile, base, step)


@partial(intrinsic, prefer_literal=True)
def tile_sums(
    _context: Any, groups: Any, vectors: Any, first: Any, second: Any, line: Any, offsets: Any, runs: Any, chunks: Any,
    panel: Any, start: Any, output: Any, rows: Any,
) -> Any:  # fmt: skip
    """Store the sums of one or two groups of `rows` rows, whose first rows are at two addresses.

    The first two arguments are constants. A row consists of runs, which begin at the same offsets in each row, of
    whole chunks of `DEPTH` numbers.
    """

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        first, second, line, offsets, runs, chunks, panel, start, output, rows = arguments[2:]
        tiles = _Tiles(builder, groups.literal_value, vectors.literal_value)
        size = TILE_BYTES * tiles.vectors
        tiles.begin(start)
        with _TOOLS.for_range_slice(builder, _number(0), runs, _number(1)) as (run, _):
            at = builder.add(offsets, builder.mul(run, _number(8)))
            offset = builder.load(builder.inttoptr(at, _I64.as_pointer()))
            bases = [builder.add(base, offset) for base in (first, second)[: tiles.groups]]
            weights = builder.add(panel, builder.mul(run, builder.mul(chunks, _number(size))))
            with _TOOLS.for_range_slice(builder, _number(0), chunks, _number(1)) as (chunk, _):
                depth = builder.mul(chunk, _number(DEPTH))
                source = builder.add(weights, builder.mul(chunk, _number(size)))
                tiles.add([builder.add(base, depth) for base in bases], line, source)
        tiles.end(output, rows)
        return context.get_dummy_value()

    return types.void(groups, vectors, *[types.int64] * 10), generate
