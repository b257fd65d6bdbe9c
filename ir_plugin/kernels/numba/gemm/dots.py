# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Dot products of rows of data with outputs, whose codes are decoded in registers: LLVM's own instructions.

Codes of four bits are multiplied by blocks (`nibble_dots`), all others by chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ir_plugin.kernels.numba.gemm import nibble_dots
from ir_plugin.kernels.numba.gemm.decoding import CHUNK, DECODERS, KINDS, chunk_bytes
from ir_plugin.kernels.numba.gemm.micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.vectors import (
    FLOAT,
    FLOATS,
    PAIR,
    clear,
    declare,
    int64,
    load,
    new_registers,
    offset,
    prefetch,
    spread,
    store,
    sum_of_lanes,
)  # fmt: skip
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, intrinsic

_tools, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")

FORMS = LONG, CHUNKS = range(2)
"""What a group of codes of a byte and more is: some chunks, or one."""


class _Dots:
    """Emits dot products of rows of data with outputs, whose codes lie `step` bytes apart, group by group."""

    def __init__(self, builder: Any, kind: str, rows: int, outputs: int, form: int, has_zero: int) -> None:
        self.builder, self.kind, self.form, self.has_zero = builder, kind, form, has_zero
        self.rows, self.outputs = rows, outputs
        self.fma = declare(builder, f"llvm.fma.v{LANES}f32", FLOATS, [FLOATS] * 3)
        self.ways = 2 if rows * outputs <= 4 and form == LONG else 1
        self.totals, self.data_sums = new_registers(builder, rows * outputs), new_registers(builder, rows)
        self.sums = [new_registers(builder, rows * outputs) for _ in range(self.ways)]

    def add_chunk(self, data: Any, data_step: Any, codes: Any, step: Any, table: Any, ahead: Any) -> None:
        """Add the products of one chunk of each output with each row, and prefetch the codes `ahead` bytes later."""
        builder = self.builder
        pairs = [self._data(offset(builder, data, data_step, row)) for row in range(self.rows)]
        for output in range(self.outputs):
            packed = offset(builder, codes, step, output)
            prefetch(builder, builder.add(packed, ahead))
            weights = DECODERS[self.kind](builder, packed, table)
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

    def _data(self, address: Any) -> PAIR:
        builder = self.builder
        return load(builder, address, FLOATS), load(builder, builder.add(address, int64(4 * LANES)), FLOATS)

    def end_group(self, scales: Any, zeros: Any, step: Any) -> None:
        """Add the sums of a group, less the zero point's, times the scale to the totals."""
        builder = self.builder
        for output in range(self.outputs):
            scale = self._number_at(offset(builder, scales, step, output))
            zero = self._number_at(offset(builder, zeros, step, output)) if self.has_zero else None
            for row in range(self.rows):
                number = row * self.outputs + output
                total = builder.load(self.sums[0][number])
                for sums in self.sums[1:]:
                    total = builder.fadd(total, builder.load(sums[number]))
                if zero is not None:
                    total = builder.call(self.fma, [builder.fneg(zero), builder.load(self.data_sums[row]), total])
                before = builder.load(self.totals[number])
                builder.store(builder.call(self.fma, [total, scale, before]), self.totals[number])

    def _number_at(self, address: Any) -> Any:
        return spread(self.builder, load(self.builder, address, FLOAT))

    def end(self, output: Any, output_step: Any) -> None:
        """Store the sums of the lanes of all totals."""
        builder = self.builder
        for row in range(self.rows):
            for number in range(self.outputs):
                total = builder.load(self.totals[row * self.outputs + number])
                address = builder.add(offset(builder, output, output_step, row), int64(4 * number))
                store(builder, sum_of_lanes(builder, total), address)


@partial(intrinsic, prefer_literal=True)
def dots(
    _context: Any, kind: Any, rows: Any, outputs: Any, form: Any, has_zero: Any, data: Any, data_step: Any, codes: Any,
    step: Any, table: Any, scales: Any, zeros: Any, groups: Any, length: Any, output: Any, output_step: Any, ahead: Any,
) -> Any:  # fmt: skip
    """Store the dot products of some rows of data with some outputs, in groups of a form and a length.

    The form of codes of four bits is the number of groups in a block; where it is not 0, `length` is the row's. Codes
    `ahead` bytes further on are prefetched.
    """
    name, *sizes = KINDS[kind.literal_value], *(size.literal_value for size in (rows, outputs, form, has_zero))
    emit = nibble_dots.emit if name in nibble_dots.FLIPPED else _emit

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        emit(builder, name, sizes, arguments[5:])
        return context.get_dummy_value()

    return types.void(kind, rows, outputs, form, has_zero, *[types.int64] * 12), generate


def _emit(builder: Any, kind: str, sizes: Sequence[int], arguments: Sequence[Any]) -> None:
    data, data_step, codes, step, table, scales, zeros, groups, length, output, output_step, ahead = arguments
    kernel = _Dots(builder, kind, *sizes)
    clear(builder, kernel.totals)
    chunks, size = builder.udiv(length, int64(CHUNK)), builder.mul(groups, int64(4))
    with _tools.for_range_slice(builder, int64(0), groups, int64(1)) as (group, _):
        for registers in (*kernel.sums, kernel.data_sums):
            clear(builder, registers)
        first = builder.mul(group, chunks)
        with _tools.for_range_slice(builder, int64(0), chunks, int64(1)) as (chunk, _):
            number = builder.add(first, chunk)
            source = builder.add(data, builder.mul(number, int64(4 * CHUNK)))
            packed = builder.add(codes, builder.mul(number, int64(chunk_bytes(kind))))
            kernel.add_chunk(source, data_step, packed, step, table, ahead)
        at = builder.mul(group, int64(4))
        kernel.end_group(builder.add(scales, at), builder.add(zeros, at), size)
    kernel.end(output, output_step)
