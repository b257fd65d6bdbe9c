# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Decoding of packed codes in registers, and of runs of them in memory: LLVM's own instructions.

A chunk is `CHUNK` neighbouring codes, which become two registers of f32: for codes of four bits the even and the odd
elements, as the two codes of each byte are; for others the first and the second half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from llvmlite import ir

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.vectors import (
    BYTE,
    BYTES,
    CONVERTS_HALF,
    FLOATS,
    HAS_PERMUTE_16,
    INT,
    PAIR,
    SHORTS,
    SMALLS,
    constant,
    int64,
    load,
    look_up,
    offset,
    pick,
    prefetch,
    store,
)  # fmt: skip
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, inline_llvm, intrinsic

_tools, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")
_literally = partial(intrinsic, prefer_literal=True)

PREFERS_TABLE = HAS_PERMUTE_16
"""Whether a table of 16 numbers is one instruction, fewer than those that extend i4 and u4."""
CHUNK = 2 * LANES
"""Codes that are decoded at once."""

KINDS = ("table", "i4", "u4", "i8", "u8", "f16", "bf16", "f8e4m3", "f8e5m2")
"""How codes are decoded: by a table of 16 numbers, or by their type; u4 and u8 less 8 and 128."""
CENTERS = {"u4": 8, "u8": 128}
UNITS = {"f8e4m3": 256.0}
"""What decoded numbers are to be multiplied by; a power of two."""
_NAN_OF_HALF = 0x7E00

# Decoders: of the address of a chunk and of the table


def _by_table(builder: Any, address: Any, table: Any) -> PAIR:
    codes = builder.zext(load(builder, address, BYTES), SMALLS)
    return look_up(builder, table, codes), look_up(builder, table, builder.lshr(codes, constant(SMALLS, 4)))


def _nibbles(flipped: int, builder: Any, address: Any, _: Any) -> PAIR:
    codes = builder.xor(load(builder, address, BYTES), constant(BYTES, flipped))
    wide, down = builder.zext(codes, SMALLS), constant(SMALLS, 28)
    even, odd = (builder.ashr(builder.shl(wide, constant(SMALLS, by)), down) for by in (28, 24))
    return builder.sitofp(even, FLOATS), builder.sitofp(odd, FLOATS)


def _integers(flipped: int, builder: Any, address: Any) -> Any:
    codes = builder.xor(load(builder, address, BYTES), constant(BYTES, flipped))
    return builder.sitofp(builder.sext(codes, SMALLS), FLOATS)


def _halves(builder: Any, address: Any) -> Any:
    return _half(builder, load(builder, address, SHORTS))


def _half(builder: Any, bits: Any) -> Any:
    """Return the numbers of f16 that have these bits."""
    if CONVERTS_HALF:
        return builder.fpext(builder.bitcast(bits, ir.VectorType(ir.HalfType(), LANES)), FLOATS)
    wide = builder.zext(bits, SMALLS)
    magnitude = builder.and_(wide, constant(SMALLS, 0x7FFF))
    shifted = builder.bitcast(builder.shl(magnitude, constant(SMALLS, 13)), FLOATS)
    number = builder.bitcast(builder.fmul(shifted, constant(FLOATS, 2.0**112)), SMALLS)
    is_finite = builder.icmp_unsigned("<", magnitude, constant(SMALLS, 0x7C00))
    number = builder.select(is_finite, number, builder.or_(number, constant(SMALLS, 0x7F800000)))
    sign = builder.shl(builder.and_(wide, constant(SMALLS, 0x8000)), constant(SMALLS, 16))
    return builder.bitcast(builder.or_(number, sign), FLOATS)


def _brain_halves(builder: Any, address: Any) -> Any:
    wide = builder.zext(load(builder, address, SHORTS), SMALLS)
    return builder.bitcast(builder.shl(wide, constant(SMALLS, 16)), FLOATS)


def _e5m2(builder: Any, address: Any) -> Any:
    return _half(builder, builder.shl(builder.zext(load(builder, address, BYTES), SHORTS), constant(SHORTS, 8)))


def _e4m3(builder: Any, address: Any) -> Any:
    """Return numbers of f8e4m3 divided by `UNITS`: f16 with the same bits have exponents that are 8 less."""
    codes = load(builder, address, BYTES)
    extended = builder.shl(builder.sext(codes, SHORTS), constant(SHORTS, 7))
    bits = builder.and_(extended, constant(SHORTS, 0xBFFF - 2**16))
    is_nan = builder.icmp_unsigned("==", builder.or_(codes, constant(BYTES, -128)), constant(BYTES, -1))
    return _half(builder, builder.select(is_nan, constant(SHORTS, _NAN_OF_HALF), bits))


def _twice(decode: Callable[[Any, Any], Any], item: int, builder: Any, address: Any, _: Any) -> PAIR:
    """Decode both halves of a chunk of codes of `item` bytes."""
    return decode(builder, address), decode(builder, builder.add(address, int64(item * LANES)))


DECODERS: dict[str, Callable[[Any, Any, Any], PAIR]] = {
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
_MIXED = [lane // 2 + LANES * (lane % 2) for lane in range(CHUNK)]


def chunk_bytes(kind: str) -> int:
    """Return the bytes of the codes of a chunk."""
    return LANES if kind in ("table", "i4", "u4") else CHUNK * (2 if kind in ("f16", "bf16") else 1)


def _decode_chunk(builder: Any, name: str, source: Any, target: Any, table: Any) -> None:
    """Store a chunk of codes of a kind as f32, in their order."""
    pair = DECODERS[name](builder, source, table)
    if name in ("table", "i4", "u4"):
        pair = pick(builder, pair, _MIXED[:LANES]), pick(builder, pair, _MIXED[LANES:])
    for half, values in enumerate(pair):
        store(builder, values, builder.add(target, int64(4 * LANES * half)))


@_literally
def decode_run(_context: Any, kind: Any, codes: Any, count: Any, target: Any, table: Any, ahead: Any) -> Any:
    """Store a run of codes as f32, and prefetch the codes that lie `ahead` bytes further on."""
    name = KINDS[kind.literal_value]
    size = chunk_bytes(name)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        _, codes, count, target, table, ahead = arguments
        whole = builder.udiv(count, int64(CHUNK))
        with _tools.for_range_slice(builder, int64(0), whole, int64(1)) as (chunk, _):
            source = builder.add(codes, builder.mul(chunk, int64(size)))
            prefetch(builder, builder.add(source, ahead))
            _decode_chunk(builder, name, source, builder.add(target, builder.mul(chunk, int64(4 * CHUNK))), table)
        first = builder.mul(whole, int64(CHUNK))
        rest = builder.sub(count, first)
        with builder.if_then(builder.icmp_unsigned("!=", rest, int64(0))):
            padded, values = (_tools.alloca_once(builder, ir.ArrayType(BYTE, length)) for length in (size, 4 * CHUNK))
            source = builder.inttoptr(builder.add(codes, builder.mul(whole, int64(size))), BYTE.as_pointer())
            length = builder.udiv(builder.add(builder.mul(rest, int64(size)), int64(CHUNK - 1)), int64(CHUNK))
            one = int64(1)
            _tools.raw_memcpy(builder, builder.bitcast(padded, BYTE.as_pointer()), source, length, one)
            _decode_chunk(builder, name, builder.ptrtoint(padded, INT), builder.ptrtoint(values, INT), table)
            end = builder.inttoptr(builder.add(target, builder.mul(first, int64(4))), BYTE.as_pointer())
            _tools.raw_memcpy(
                builder, end, builder.bitcast(values, BYTE.as_pointer()), builder.mul(rest, int64(4)), one
            )
        return context.get_dummy_value()

    return types.void(kind, *[types.int64] * 5), generate


@inline_llvm("void(i8, i8, i8, i8)")
def transpose_block(builder: Any, source: Any, source_step: Any, target: Any, target_step: Any) -> None:
    """Store a square of as many rows as a micro-kernel's register has lanes as columns; steps are in bytes."""
    size, vector = LANES, FLOATS
    rows = [load(builder, offset(builder, source, source_step, row), vector) for row in range(size)]
    distance = 1
    while distance < size:
        lanes = range(size)
        upper = [lane if not lane & distance else size + lane - distance for lane in lanes]
        lower = [lane + distance if not lane & distance else size + lane for lane in lanes]
        for first in (row for row in lanes if not row & distance):
            pair = rows[first], rows[first + distance]
            rows[first], rows[first + distance] = pick(builder, pair, upper), pick(builder, pair, lower)
        distance *= 2
    for row, values in enumerate(rows):
        store(builder, values, offset(builder, target, target_step, row))
