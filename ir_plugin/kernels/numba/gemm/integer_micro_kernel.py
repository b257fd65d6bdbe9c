# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Micro-kernels of integers: tiles of sums in i32 of products of u8 data with i8 weights.

Data are read four neighbours at a time, a *quad*. The form of the innermost instructions follows from the processor:

* `vnni`: `vpdpbusd` adds the four products of a quad to a sum at once, without saturation (AVX-512 VNNI, AVX-VNNI);
* `madd`: AVX2's `vpmaddwd` adds the two products of a pair of i16. Bytes are widened, as `vpmaddubsw` would saturate;
* `plain`: any processor's multiplications of i32.

A tile ends with its sums scaled and offset in f32, a column each, and stored as f32 or rounded to u8.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir

from ir_plugin.kernels.numba.runtime.deferred import LazyModule, intrinsic
from ir_plugin.kernels.numba.runtime.target import register_lanes, target_features
from ir_plugin.tensors import Array

_FEATURES = target_features()
LANES = register_lanes("avx512bw", "avx512vl")
"""Sums in a register."""
_HAS_VNNI = "avx512vnni" in _FEATURES if LANES == 16 else "avxvnni" in _FEATURES
FORM = "vnni" if _HAS_VNNI else "madd" if "avx2" in _FEATURES else "plain"
"""Which instructions multiply: `vnni`, `madd` or `plain`."""
QUAD_BYTES = (4 if FORM == "vnni" else 8) * LANES
"""Bytes of packed weights for a quad of data and a register of columns: plain and madd keep them as i16."""
VECTORS = 4 if LANES == 16 else 3
"""The most registers of a tile's row: 24 sums of 32 registers with AVX-512, otherwise 12 of 16."""
TILE_ROWS = (
    {4: (6, 2), 3: (8, 2), 2: (8, 3), 1: (8, 3)} if LANES == 16 else {4: (2, 1), 3: (4, 2), 2: (6, 2), 1: (8, 3)}
)
"""The rows of the taller two of three tiles, for each number of registers; the third has one row."""
DEPTHWISE_ROWS = {4: (6, 1), 1: (8, 1)} if LANES == 16 else {4: (2, 1), 1: (8, 1)}
"""The rows of the two tiles of a depthwise convolution, for each number of registers."""

_TOOLS, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")
_BYTE, _I16, _I32, _I64, _FLOAT = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
_BYTES, _SUMS, _FLOATS = (ir.VectorType(kind, LANES) for kind in (_BYTE, _I32, _FLOAT))
_PAIRS = ir.VectorType(_I16, 2 * LANES)
_PAIRWISE = "llvm.x86.avx512.pmaddw.d.512" if LANES == 16 else "llvm.x86.avx2.pmadd.wd" if "avx2" in _FEATURES else None
"""The instruction that adds the products of pairs of i16, where there is one."""
_TO_INTEGERS = (
    "llvm.x86.avx512.mask.cvtps2dq.512" if LANES == 16 else "llvm.x86.avx.cvt.ps2dq.256" if "avx" in _FEATURES else None
)
"""The instruction that rounds f32 to i32, where there is one."""


def packed_taps(weights: Array) -> Array:
    """Return i8 weights [K, N] of a depthwise convolution, N a multiple of LANES, as micro-kernels read them, as bytes.

    A weight is an i32 whose upper half no pair of data meets.
    """
    return np.ascontiguousarray(weights, np.int32).reshape(-1).view(np.uint8)


def packed_quads(weights: Array) -> Array:
    """Return i8 weights [K, LANES], K a multiple of four, in the order in which micro-kernels read them, as bytes."""
    quads = weights.reshape(-1, 4, LANES)
    if FORM == "vnni":
        return np.ascontiguousarray(quads.transpose(0, 2, 1)).reshape(-1).view(np.uint8)
    pairs = quads.astype(np.int16).reshape(-1, 2, 2, LANES).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(pairs).reshape(-1).view(np.uint8)


def _number(value: int, kind: Any = _I64) -> Any:
    return ir.Constant(kind, value)


class IntegerMicroKernel:
    """Emits the instructions of one tile of `vectors` registers a row."""

    def __init__(self, builder: Any, rows: Sequence[Any], vectors: int) -> None:
        self.builder, self.rows, self.vectors = builder, rows, vectors
        self.sums = [[_TOOLS.alloca_once(builder, _SUMS) for _ in range(vectors)] for _ in rows]

    def _load(self, address: Any, kind: Any) -> Any:
        return self.builder.load(self.builder.inttoptr(address, kind.as_pointer()), align=1)

    def _store(self, value: Any, address: Any) -> None:
        self.builder.store(value, self.builder.inttoptr(address, value.type.as_pointer()), align=1)

    def _after(self, base: Any, offset: int) -> Any:
        return self.builder.add(base, _number(offset))

    def spread(self, value: Any, kind: Any) -> Any:
        """Return a register of a type full of one number."""
        builder, empty = self.builder, ir.Constant(kind, ir.Undefined)
        lanes = ir.Constant(ir.VectorType(_I32, kind.count), [0] * kind.count)
        return builder.shuffle_vector(builder.insert_element(empty, value, ir.Constant(_I32, 0)), empty, lanes)

    def begin(self, start: Any) -> None:
        """Load the sums of each row from a vector of i32 at an address."""
        for vector in range(self.vectors):
            value = self._load(self._after(start, 4 * LANES * vector), _SUMS)
            for sums in self.sums:
                self.builder.store(value, sums[vector])

    def add_quads(self, first: Any, count: Any, panel: Any) -> None:
        """Add the products of neighbouring quads from an offset on with the weights at an address."""
        builder = self.builder
        with _TOOLS.for_range_slice(builder, _number(0), count, _number(1)) as (index, _):
            weights = builder.add(panel, builder.mul(index, _number(QUAD_BYTES * self.vectors)))
            offset = builder.add(first, builder.mul(index, _number(4)))
            addresses = [self._after(weights, QUAD_BYTES * vector) for vector in range(self.vectors)]
            columns = [self._weights(address) for address in addresses]
            for row, sums in zip(self.rows, self.sums, strict=True):
                quad = self._load(builder.add(row, offset), _I32)
                for total, column in zip(sums, columns, strict=True):
                    builder.store(self._dot(builder.load(total), quad, column), total)

    def add_taps(self, offsets: Any, count: Any, panel: Any) -> None:
        """Add the products of registers of neighbouring channels, at some offsets, with a weight a channel."""
        builder = self.builder
        with _TOOLS.for_range_slice(builder, _number(0), count, _number(1)) as (tap, _):
            offset = _read(builder, offsets, tap)
            base = builder.add(panel, builder.mul(tap, _number(4 * LANES * self.vectors)))
            columns = [self._load(self._after(base, 4 * LANES * vector), _SUMS) for vector in range(self.vectors)]
            for row, sums in zip(self.rows, self.sums, strict=True):
                address = builder.add(row, offset)
                for vector, (total, column) in enumerate(zip(sums, columns, strict=True)):
                    data = builder.zext(self._load(self._after(address, LANES * vector), _BYTES), _SUMS)
                    product = builder.mul(data, column) if _PAIRWISE is None else self._pairs_of(data, column)
                    builder.store(builder.add(builder.load(total), product), total)

    def _pairs_of(self, data: Any, weights: Any) -> Any:
        kind = ir.FunctionType(_SUMS, [_PAIRS] * 2)
        instruction = _TOOLS.get_or_insert_function(self.builder.module, kind, _PAIRWISE)
        return self.builder.call(instruction, [self.builder.bitcast(value, _PAIRS) for value in (data, weights)])

    def _weights(self, address: Any) -> tuple[Any, ...]:
        """Load the weights of a quad: one register of bytes, or two of its even and odd members as i16."""
        if FORM == "vnni":
            return (self._load(address, _SUMS),)
        return self._load(address, _PAIRS), self._load(self._after(address, 4 * LANES), _PAIRS)

    def _dot(self, total: Any, quad: Any, weights: tuple[Any, ...]) -> Any:
        """Return sums plus the products of a quad of data with weights."""
        builder = self.builder
        if FORM == "vnni":
            kind = ir.FunctionType(_SUMS, [_SUMS] * 3)
            name = f"llvm.x86.avx512.vpdpbusd.{32 * LANES}"
            instruction = _TOOLS.get_or_insert_function(builder.module, kind, name)
            return builder.call(instruction, [total, self.spread(quad, _SUMS), weights[0]])
        mask = ir.Constant(_I32, 0x00FF00FF)
        for half, pairs in zip((quad, builder.lshr(quad, ir.Constant(_I32, 8))), weights, strict=True):
            total = builder.add(total, self._pairwise(self.spread(builder.and_(half, mask), _SUMS), pairs))
        return total

    def _pairwise(self, data: Any, weights: Any) -> Any:
        """Return the sums of the two products of each pair of i16."""
        builder = self.builder
        data = builder.bitcast(data, _PAIRS)
        if FORM == "madd":
            return self._pairs_of(data, weights)
        products = []
        for side in range(2):
            lanes = ir.Constant(_SUMS, list(range(side, 2 * LANES, 2)))
            members = [builder.shuffle_vector(pairs, pairs, lanes) for pairs in (data, weights)]
            products.append(builder.mul(*(builder.sext(member, _SUMS) for member in members)))
        return builder.add(*products)

    def end(self, output: Any, step: Any, vectors: Sequence[Any], to_bytes: Any) -> None:
        """Store the sums times a vector plus another, between two others; rounded to u8 if `to_bytes` is not zero."""
        builder = self.builder
        rounds = builder.icmp_signed("!=", to_bytes, _number(0))
        with builder.if_else(rounds) as (as_bytes, as_floats):
            with as_bytes:
                self._end(output, step, vectors, 1)
            with as_floats:
                self._end(output, step, vectors, 4)

    def _end(self, output: Any, step: Any, vectors: Sequence[Any], size: int) -> None:
        columns = self._columns(vectors)
        for row, sums in enumerate(self.sums):
            target = self.builder.add(output, self.builder.mul(step, _number(row)))
            self._store_row([self.builder.load(total) for total in sums], target, columns, size)

    def _columns(self, vectors: Sequence[Any]) -> list[list[Any]]:
        """Return the scales, offsets and limits of each register of columns."""
        return [
            [self._load(self._after(base, 4 * LANES * vector), _FLOATS) for base in vectors]
            for vector in range(self.vectors)
        ]

    def _store_row(self, sums: Sequence[Any], target: Any, columns: Sequence[Any], size: int) -> None:
        for vector, (total, (scale, offset, low, high)) in enumerate(zip(sums, columns, strict=True)):
            value = self._between(self._scaled(total, scale, offset), low, high)
            value = self.builder.trunc(self._rounded(value), _BYTES) if size == 1 else value
            self._store(value, self._after(target, size * LANES * vector))

    def _scaled(self, total: Any, scale: Any, offset: Any) -> Any:
        """Return integers, or numbers, times a scale plus an offset."""
        value = total if total.type == _FLOATS else self.builder.sitofp(total, _FLOATS)
        return self.builder.fadd(self.builder.fmul(value, scale), offset)

    def _between(self, value: Any, low: Any, high: Any) -> Any:
        for sign, limit in ((">", high), ("<=", low)):
            value = self.builder.select(self.builder.fcmp_ordered(sign, value, limit), limit, value)
        return value

    def finish_rows(self, rows: tuple[Any, Any], output: Any, step: Any, vectors: Sequence[Any], size: int) -> None:
        """Store rows of sums as `end` does; `rows` are the address of the first one and their number."""
        builder, columns, (first, count) = self.builder, self._columns(vectors), rows
        with _TOOLS.for_range_slice(builder, _number(0), count, _number(1)) as (row, _):
            source = builder.add(first, builder.mul(row, _number(4 * LANES * self.vectors)))
            totals = [self._load(self._after(source, 4 * LANES * vector), _SUMS) for vector in range(self.vectors)]
            self._store_row(totals, builder.add(output, builder.mul(row, step)), columns, size)

    def add_levels(
        self,
        rows: tuple[Any, Any],
        output: Any,
        step: Any,
        operand: Any,
        numbers: Any,
        rounds: bool,
        vectors: Sequence[Any],
    ) -> None:
        """Store the levels of rows of scaled sums plus a dequantized operand; see `finish_residual`."""
        builder, columns, (first, count) = self.builder, self._columns(vectors), rows
        loaded = [self._load(self._after(numbers, 4 * number), _FLOAT) for number in range(RESIDUAL_NUMBERS)]
        constants = [self.spread(number, _FLOATS) for number in loaded]
        with _TOOLS.for_range_slice(builder, _number(0), count, _number(1)) as (row, _):
            source = builder.add(first, builder.mul(row, _number(4 * LANES * self.vectors)))
            distance = builder.mul(row, step)
            for vector, (scale, offset, low, high, inverse, shift) in enumerate(columns):
                total = self._load(self._after(source, 4 * LANES * vector), _SUMS)
                value = self._between(self._scaled(total, scale, offset), low, high)
                if rounds:
                    level = self._between(self._scaled(value, *constants[:2]), *constants[2:4])
                    value = self._scaled(self._rounded(level), *constants[4:6])
                at = self._after(distance, LANES * vector)
                others = builder.zext(self._load(builder.add(operand, at), _BYTES), _SUMS)
                value = builder.fadd(value, self._scaled(others, *constants[6:8]))
                value = self._scaled(self._between(value, *constants[8:10]), inverse, shift)
                levels = self._rounded(self._between(value, *constants[10:12]))
                self._store(builder.trunc(levels, _BYTES), builder.add(output, at))

    def _rounded(self, value: Any) -> Any:
        """Return numbers between limits that are integers as the nearest integers, of two the even one."""
        if _TO_INTEGERS is None:
            kind = ir.FunctionType(_FLOATS, [_FLOATS])
            rint = _TOOLS.get_or_insert_function(self.builder.module, kind, f"llvm.rint.v{LANES}f32")
            return self.builder.fptosi(self.builder.call(rint, [value]), _SUMS)
        others = [ir.Constant(_SUMS, None), _number(-1, ir.IntType(16)), _number(4, _I32)] if LANES == 16 else []
        kind = ir.FunctionType(_SUMS, [_FLOATS, *(other.type for other in others)])
        instruction = _TOOLS.get_or_insert_function(self.builder.module, kind, _TO_INTEGERS)
        return self.builder.call(instruction, [value, *others])


RESIDUAL_NUMBERS = 12
"""Numbers of `finish_residual`. Of sums that are rounded first: the factor and the addend of levels, their limits, and
the factor and the addend of what they mean. Of the operand: factor and addend. Then the limits of the sum, and the
limits of the result's levels."""


def _read(builder: Any, table: Any, index: Any) -> Any:
    """Return a number of a table."""
    address = builder.add(table, builder.mul(index, _number(8)))
    return builder.load(builder.inttoptr(address, _I64.as_pointer()))


@partial(intrinsic, prefer_literal=True)
def integer_tile(
    _context: Any, taps: Any, rows: Any, vectors: Any, data: Any, windows: Any, offsets: Any, runs: Any, quads: Any,
    panel: Any, output: Any, step: Any, start: Any, scale: Any, offset: Any, to_bytes: Any, low: Any, high: Any,
) -> Any:  # fmt: skip
    """Compute a tile of rows at the offsets `windows` in the data; the first three arguments are constants.

    A row consists of runs, which begin at the same offsets in each row: of neighbouring quads, or, where `taps` is not
    0, of one number a column, as in a depthwise convolution.
    """

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        data, windows, offsets, runs, quads, panel, output, step, start, scale, offset, to_bytes = arguments[3:15]
        lines = [builder.add(data, _read(builder, windows, _number(row))) for row in range(rows.literal_value)]
        kernel = IntegerMicroKernel(builder, lines, vectors.literal_value)
        kernel.begin(start)
        if taps.literal_value:
            kernel.add_taps(offsets, runs, panel)
        else:
            size = builder.mul(quads, _number(QUAD_BYTES * kernel.vectors))
            with _TOOLS.for_range_slice(builder, _number(0), runs, _number(1)) as (run, _):
                kernel.add_quads(_read(builder, offsets, run), quads, builder.add(panel, builder.mul(run, size)))
        kernel.end(output, step, (scale, offset, *arguments[15:]), to_bytes)
        return context.get_dummy_value()

    return types.void(taps, rows, vectors, *[types.int64] * 14), generate


@partial(intrinsic, prefer_literal=True)
def finish_sums(
    _context: Any, vectors: Any, sums: Any, count: Any, output: Any, step: Any, to_bytes: Any, scale: Any, offset: Any,
    low: Any, high: Any,
) -> Any:  # fmt: skip
    """Store `count` rows of sums at an address, of a constant number of registers, as tiles end."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        sums, count, output, step, to_bytes, *columns = arguments[1:]
        kernel = IntegerMicroKernel(builder, (), vectors.literal_value)
        rounds = builder.icmp_signed("!=", to_bytes, _number(0))
        with builder.if_else(rounds) as branches:
            for branch, size in zip(branches, (1, 4), strict=True):
                with branch:
                    kernel.finish_rows((sums, count), output, step, columns, size)
        return context.get_dummy_value()

    return types.void(vectors, *[types.int64] * 9), generate


@partial(intrinsic, prefer_literal=True)
def finish_residual(
    _context: Any, vectors: Any, sums: Any, count: Any, output: Any, step: Any, operand: Any, numbers: Any, rounds: Any,
    scale: Any, offset: Any, low: Any, high: Any, inverse: Any, shift: Any,
) -> Any:  # fmt: skip
    """Scale and clamp `count` rows of sums, add the dequantized u8 levels at `operand`, and store the result's levels.

    `numbers` is the address of `RESIDUAL_NUMBERS` numbers; where `rounds` is not 0, scaled sums are rounded to levels
    before; the last six arguments are addresses of a number a column.
    """

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        sums, count, output, step, operand, numbers, rounds, *columns = arguments[1:]
        kernel = IntegerMicroKernel(builder, (), vectors.literal_value)
        with builder.if_else(builder.icmp_signed("!=", rounds, _number(0))) as branches:
            for branch, is_rounded in zip(branches, (True, False), strict=True):
                with branch:
                    kernel.add_levels((sums, count), output, step, operand, numbers, is_rounded, columns)
        return context.get_dummy_value()

    return types.void(vectors, *[types.int64] * 13), generate
