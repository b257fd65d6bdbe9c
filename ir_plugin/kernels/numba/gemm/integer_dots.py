# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Dot products of a row of i8 with four rows of packed unsigned codes, in i32, group by group: LLVM's instructions.

A chunk is four codes for each lane of a register. The data of a chunk with codes of four bits are its even members and
then its odd ones, as the two codes of each byte are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from llvmlite import ir

from ir_plugin.kernels.numba.gemm.integer_micro_kernel import FORM
from ir_plugin.kernels.numba.gemm.vectors import (
    BYTE,
    FLOAT,
    SMALL,
    clear,
    constant,
    int64,
    load,
    new_registers,
    offset,
    pick,
    prefetch,
    spread,
)
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, intrinsic

KINDS = ("u8", "i8", "u4", "i4")
"""Types of codes; i8 and i4 are read as unsigned, plus 128 and 8."""
CENTERS = (0, 128, 0, 8)
OUTPUTS = 4

_tools, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")
_FOUR, _FOUR_FLOATS = ir.VectorType(SMALL, OUTPUTS), ir.VectorType(FLOAT, OUTPUTS)


class _IntegerDots:
    """Emits the dot products of a row with four outputs, whose codes lie `step` bytes apart."""

    def __init__(self, builder: Any, kind: str, lanes: int) -> None:
        self.builder, self.kind, self.lanes = builder, kind, lanes
        self.bytes, self.sums_type = ir.VectorType(BYTE, 4 * lanes), ir.VectorType(SMALL, lanes)
        self.chunk_bytes = 4 * lanes if kind in ("u8", "i8") else 2 * lanes
        self.sums = new_registers(builder, OUTPUTS, self.sums_type)
        self.total = _tools.alloca_once(builder, _FOUR_FLOATS)
        builder.store(ir.Constant(_FOUR_FLOATS, [0.0] * OUTPUTS), self.total)

    def add_chunk(self, data: Any, codes: Any, step: Any, ahead: Any) -> None:
        """Add the products of a chunk, and prefetch the codes `ahead` bytes later."""
        builder = self.builder
        row = load(builder, data, self.bytes)
        for output, total in enumerate(self.sums):
            address = offset(builder, codes, step, output)
            prefetch(builder, builder.add(address, ahead))
            builder.store(self._dot(builder.load(total), self._decoded(address), row), total)

    def _decoded(self, address: Any) -> Any:
        """Return the codes of a chunk as unsigned bytes."""
        builder = self.builder
        if self.kind in ("u8", "i8"):
            codes = load(builder, address, self.bytes)
            return codes if self.kind == "u8" else builder.xor(codes, constant(self.bytes, -128))
        pairs = load(builder, address, ir.VectorType(BYTE, 2 * self.lanes))
        pairs = pairs if self.kind == "u4" else builder.xor(pairs, constant(pairs.type, 0x88 - 256))
        halves = builder.and_(pairs, constant(pairs.type, 15)), builder.lshr(pairs, constant(pairs.type, 4))
        return pick(builder, halves, range(4 * self.lanes))

    def _dot(self, total: Any, codes: Any, row: Any) -> Any:
        """Return sums plus the products of codes with a row's numbers, of which each lane adds four."""
        builder = self.builder
        if FORM == "vnni":
            kind = ir.FunctionType(self.sums_type, [self.sums_type] * 3)
            name = f"llvm.x86.avx512.vpdpbusd.{32 * self.lanes}"
            instruction = _tools.get_or_insert_function(builder.module, kind, name)
            return builder.call(
                instruction, [total, builder.bitcast(codes, self.sums_type), builder.bitcast(row, self.sums_type)]
            )
        wide = ir.VectorType(SMALL, 4 * self.lanes)
        products = builder.mul(builder.zext(codes, wide), builder.sext(row, wide))
        for quarter in range(4):
            lanes = range(quarter * self.lanes, (quarter + 1) * self.lanes)
            total = builder.add(total, pick(builder, [products, products], lanes))
        return total

    def reduced(self) -> Any:
        """Return the sums of the lanes of each output."""
        builder = self.builder
        vectors = [builder.load(total) for total in self.sums]
        if self.lanes == 8:
            vectors = [
                builder.add(*(pick(builder, [vector, vector], lanes) for lanes in (range(4), range(4, 8))))
                for vector in vectors
            ]
        pairs = [
            builder.add(*(pick(builder, vectors[first : first + 2], lanes) for lanes in ([0, 1, 4, 5], [2, 3, 6, 7])))
            for first in (0, 2)
        ]
        return builder.add(*(pick(builder, pairs, lanes) for lanes in ([0, 2, 4, 6], [1, 3, 5, 7])))

    def sum_chunks(self, data: Any, codes: Any, first: Any, count: Any, step: Any, ahead: Any) -> None:
        """Set the sums to the products of `count` chunks from `first` on."""
        builder = self.builder
        clear(builder, self.sums)
        with _tools.for_range_slice(builder, int64(0), count, int64(1)) as (chunk, _):
            number = builder.add(first, chunk)
            source = builder.add(data, builder.mul(number, int64(4 * self.lanes)))
            packed = builder.add(codes, builder.mul(number, int64(self.chunk_bytes)))
            self.add_chunk(source, packed, step, ahead)

    def add_scaled(self, data_sum: Any, data_scale: Any, zero: Any, scale: Any) -> None:
        """Add the sums less their zero points to the total, given the addresses of the data's sum and scale."""
        builder = self.builder
        sum_of_data = spread(builder, load(builder, data_sum, SMALL), OUTPUTS)
        exact = builder.sub(self.reduced(), builder.mul(zero, sum_of_data))
        by = spread(builder, load(builder, data_scale, FLOAT), OUTPUTS)
        scaled = builder.fmul(builder.sitofp(exact, _FOUR_FLOATS), builder.fmul(by, scale))
        builder.store(builder.fadd(builder.load(self.total), scaled), self.total)

    def strided(self, address: Any, step: Any, kind: Any) -> Any:
        """Return a number of each output, which lie `step` bytes apart."""
        builder, vector = self.builder, ir.Constant(kind, ir.Undefined)
        for output in range(OUTPUTS):
            value = load(builder, builder.add(address, builder.mul(step, int64(output))), kind.element)
            vector = builder.insert_element(vector, value, ir.Constant(SMALL, output))
        return vector


@partial(intrinsic, prefer_literal=True)
def integer_dots(
    _context: Any, kind: Any, lanes: Any, data: Any, data_scales: Any, data_sums: Any, codes: Any, step: Any,
    scales: Any, zeros: Any, groups: Any, ratio: Any, chunks: Any, output: Any, ahead: Any,
) -> Any:  # fmt: skip
    """Store the products of a row of i8 with four outputs, scaled and added in f32, group by group.

    The weights have `groups`, each of `ratio` groups of the data, each of `chunks` chunks. `data_sums` are the sums of
    the numbers of the data's groups, which zero points multiply.
    """
    name, width = KINDS[kind.literal_value], lanes.literal_value

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        data, data_scales, data_sums, codes, step, scales, zeros, groups, ratio, chunks, output, ahead = arguments[2:]
        kernel = _IntegerDots(builder, name, width)
        row_bytes = builder.mul(groups, int64(4))
        with _tools.for_range_slice(builder, int64(0), groups, int64(1)) as (group, _):
            at = builder.mul(group, int64(4))
            scale = kernel.strided(builder.add(scales, at), row_bytes, _FOUR_FLOATS)
            zero = kernel.strided(builder.add(zeros, at), row_bytes, _FOUR)
            with _tools.for_range_slice(builder, int64(0), ratio, int64(1)) as (part, _):
                segment = builder.add(builder.mul(group, ratio), part)
                first = builder.mul(segment, chunks)
                kernel.sum_chunks(data, codes, first, chunks, step, ahead)
                at = builder.mul(segment, int64(4))
                kernel.add_scaled(builder.add(data_sums, at), builder.add(data_scales, at), zero, scale)
        builder.store(builder.load(kernel.total), builder.inttoptr(output, _FOUR_FLOATS.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(kind, lanes, *[types.int64] * 12), generate
