"""Dot products with codes of four bits, in registers: LLVM's own instructions.

A block is `BLOCK` neighbouring codes. They are a register of dwords, whose lanes have eight codes each: one shift makes
the next code of every lane the lowest. The data are stored in that order first: a block of them is a register of the
first elements of all lanes, one of the second, and so on, and at last one of the sums of each lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.vectors import (
    EVEN,
    FLOAT,
    FLOATS,
    INT,
    ODD,
    SMALLS,
    clear,
    constant,
    declare,
    int64,
    load,
    load_first,
    look_up,
    new_registers,
    offset,
    pick,
    prefetch,
    spread,
    store,
    sum_of_lanes,
)  # fmt: skip
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, inline_llvm

_tools, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")

CODES = 8
"""Codes of a lane."""
BLOCK = CODES * LANES
BLOCK_NUMBERS = (CODES + 1) * LANES
"""Numbers of a block of data in the order of its codes."""
FLIPPED = {"table": 0, "i4": 0, "u4": 0x88888888 - 2**32}
"""What turns dwords of codes of four bits into codes with signs, by how they are decoded."""


def groups_of_block(group_size: int) -> int:
    """Return how many whole groups a block has; 0 where groups are longer, or divide no block."""
    return BLOCK // group_size if group_size % CODES == 0 and BLOCK % group_size == 0 else 0


def _residues(builder: Any, registers: Sequence[Any]) -> list[Any]:
    """Return registers of every n-th element of n registers: from the first on, from the second on, and so on."""
    if len(registers) == 1:
        return list(registers)
    pairs = list(zip(registers[::2], registers[1::2], strict=True))
    even, odd = (_residues(builder, [pick(builder, pair, lanes) for pair in pairs]) for lanes in (EVEN, ODD))
    return [register for both in zip(even, odd, strict=True) for register in both]


@inline_llvm("void(i8, i8, i8)")
def order_block(builder: Any, source: Any, count: Any, target: Any) -> None:
    """Store a block of data, of which `count` elements are there and the others become 0, in the order of its codes."""
    registers = []
    for number in range(CODES):
        first = int64(LANES * number)
        is_inside = builder.icmp_signed(">", count, first)
        rest = builder.select(is_inside, builder.sub(count, first), int64(0))
        address = builder.add(source, int64(4 * LANES * number))
        registers.append(load_first(builder, address, FLOATS, rest))
    ordered = _residues(builder, registers)
    total = ordered[0]
    for register in ordered[1:]:
        total = builder.fadd(total, register)
    for number, register in enumerate([*ordered, total]):
        store(builder, register, builder.add(target, int64(4 * LANES * number)))


@dataclass(frozen=True)
class _Addresses:
    """Where the operands are: ordered data, a table, scales and zero points; and bytes from one to the next."""

    data: Any
    data_step: Any
    step: Any
    table: Any
    scales: Any
    zeros: Any
    groups_step: Any
    ahead: Any


class _NibbleDots:
    """Emits dot products of rows of ordered data with outputs, block by block.

    A block has `parts` whole groups, or where that is 0, a group has some blocks, of which the last may be shorter.
    """

    def __init__(self, builder: Any, kind: str, rows: int, outputs: int, parts: int, has_zero: int) -> None:
        self.builder, self.kind, self.parts, self.has_zero = builder, kind, parts, has_zero
        self.rows, self.outputs = rows, outputs
        self.pairs = [(row, output) for row in range(rows) for output in range(outputs)]
        self.multiply_add = declare(builder, f"llvm.fma.v{LANES}f32", FLOATS, [FLOATS] * 3)
        self.ways = 2 if len(self.pairs) <= 4 and not parts else 1
        self.totals = new_registers(builder, len(self.pairs))
        self.sums = [] if parts else [new_registers(builder, len(self.pairs)) for _ in range(self.ways)]
        self.data_sums = new_registers(builder, 0 if parts else rows)

    def _fma(self, *operands: Any) -> Any:
        return self.builder.call(self.multiply_add, operands)

    def add_block(self, a: _Addresses, number: Any, codes: Any, group: Any, lanes: Any = None) -> None:
        """Add the products of a block of each output with each row; a last block may have fewer `lanes`."""
        builder = self.builder
        data = builder.add(a.data, builder.mul(number, int64(4 * BLOCK_NUMBERS)))
        dwords = [
            self._dwords(offset(builder, codes, a.step, output), lanes, a.ahead) for output in range(self.outputs)
        ]
        data_sums = [self._data(data, a, row, CODES) for row in range(self.rows if self.has_zero else 0)]
        sums = self._sums_before(a, data_sums, group, lanes)
        for nibble in range(CODES):
            values = [self._data(data, a, row, nibble) for row in range(self.rows)]
            weights = [self._decoded(words, a.table, nibble) for words in dwords]
            if sums:
                totals = sums[nibble % self.ways]
                totals[:] = [
                    self._fma(weights[output], values[row], total)
                    for (row, output), total in zip(self.pairs, totals, strict=True)
                ]
            else:
                sums = [[builder.fmul(weights[output], values[row]) for row, output in self.pairs]]
        if self.parts:
            scales = [self._of_groups(a.scales, a, group, output, lanes) for output in range(self.outputs)]
            self._add_scaled(scales, sums[0])
        else:
            self._keep(sums, data_sums)

    def _sums_before(self, a: _Addresses, data_sums: Sequence[Any], group: Any, lanes: Any) -> list[list[Any]]:
        """Return the initial sums of a block: the sums of its group so far, or the negative products of zero points."""
        builder = self.builder
        if not self.parts:
            return [[builder.load(register) for register in registers] for registers in self.sums]
        if not self.has_zero:
            return []
        zeros = [self._of_groups(a.zeros, a, group, output, lanes) for output in range(self.outputs)]
        return [[builder.fmul(builder.fneg(zeros[output]), data_sums[row]) for row, output in self.pairs]]

    def _keep(self, sums: Sequence[Sequence[Any]], data_sums: Sequence[Any]) -> None:
        """Store the sums of a group, and add the data's."""
        for registers, totals in zip(self.sums, sums, strict=True):
            for register, total in zip(registers, totals, strict=True):
                self.builder.store(total, register)
        for register, total in zip(self.data_sums if data_sums else (), data_sums, strict=True):
            self.builder.store(self.builder.fadd(self.builder.load(register), total), register)

    def _dwords(self, address: Any, lanes: Any, ahead: Any) -> Any:
        builder = self.builder
        if lanes is None:
            prefetch(builder, builder.add(address, ahead))
        words = load(builder, address, SMALLS) if lanes is None else load_first(builder, address, SMALLS, lanes)
        return builder.xor(words, constant(SMALLS, FLIPPED[self.kind])) if FLIPPED[self.kind] else words

    def _data(self, data: Any, a: _Addresses, row: int, nibble: int) -> Any:
        address = offset(self.builder, data, a.data_step, row)
        return load(self.builder, self.builder.add(address, int64(4 * LANES * nibble)), FLOATS)

    def _decoded(self, words: Any, table: Any, nibble: int) -> Any:
        """Return the numbers of one nibble of all dwords."""
        builder, bits = self.builder, 32 // CODES
        if self.kind == "table":
            return look_up(builder, table, builder.lshr(words, constant(SMALLS, bits * nibble)) if nibble else words)
        left = 32 - bits * (nibble + 1)
        high = builder.shl(words, constant(SMALLS, left)) if left else words
        return builder.sitofp(builder.ashr(high, constant(SMALLS, 32 - bits)), FLOATS)

    def _of_groups(self, numbers: Any, a: _Addresses, group: Any, output: int, lanes: Any) -> Any:
        """Return the scale or zero point of each lane of a block, whose first group is `group`."""
        builder = self.builder
        address = builder.add(offset(builder, numbers, a.groups_step, output), builder.mul(group, int64(4)))
        if self.parts == 1:
            return spread(builder, load(builder, address, FLOAT))
        vector = ir.VectorType(FLOAT, self.parts)
        if lanes is None:
            loaded = load(builder, address, vector)
        else:
            loaded = load_first(builder, address, vector, builder.udiv(lanes, int64(LANES // self.parts)))
        return pick(builder, (loaded, loaded), [lane * self.parts // LANES for lane in range(LANES)])

    def end_group(self, a: _Addresses, group: Any) -> None:
        """Add the sums of a group of blocks, less the zero point's, times the scale to the totals."""
        builder = self.builder
        scales, zeros = (
            [self._number_at(offset(builder, numbers, a.groups_step, output), group) for output in range(self.outputs)]
            for numbers in (a.scales, a.zeros)
        )
        totals = [builder.load(register) for register in self.sums[0]]
        for registers in self.sums[1:]:
            totals = [builder.fadd(total, builder.load(more)) for total, more in zip(totals, registers, strict=True)]
        if self.has_zero:
            totals = [
                self._fma(builder.fneg(zeros[output]), builder.load(self.data_sums[row]), total)
                for (row, output), total in zip(self.pairs, totals, strict=True)
            ]
        self._add_scaled(scales, totals)

    def _number_at(self, address: Any, group: Any) -> Any:
        address = self.builder.add(address, self.builder.mul(group, int64(4)))
        return spread(self.builder, load(self.builder, address, FLOAT))

    def _add_scaled(self, scales: Sequence[Any], sums: Sequence[Any]) -> None:
        for (_, output), total, register in zip(self.pairs, sums, self.totals, strict=True):
            self.builder.store(self._fma(total, scales[output], self.builder.load(register)), register)

    def end(self, output: Any, output_step: Any) -> None:
        """Store the sums of the lanes of all totals."""
        builder = self.builder
        for (row, number), register in zip(self.pairs, self.totals, strict=True):
            address = builder.add(offset(builder, output, output_step, row), int64(4 * number))
            store(builder, sum_of_lanes(builder, builder.load(register)), address)


def emit(builder: Any, kind: str, sizes: Sequence[int], arguments: Sequence[Any]) -> None:
    """Emit the dot products of rows of ordered data with outputs; see `dots.dots`."""
    data, data_step, codes, step, table, scales, zeros, groups, length, output, output_step, ahead = arguments
    a = _Addresses(data, data_step, step, table, scales, zeros, builder.mul(groups, int64(4)), ahead)
    kernel = _NibbleDots(builder, kind, *sizes)
    clear(builder, kernel.totals)
    whole, rest = builder.udiv(length, int64(BLOCK)), builder.urem(length, int64(BLOCK))
    has_rest = builder.icmp_unsigned("!=", rest, int64(0))
    blocks, of_block = builder.add(whole, builder.zext(has_rest, INT)), int64(kernel.parts)
    with _tools.for_range_slice(builder, int64(0), int64(1) if kernel.parts else groups, int64(1)) as (index, _):
        clear(builder, [*kernel.data_sums, *(register for registers in kernel.sums for register in registers)])
        first, start = (
            builder.mul(index, blocks),
            builder.add(codes, builder.mul(index, builder.lshr(length, int64(1)))),
        )
        with _tools.for_range_slice(builder, int64(0), whole, int64(1)) as (number, _):
            address = builder.add(start, builder.mul(number, int64(BLOCK // 2)))
            kernel.add_block(a, builder.add(first, number), address, builder.mul(number, of_block))
        with builder.if_then(has_rest):
            address, lanes = builder.add(start, builder.mul(whole, int64(BLOCK // 2))), builder.udiv(rest, int64(CODES))
            kernel.add_block(a, builder.add(first, whole), address, builder.mul(whole, of_block), lanes)
        if not kernel.parts:
            kernel.end_group(a, index)
    kernel.end(output, output_step)
