"""Functions that numba's machine code expects of numba's libraries, for processes that have not imported numba.

They own memory as numba's do: a header of `_HEADER` bytes with the number of references and, at `_DATA`, the address of
the data. They reshape arrays in C order only; compiled code asks for no others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils

_tools: Any = cgutils
_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER, _LONGS = _BYTE.as_pointer(), _LONG.as_pointer()
_HEADER, _DATA = 48, 24


def _long(value: int) -> Any:
    return ir.Constant(_LONG, value)


def _allocate(function: Any, builder: Any) -> None:
    """Emit a function that allocates memory of a size in bytes and an alignment, its arguments."""
    size, alignment = function.args[0], builder.zext(function.args[1], _LONG)
    allocate = ir.Function(function.module, ir.FunctionType(_POINTER, [_LONG]), "malloc")
    total = builder.add(builder.add(size, alignment), _long(_HEADER))
    header = builder.call(allocate, [total])
    with _tools.if_unlikely(builder, _tools.is_null(builder, header)):
        builder.ret(header)
    first = builder.add(builder.ptrtoint(header, _LONG), _long(_HEADER))
    data = builder.add(first, builder.sub(builder.sub(alignment, _long(1)), _remainder(builder, first, alignment)))
    for offset, value in ((0, _long(1)), (8, _long(0)), (16, _long(0)), (_DATA, data), (32, size), (40, _long(0))):
        field = builder.bitcast(builder.gep(header, [_long(offset)]), _LONGS)
        builder.store(value, field)
    builder.ret(header)


def _remainder(builder: Any, address: Any, alignment: Any) -> Any:
    """Return by how much the address before one exceeds a whole number of alignments."""
    return builder.urem(builder.sub(address, _long(1)), alignment)


def _free(function: Any, builder: Any) -> None:
    """Emit the release of memory without references."""
    free = ir.Function(function.module, ir.FunctionType(ir.VoidType(), [_POINTER]), "free")
    builder.call(free, [function.args[0]])
    builder.ret_void()


def _reshape(function: Any, builder: Any) -> None:
    """Emit the computation of strides for another shape; zero is returned where an array is not in C order."""
    rank, lengths, strides, new_rank, new_lengths, new_strides, itemsize, _ = function.args
    count = _tools.alloca_once_value(builder, _long(1))
    with _tools.for_range(builder, rank) as loop:
        length = builder.load(builder.gep(lengths, [loop.index]))
        builder.store(builder.mul(builder.load(count), length), count)
    step = _tools.alloca_once_value(builder, itemsize)
    with _tools.for_range(builder, rank) as loop:
        axis = builder.sub(builder.sub(rank, _long(1)), loop.index)
        length, stride = (builder.load(builder.gep(table, [axis])) for table in (lengths, strides))
        counts = builder.and_(
            builder.icmp_signed("!=", length, _long(1)), builder.icmp_signed("!=", builder.load(count), _long(0))
        )
        differs = builder.icmp_signed("!=", stride, builder.load(step))
        with _tools.if_unlikely(builder, builder.and_(counts, differs)):
            builder.ret(ir.Constant(_INT, 0))
        builder.store(builder.mul(builder.load(step), length), step)
    builder.store(itemsize, step)
    with _tools.for_range(builder, new_rank) as loop:
        axis = builder.sub(builder.sub(new_rank, _long(1)), loop.index)
        builder.store(builder.load(step), builder.gep(new_strides, [axis]))
        builder.store(builder.mul(builder.load(step), builder.load(builder.gep(new_lengths, [axis]))), step)
    builder.ret(ir.Constant(_INT, 1))


_SUPPORTED: dict[str, tuple[Any, Callable[[Any, Any], None]]] = {
    "NRT_MemInfo_alloc_aligned": (ir.FunctionType(_POINTER, [_LONG, _INT]), _allocate),
    "NRT_MemInfo_call_dtor": (ir.FunctionType(ir.VoidType(), [_POINTER]), _free),
    "numba_attempt_nocopy_reshape": (
        ir.FunctionType(_INT, [_LONG, _LONGS, _LONGS, _LONG, _LONGS, _LONGS, _LONG, _INT]), _reshape,
    ),
}  # fmt: skip


def define(module: Any, names: set[str]) -> set[str]:
    """Define the support functions in `names`, which a module's machine code calls; return their names."""
    defined = names & set(_SUPPORTED)
    for name in sorted(defined):
        kind, emit = _SUPPORTED[name]
        function = ir.Function(module, kind, name)
        emit(function, ir.IRBuilder(function.append_basic_block()))
    return defined
