"""Micro-kernels: tiles of products, a few rows by a few registers of columns, whose sums stay in registers.

LLVM keeps the sums of a loop nest in memory, so the innermost part is written in LLVM's own instructions; all around it
is plain Python.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ir_plugin.kernels.numba.runtime.deferred import LazyModule, inline_llvm
from ir_plugin.kernels.numba.runtime.target import register_lanes, target_features

LANES = register_lanes()
"""Floats in a register of this processor."""
HAS_FMA = platform.machine().lower() not in ("x86_64", "amd64") or "fma" in target_features()
"""Whether the processor has fused multiply-add; without it the micro-kernels are slower than NumPy's BLAS."""
VECTORS = 3
"""The most registers of a tile's row; 12 sums, 3 weights and 1 factor fill the 16 registers of AVX2."""
TALL_ROWS = 8 if LANES == 16 else 4
"""The most rows of a tile of `VECTORS` registers: AVX-512 has room for 24 sums, which read weights half as often."""
_UNROLLED = 4

_TOOLS, types, ir = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types"), LazyModule("llvmlite.ir")


def integer(value: int) -> Any:
    """Return a constant of 64 bits."""
    return ir.Constant(ir.IntType(64), value)


def register_type(lanes: int) -> Any:
    """Return the LLVM type of a register, or a part of one, of `lanes` floats."""
    return ir.VectorType(ir.FloatType(), lanes)


class MicroKernel:
    """Emits the instructions of one tile: sums of products of rows of data, each at an address, with a panel.

    A panel has `vectors` registers of weights for each column of the data.
    """

    def __init__(self, builder: Any, rows: Sequence[Any], vectors: int, lanes: int = LANES) -> None:
        self.builder, self.rows, self.vectors, self.lanes = builder, rows, vectors, lanes
        vector = register_type(lanes)
        fused = ir.FunctionType(vector, [vector] * 3)
        self.fma = _TOOLS.get_or_insert_function(builder.module, fused, f"llvm.fma.v{lanes}f32")
        self.sums = [[_TOOLS.alloca_once(builder, vector) for _ in range(vectors)] for _ in rows]

    def at(self, base: Any, step: Any, row: int, vector: int) -> Any:
        """Return the address of a register of a row; rows are `step` bytes apart."""
        builder = self.builder
        offset = builder.add(builder.mul(step, integer(row)), integer(4 * self.lanes * vector))
        return builder.inttoptr(builder.add(base, offset), register_type(self.lanes).as_pointer())

    def spread(self, value: Any) -> Any:
        """Return a register full of one number."""
        builder, empty = self.builder, ir.Constant(register_type(self.lanes), ir.Undefined)
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return builder.shuffle_vector(
            builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0)), empty, lanes
        )

    def begin(self, start: Any, step: Any) -> None:
        """Load the sums from rows at an address."""
        for row, sums in enumerate(self.sums):
            for vector, total in enumerate(sums):
                self.builder.store(self.builder.load(self.at(start, step, row, vector), align=4), total)

    def add(self, offset: Any, panel: Any) -> None:
        """Add the products of the column at an offset, in bytes, with the weights at an address."""
        builder = self.builder
        weights = [builder.load(self.at(panel, integer(0), 0, vector), align=4) for vector in range(self.vectors)]
        for row, sums in zip(self.rows, self.sums, strict=True):
            address = builder.inttoptr(builder.add(row, offset), ir.FloatType().as_pointer())
            factor = self.spread(builder.load(address, align=4))
            for total, weight in zip(sums, weights, strict=True):
                builder.store(builder.call(self.fma, [factor, weight, builder.load(total)]), total)

    def add_run(self, first: Any, count: Any, panel: Any) -> None:
        """Add the products of neighbouring columns from an offset on."""
        builder, size = self.builder, 4 * self.lanes * self.vectors

        def add_column(index: Any) -> None:
            weights = builder.add(panel, builder.mul(index, integer(size)))
            self.add(builder.add(first, builder.mul(index, integer(4))), weights)

        whole = builder.and_(count, integer(-_UNROLLED))
        with _TOOLS.for_range_slice(builder, integer(0), whole, integer(_UNROLLED)) as (index, _):
            for offset in range(_UNROLLED):
                add_column(builder.add(index, integer(offset)))
        with _TOOLS.for_range_slice(builder, whole, count, integer(1)) as (index, _):
            add_column(index)

    def end(self, output: Any, step: Any, low: Any = None, high: Any = None) -> None:
        """Store the sums, cut to limits if there are any; NaN stays NaN, and Relu makes +0 of -0."""
        builder = self.builder
        limits = [(">", self.spread(high)), ("<=", self.spread(low))] if low is not None else []
        for row, sums in enumerate(self.sums):
            for vector, total in enumerate(sums):
                value = builder.load(total)
                for sign, limit in limits:
                    value = builder.select(builder.fcmp_ordered(sign, value, limit), limit, value)
                builder.store(value, self.at(output, step, row, vector), align=4)


def _read(builder: Any, table: Any, index: Any) -> Any:
    """Return a number of a table."""
    address = builder.add(table, builder.mul(index, integer(8)))
    return builder.load(builder.inttoptr(address, ir.IntType(64).as_pointer()))


def scattered(most: int, vectors: int) -> Any:
    """Build the function that computes a tile of up to `most` rows at the offsets `windows` in the data.

    A row consists of runs of neighbouring numbers, which begin at the same offsets in each row.
    """

    @inline_llvm(f"void({', '.join(['i8'] * 11)}, f4, f4)")
    def tile(builder: Any, *arguments: Any) -> None:
        def emit(builder: Any, count: int, arguments: Sequence[Any]) -> None:
            data, windows, offsets, runs, length, panel, output, output_step, start, start_step, low, high = arguments
            lines = [builder.add(data, _read(builder, windows, integer(row))) for row in range(count)]
            kernel = MicroKernel(builder, lines, vectors)
            kernel.begin(start, start_step)
            size = builder.mul(length, integer(4 * LANES * vectors))
            with _TOOLS.for_range_slice(builder, integer(0), runs, integer(1)) as (run, _):
                kernel.add_run(_read(builder, offsets, run), length, builder.add(panel, builder.mul(run, size)))
            kernel.end(output, output_step, low, high)

        emit_each(builder, range(1, most + 1), arguments, emit)

    return tile


def evenly(most: int, vectors: int) -> Any:
    """Build the function that computes a tile of up to `most` rows, which lie `data_step` bytes apart."""

    @inline_llvm(f"void({', '.join(['i8'] * 9)})")
    def tile(builder: Any, *arguments: Any) -> None:
        def emit(builder: Any, count: int, arguments: Sequence[Any]) -> None:
            data, data_step, panel, output, output_step, depth, start, start_step = arguments
            lines = [builder.add(data, builder.mul(data_step, integer(row))) for row in range(count)]
            kernel = MicroKernel(builder, lines, vectors)
            kernel.begin(start, start_step)
            kernel.add_run(integer(0), depth, panel)
            kernel.end(output, output_step)

        emit_each(builder, range(1, most + 1), arguments, emit)

    return tile


def emit_each(
    builder: Any, cases: Iterable[int], arguments: Sequence[Any], emit: Callable[[Any, int, Sequence[Any]], None]
) -> None:
    """Emit each case's instructions, guarded by a test whether the first argument equals the case."""
    chosen, *others = arguments
    for case in cases:
        with builder.if_then(builder.icmp_signed("==", chosen, integer(case))):
            emit(builder, case, others)
