# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Decoding of packed codes in registers: LLVM's own instructions, for dot products and for runs in memory.

A chunk is `CHUNK` neighbouring codes, which become two registers of f32. Those of four bits become the even and the odd
elements, as the two codes of each byte are; all others become the first and the second half.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from llvmlite import ir

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES as TILE_LANES
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, intrinsic
from ir_plugin.kernels.numba.runtime.target import target_features

_tools, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")
_literally = partial(intrinsic, prefer_literal=True)


_FEATURES = target_features()
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
_HAS_PERMUTE_16, _HAS_PERMUTE_8 = "avx512f" in _FEATURES, "avx2" in _FEATURES
_CONVERTS_HALF = not _IS_X86 or "f16c" in _FEATURES
PREFERS_TABLE = _HAS_PERMUTE_16
"""Whether a table of 16 numbers is one instruction, fewer than those that extend i4 and u4."""
LANES = 16 if _HAS_PERMUTE_16 else 8
CHUNK = 2 * LANES
"""Codes that are decoded at once."""

KINDS = ("table", "i4", "u4", "i8", "u8", "f16", "bf16", "f8e4m3", "f8e5m2")
"""How codes are decoded: by a table of 16 numbers, or by their type; u4 and u8 less 8 and 128."""
CENTERS = {"u4": 8, "u8": 128}
UNITS = {"f8e4m3": 256.0}
"""What decoded numbers are to be multiplied by; a power of two."""
FORMS = LONG, CHUNKS, HALVES = range(3)
"""What a group is: some chunks, one chunk, or half a chunk of codes of four bits."""
_NAN_OF_HALF = 0x7E00

_INT, _FLOAT, _SMALL, _SHORT, _BYTE = ir.IntType(64), ir.FloatType(), ir.IntType(32), ir.IntType(16), ir.IntType(8)
_FLOATS, _SMALLS, _SHORTS, _BYTES = (ir.VectorType(item, LANES) for item in (_FLOAT, _SMALL, _SHORT, _BYTE))
_PAIR = tuple[Any, Any]


def _number(value: int) -> Any:
    return ir.Constant(_INT, value)


def _all(vector: Any, value: float) -> Any:
    return ir.Constant(vector, [value] * LANES)


def _load(builder: Any, address: Any, vector: Any) -> Any:
    return builder.load(builder.inttoptr(address, vector.as_pointer()), align=1)


def _offset(builder: Any, address: Any, step: Any, count: int) -> Any:
    return builder.add(address, builder.mul(step, _number(count))) if count else address


def _spread(builder: Any, value: Any) -> Any:
    empty = ir.Constant(_FLOATS, ir.Undefined)
    lanes = ir.Constant(_SMALLS, [0] * LANES)
    return builder.shuffle_vector(builder.insert_element(empty, value, ir.Constant(_SMALL, 0)), empty, lanes)


def _picked(builder: Any, pair: _PAIR, lanes: Sequence[int]) -> Any:
    return builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(_SMALL, len(lanes)), list(lanes)))


def _function(builder: Any, name: str, result: Any, arguments: Sequence[Any]) -> Any:
    return _tools.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


# Decoders: of the address of a chunk and of the table


def _by_table(builder: Any, address: Any, table: Any) -> _PAIR:
    codes = builder.zext(_load(builder, address, _BYTES), _SMALLS)
    return _looked_up(builder, table, codes), _looked_up(builder, table, builder.lshr(codes, _all(_SMALLS, 4)))


def _looked_up(builder: Any, table: Any, index: Any) -> Any:
    """Return the numbers of a table at the lowest four bits of each index."""
    if _HAS_PERMUTE_16:
        permute = _function(builder, "llvm.x86.avx512.permvar.sf.512", _FLOATS, [_FLOATS, _SMALLS])
        return builder.call(permute, [_load(builder, table, _FLOATS), index])
    if _HAS_PERMUTE_8:
        permute = _function(builder, "llvm.x86.avx2.permps", _FLOATS, [_FLOATS, _SMALLS])
        halves = [_load(builder, builder.add(table, _number(32 * half)), _FLOATS) for half in range(2)]
        low, high = (builder.call(permute, [half, index]) for half in halves)
        is_high = builder.icmp_signed("<", builder.shl(index, _all(_SMALLS, 28)), _all(_SMALLS, 0))
        return builder.select(is_high, high, low)
    numbers, index = ir.Constant(_FLOATS, ir.Undefined), builder.and_(index, _all(_SMALLS, 15))
    for lane in range(LANES):
        at = builder.zext(builder.extract_element(index, ir.Constant(_SMALL, lane)), _INT)
        number = _load(builder, builder.add(table, builder.mul(at, _number(4))), _FLOAT)
        numbers = builder.insert_element(numbers, number, ir.Constant(_SMALL, lane))
    return numbers


def _nibbles(flipped: int, builder: Any, address: Any, _: Any) -> _PAIR:
    codes = builder.xor(_load(builder, address, _BYTES), _all(_BYTES, flipped))
    wide, down = builder.zext(codes, _SMALLS), _all(_SMALLS, 28)
    even, odd = (builder.ashr(builder.shl(wide, _all(_SMALLS, by)), down) for by in (28, 24))
    return builder.sitofp(even, _FLOATS), builder.sitofp(odd, _FLOATS)


def _integers(flipped: int, builder: Any, address: Any) -> Any:
    codes = builder.xor(_load(builder, address, _BYTES), _all(_BYTES, flipped))
    return builder.sitofp(builder.sext(codes, _SMALLS), _FLOATS)


def _halves(builder: Any, address: Any) -> Any:
    return _half(builder, _load(builder, address, _SHORTS))


def _half(builder: Any, bits: Any) -> Any:
    """Return the numbers of f16 that have these bits."""
    if _CONVERTS_HALF:
        return builder.fpext(builder.bitcast(bits, ir.VectorType(ir.HalfType(), LANES)), _FLOATS)
    wide = builder.zext(bits, _SMALLS)
    magnitude = builder.and_(wide, _all(_SMALLS, 0x7FFF))
    shifted = builder.bitcast(builder.shl(magnitude, _all(_SMALLS, 13)), _FLOATS)
    number = builder.bitcast(builder.fmul(shifted, _all(_FLOATS, 2.0**112)), _SMALLS)
    is_finite = builder.icmp_unsigned("<", magnitude, _all(_SMALLS, 0x7C00))
    number = builder.select(is_finite, number, builder.or_(number, _all(_SMALLS, 0x7F800000)))
    sign = builder.shl(builder.and_(wide, _all(_SMALLS, 0x8000)), _all(_SMALLS, 16))
    return builder.bitcast(builder.or_(number, sign), _FLOATS)


def _brain_halves(builder: Any, address: Any) -> Any:
    wide = builder.zext(_load(builder, address, _SHORTS), _SMALLS)
    return builder.bitcast(builder.shl(wide, _all(_SMALLS, 16)), _FLOATS)


def _e5m2(builder: Any, address: Any) -> Any:
    return _half(builder, builder.shl(builder.zext(_load(builder, address, _BYTES), _SHORTS), _all(_SHORTS, 8)))


def _e4m3(builder: Any, address: Any) -> Any:
    """Return numbers of f8e4m3 divided by `UNITS`: f16 with the same bits have exponents that are 8 less."""
    codes = _load(builder, address, _BYTES)
    extended = builder.shl(builder.sext(codes, _SHORTS), _all(_SHORTS, 7))
    bits = builder.and_(extended, _all(_SHORTS, 0xBFFF - 2**16))
    is_nan = builder.icmp_unsigned("==", builder.or_(codes, _all(_BYTES, -128)), _all(_BYTES, -1))
    return _half(builder, builder.select(is_nan, _all(_SHORTS, _NAN_OF_HALF), bits))


def _twice(decode: Callable[[Any, Any], Any], item: int, builder: Any, address: Any, _: Any) -> _PAIR:
    """Return both halves of a chunk of codes of so many bytes."""
    return decode(builder, address), decode(builder, builder.add(address, _number(item * LANES)))


_DECODERS: dict[str, Callable[[Any, Any, Any], _PAIR]] = {
    "table": _by_table,
    "i4": partial(_nibbles, 0),
    "u4": partial(_nibbles, 0x88 - 256),
    "i8": partial(_twice, partial(_integers, 0), 1),
    "u8": partial(_twice, partial(_integers, -128), 1),
    "f16": partial(_twice, _halves, 2),
    "bf16": partial(_twice, _brain_halves, 2),
    "f8e4m3": partial(_twice, _e4m3, 1),
    "f8e5m2": partial(_twice, _e5m2, 1),
}
_EVEN, _ODD = range(0, CHUNK, 2), range(1, CHUNK, 2)
_MIXED = [lane // 2 + LANES * (lane % 2) for lane in range(CHUNK)]


def _chunk_bytes(kind: str) -> int:
    return LANES if kind in ("table", "i4", "u4") else CHUNK * (2 if kind in ("f16", "bf16") else 1)


_TO_READ_INTO_NEAREST_CACHE = (0, 3, 1)
"""The arguments of `llvm.prefetch` after the address: a read, of data that is kept in all caches."""


class _Dots:
    """Emits dot products of rows of data with outputs, whose codes lie `step` bytes apart, group by group."""

    def __init__(self, builder: Any, kind: str, rows: int, outputs: int, form: int, has_zero: bool) -> None:
        self.builder, self.kind, self.form, self.has_zero = builder, kind, form, has_zero
        self.rows, self.outputs = rows, outputs
        arguments = [_BYTE.as_pointer(), _SMALL, _SMALL, _SMALL]
        self.prefetch = _function(builder, "llvm.prefetch.p0i8", ir.VoidType(), arguments)
        self.fma = _function(builder, f"llvm.fma.v{LANES}f32", _FLOATS, [_FLOATS] * 3)
        self.ways = 2 if rows * outputs <= 4 and form == LONG else 1
        self.totals, self.data_sums = self._registers(rows * outputs), self._registers(rows)
        self.sums = [self._registers(rows * outputs) for _ in range(self.ways)]

    def _registers(self, count: int) -> list[Any]:
        return [_tools.alloca_once(self.builder, _FLOATS) for _ in range(count)]

    def clear(self, registers: Sequence[Any]) -> None:
        """Set registers to zero."""
        for register in registers:
            self.builder.store(_all(_FLOATS, 0.0), register)

    def add_chunk(self, data: Any, data_step: Any, codes: Any, step: Any, table: Any, ahead: Any) -> None:
        """Add the products of one chunk of each output with each row, and prefetch the codes `ahead` bytes later."""
        builder = self.builder
        pairs = [self._data(_offset(builder, data, data_step, row)) for row in range(self.rows)]
        for output in range(self.outputs):
            packed = _offset(builder, codes, step, output)
            later = builder.inttoptr(builder.add(packed, ahead), _BYTE.as_pointer())
            builder.call(self.prefetch, [later, *(ir.Constant(_SMALL, flag) for flag in _TO_READ_INTO_NEAREST_CACHE)])
            weights = _DECODERS[self.kind](builder, packed, table)
            for row, pair in enumerate(pairs):
                for half in range(2):
                    total = self.sums[half % self.ways][row * self.outputs + output]
                    builder.store(self._product(weights[half], pair[half], total, half), total)
        if self.has_zero:
            for total, pair in zip(self.data_sums, pairs, strict=True):
                both = builder.fadd(*pair)
                builder.store(builder.fadd(builder.load(total), both) if self.form == LONG else both, total)

    def _product(self, weights: Any, data: Any, total: Any, half: int) -> Any:
        """Return a product added to a sum, or alone where it is the first of its group."""
        if half == 0 and self.form != LONG:
            return self.builder.fmul(weights, data)
        return self.builder.call(self.fma, [weights, data, self.builder.load(total)])

    def _data(self, address: Any) -> _PAIR:
        builder = self.builder
        pair = _load(builder, address, _FLOATS), _load(builder, builder.add(address, _number(4 * LANES)), _FLOATS)
        if self.kind not in ("table", "i4", "u4"):
            return pair
        return _picked(builder, pair, _EVEN), _picked(builder, pair, _ODD)

    def end_group(self, scales: Any, zeros: Any, step: Any) -> None:
        """Add the sums of a group, less the zero point's, times the scale to the totals."""
        builder = self.builder
        for output in range(self.outputs):
            scale = self._of_lanes(_offset(builder, scales, step, output))
            zero = self._of_lanes(_offset(builder, zeros, step, output)) if self.has_zero else None
            for row in range(self.rows):
                number = row * self.outputs + output
                total = builder.load(self.sums[0][number])
                for sums in self.sums[1:]:
                    total = builder.fadd(total, builder.load(sums[number]))
                if zero is not None:
                    total = builder.call(self.fma, [builder.fneg(zero), builder.load(self.data_sums[row]), total])
                before = builder.load(self.totals[number])
                builder.store(builder.call(self.fma, [total, scale, before]), self.totals[number])

    def _of_lanes(self, address: Any) -> Any:
        """Return the scale or zero point of each lane, of which the two halves may be of two groups."""
        if self.form != HALVES:
            return _spread(self.builder, _load(self.builder, address, _FLOAT))
        pair = _load(self.builder, address, ir.VectorType(_FLOAT, 2))
        return _picked(self.builder, (pair, pair), [lane // (LANES // 2) for lane in range(LANES)])

    def end(self, output: Any, output_step: Any) -> None:
        """Store the sums of the lanes of all totals."""
        builder = self.builder
        for row in range(self.rows):
            for number in range(self.outputs):
                total = builder.load(self.totals[row * self.outputs + number])
                width = LANES
                while width > 1:
                    width //= 2
                    halves = [list(range(width)), list(range(width, 2 * width))]
                    low, high = (_picked(builder, (total, total), lanes) for lanes in halves)
                    total = builder.fadd(low, high)
                value = builder.extract_element(total, ir.Constant(_SMALL, 0))
                address = builder.add(_offset(builder, output, output_step, row), _number(4 * number))
                builder.store(value, builder.inttoptr(address, _FLOAT.as_pointer()), align=4)


@_literally
def dots(
    _context: Any, kind: Any, rows: Any, outputs: Any, form: Any, has_zero: Any, data: Any, data_step: Any, codes: Any,
    step: Any, table: Any, scales: Any, zeros: Any, groups: Any, chunks: Any, output: Any, output_step: Any, ahead: Any,
) -> Any:  # fmt: skip
    """Store the dot products of some rows of data with some outputs, in groups of a form.

    `chunks` are those of a group. The codes that lie `ahead` bytes after those in use are prefetched.
    """
    name = KINDS[kind.literal_value]
    sizes = (rows.literal_value, outputs.literal_value, form.literal_value, bool(has_zero.literal_value))
    of_step = 2 if form.literal_value == HALVES else 1

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        data, data_step, codes, step, table, scales, zeros, groups, chunks, output, output_step, ahead = arguments[5:]
        kernel = _Dots(builder, name, *sizes)
        kernel.clear(kernel.totals)
        steps = builder.udiv(groups, _number(of_step))
        with _tools.for_range_slice(builder, _number(0), steps, _number(1)) as (group, _):
            for registers in (*kernel.sums, kernel.data_sums):
                kernel.clear(registers)
            first = builder.mul(group, chunks)
            with _tools.for_range_slice(builder, _number(0), chunks, _number(1)) as (chunk, _):
                number = builder.add(first, chunk)
                source = builder.add(data, builder.mul(number, _number(4 * CHUNK)))
                packed = builder.add(codes, builder.mul(number, _number(_chunk_bytes(name))))
                kernel.add_chunk(source, data_step, packed, step, table, ahead)
            at, size = builder.mul(group, _number(4 * of_step)), builder.mul(groups, _number(4))
            kernel.end_group(builder.add(scales, at), builder.add(zeros, at), size)
        kernel.end(output, output_step)
        return context.get_dummy_value()

    return types.void(kind, rows, outputs, form, has_zero, *[types.int64] * 12), generate


@_literally
def decode_run(_context: Any, kind: Any, codes: Any, count: Any, target: Any, table: Any) -> Any:
    """Store a run of codes as f32."""
    name = KINDS[kind.literal_value]
    size = _chunk_bytes(name)

    def decode_chunk(builder: Any, source: Any, target: Any, table: Any) -> None:
        pair = _DECODERS[name](builder, source, table)
        if name in ("table", "i4", "u4"):
            pair = _picked(builder, pair, _MIXED[:LANES]), _picked(builder, pair, _MIXED[LANES:])
        for half, values in enumerate(pair):
            address = builder.add(target, _number(4 * LANES * half))
            builder.store(values, builder.inttoptr(address, _FLOATS.as_pointer()), align=4)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        _, codes, count, target, table = arguments
        whole = builder.udiv(count, _number(CHUNK))
        with _tools.for_range_slice(builder, _number(0), whole, _number(1)) as (chunk, _):
            source = builder.add(codes, builder.mul(chunk, _number(size)))
            decode_chunk(builder, source, builder.add(target, builder.mul(chunk, _number(4 * CHUNK))), table)
        first = builder.mul(whole, _number(CHUNK))
        rest = builder.sub(count, first)
        with builder.if_then(builder.icmp_unsigned("!=", rest, _number(0))):
            padded, values = (_tools.alloca_once(builder, ir.ArrayType(_BYTE, length)) for length in (size, 4 * CHUNK))
            source = builder.inttoptr(builder.add(codes, builder.mul(whole, _number(size))), _BYTE.as_pointer())
            length = builder.udiv(builder.add(builder.mul(rest, _number(size)), _number(CHUNK - 1)), _number(CHUNK))
            one = _number(1)
            _tools.raw_memcpy(builder, builder.bitcast(padded, _BYTE.as_pointer()), source, length, one)
            decode_chunk(builder, builder.ptrtoint(padded, _INT), builder.ptrtoint(values, _INT), table)
            end = builder.inttoptr(builder.add(target, builder.mul(first, _number(4))), _BYTE.as_pointer())
            _tools.raw_memcpy(
                builder, end, builder.bitcast(values, _BYTE.as_pointer()), builder.mul(rest, _number(4)), one
            )
        return context.get_dummy_value()

    return types.void(kind, *[types.int64] * 4), generate


@intrinsic
def transpose_block(_context: Any, source: Any, source_step: Any, target: Any, target_step: Any) -> Any:
    """Store a square of as many rows as a micro-kernel's register has lanes as columns; steps are in bytes."""
    size = TILE_LANES

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        source, source_step, target, target_step = arguments
        vector = ir.VectorType(_FLOAT, size)
        rows = [_load(builder, _offset(builder, source, source_step, row), vector) for row in range(size)]
        distance = 1
        while distance < size:
            lanes = range(size)
            upper = [lane if not lane & distance else size + lane - distance for lane in lanes]
            lower = [lane + distance if not lane & distance else size + lane for lane in lanes]
            for first in (row for row in lanes if not row & distance):
                pair = rows[first], rows[first + distance]
                rows[first], rows[first + distance] = _picked(builder, pair, upper), _picked(builder, pair, lower)
            distance *= 2
        for row, values in enumerate(rows):
            address = builder.inttoptr(_offset(builder, target, target_step, row), vector.as_pointer())
            builder.store(values, address, align=4)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), generate
