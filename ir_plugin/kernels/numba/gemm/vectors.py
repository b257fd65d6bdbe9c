"""Registers of LLVM's: their types, and the instructions that load them, spread a number and pick lanes."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES
from ir_plugin.kernels.numba.runtime.deferred import LazyModule
from ir_plugin.kernels.numba.runtime.target import target_features

_tools = LazyModule("numba.core.cgutils")

_FEATURES = target_features()
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
HAS_PERMUTE_16, HAS_PERMUTE_8 = "avx512f" in _FEATURES, "avx2" in _FEATURES
CONVERTS_HALF = not _IS_X86 or "f16c" in _FEATURES

INT, FLOAT, SMALL, SHORT, BYTE = ir.IntType(64), ir.FloatType(), ir.IntType(32), ir.IntType(16), ir.IntType(8)
FLOATS, SMALLS, SHORTS, BYTES = (ir.VectorType(item, LANES) for item in (FLOAT, SMALL, SHORT, BYTE))
PAIR = tuple[Any, Any]
EVEN, ODD = range(0, 2 * LANES, 2), range(1, 2 * LANES, 2)
"""Every second lane of two registers."""

_TO_READ_INTO_NEAREST_CACHE = (0, 3, 1)
"""The arguments of `llvm.prefetch` after the address: a read, of data that is kept in all caches."""


def int64(value: int) -> Any:
    """Return a constant of 64 bits."""
    return ir.Constant(INT, value)


def constant(vector: Any, value: float) -> Any:
    """Return a register of one number in all lanes."""
    return ir.Constant(vector, [value] * vector.count)


def new_registers(builder: Any, count: int, vector: Any = FLOATS) -> list[Any]:
    """Return variables of a function, each of which LLVM keeps in a register."""
    return [_tools.alloca_once(builder, vector) for _ in range(count)]


def clear(builder: Any, variables: Sequence[Any]) -> None:
    """Set registers to zero."""
    for variable in variables:
        builder.store(constant(variable.type.pointee, 0), variable)


def load(builder: Any, address: Any, vector: Any) -> Any:
    """Load a vector from an address of any alignment."""
    return builder.load(builder.inttoptr(address, vector.as_pointer()), align=1)


def load_first(builder: Any, address: Any, vector: Any, count: Any) -> Any:
    """Return a register of the first `count` elements at an address, and zeros; what follows them is not read."""
    size, element = vector.count, vector.element
    bits = 32 if isinstance(element, ir.FloatType) else element.width
    name = f"llvm.masked.load.v{size}{'f' if element == FLOAT else 'i'}{bits}"
    mask_type = ir.VectorType(ir.IntType(1), size)
    pointer = vector.as_pointer()
    function = declare(builder, f"{name}.p0{name.rsplit('.', 1)[1]}", vector, [pointer, SMALL, mask_type, vector])
    lanes = ir.Constant(ir.VectorType(SMALL, size), list(range(size)))
    mask = builder.icmp_unsigned("<", lanes, spread(builder, builder.trunc(count, SMALL), size))
    zeros = ir.Constant(vector, [0] * size)
    return builder.call(function, [builder.inttoptr(address, pointer), ir.Constant(SMALL, 1), mask, zeros])


def store(builder: Any, values: Any, address: Any) -> None:
    """Store a register at an address of any alignment."""
    builder.store(values, builder.inttoptr(address, values.type.as_pointer()), align=1)


def offset(builder: Any, address: Any, step: Any, count: int) -> Any:
    """Return an address `count` steps further."""
    return builder.add(address, builder.mul(step, int64(count))) if count else address


def spread(builder: Any, value: Any, lanes: int = LANES) -> Any:
    """Return a register of one number in all lanes."""
    empty = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    return pick(builder, (builder.insert_element(empty, value, ir.Constant(SMALL, 0)), empty), [0] * lanes)


def pick(builder: Any, pair: Sequence[Any], lanes: Sequence[int]) -> Any:
    """Return a register of some lanes of two."""
    return builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(SMALL, len(lanes)), list(lanes)))


def declare(builder: Any, name: str, result: Any, arguments: Sequence[Any]) -> Any:
    """Return a function of LLVM's."""
    return _tools.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


def prefetch(builder: Any, address: Any) -> None:
    """Fetch the line of an address into the caches."""
    function = declare(builder, "llvm.prefetch.p0i8", ir.VoidType(), [BYTE.as_pointer(), SMALL, SMALL, SMALL])
    flags = [ir.Constant(SMALL, flag) for flag in _TO_READ_INTO_NEAREST_CACHE]
    builder.call(function, [builder.inttoptr(address, BYTE.as_pointer()), *flags])


def look_up(builder: Any, table: Any, index: Any) -> Any:
    """Return the numbers of a table of 16 at the lowest four bits of each index."""
    if HAS_PERMUTE_16:
        permute = declare(builder, "llvm.x86.avx512.permvar.sf.512", FLOATS, [FLOATS, SMALLS])
        return builder.call(permute, [load(builder, table, FLOATS), index])
    if HAS_PERMUTE_8:
        permute = declare(builder, "llvm.x86.avx2.permps", FLOATS, [FLOATS, SMALLS])
        halves = [load(builder, builder.add(table, int64(32 * half)), FLOATS) for half in range(2)]
        low, high = (builder.call(permute, [half, index]) for half in halves)
        is_high = builder.icmp_signed("<", builder.shl(index, constant(SMALLS, 28)), constant(SMALLS, 0))
        return builder.select(is_high, high, low)
    numbers, index = ir.Constant(FLOATS, ir.Undefined), builder.and_(index, constant(SMALLS, 15))
    for lane in range(LANES):
        at = builder.zext(builder.extract_element(index, ir.Constant(SMALL, lane)), INT)
        number = load(builder, builder.add(table, builder.mul(at, int64(4))), FLOAT)
        numbers = builder.insert_element(numbers, number, ir.Constant(SMALL, lane))
    return numbers


def sum_of_lanes(builder: Any, values: Any) -> Any:
    """Return the sum of a register's lanes."""
    width = LANES
    while width > 1:
        width //= 2
        low, high = (pick(builder, (values, values), range(first, first + width)) for first in (0, width))
        values = builder.fadd(low, high)
    return builder.extract_element(values, ir.Constant(SMALL, 0))
