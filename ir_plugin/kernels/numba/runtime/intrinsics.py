# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Intrinsics of compiled jobs: memory at an address, calls of an address, atomics, and Python's locks.

LLVM instructions are written by hand only here and in `gemm.micro_kernel`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

_numba: Any = numba
carray: Any = _numba.carray
_tools: Any = cgutils
_compiled_in: Callable[[Callable[..., Any]], Callable[..., Any]] = extending.intrinsic
"""Makes a compiled function of one that emits instructions; callers omit its first argument."""

_I64, _BYTE = ir.IntType(64), ir.IntType(8)


@_compiled_in
def pointer(_typing: Any, address: Any) -> Any:
    """Return an address as a pointer that `carray` takes."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], _BYTE.as_pointer())

    return types.voidptr(types.int64), generate


@_compiled_in
def load(_typing: Any, address: Any) -> Any:
    """Return the number at an address; what another thread stored before it is seen afterwards."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target = builder.inttoptr(arguments[0], _I64.as_pointer())
        return builder.load_atomic(target, "acquire", 8)

    return types.int64(types.int64), generate


@_compiled_in
def store(_typing: Any, address: Any, number: Any) -> Any:
    """Store a number at an address, behind all that this thread stored before."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target = builder.inttoptr(arguments[0], _I64.as_pointer())
        builder.store_atomic(arguments[1], target, "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@_compiled_in
def claim(_typing: Any, address: Any, before: Any, after: Any) -> Any:
    """Put `after` where `before` is, and return whether it was there; of several threads only one succeeds."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target = builder.inttoptr(arguments[0], _I64.as_pointer())
        exchange = builder.cmpxchg(target, arguments[1], arguments[2], "acq_rel", "acquire")
        return builder.extract_value(exchange, 1)

    return types.boolean(types.int64, types.int64, types.int64), generate


@_compiled_in
def fence(_typing: Any) -> Any:
    """Let other threads see what this thread stored before it loads anything else."""

    def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@_compiled_in
def call(_typing: Any, function: Any, arguments: Any, part: Any) -> Any:
    """Call the job at an address with the address of its arguments and the number of the part."""

    def generate(context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [_I64, _I64])
        builder.call(builder.inttoptr(operands[0], kind.as_pointer()), operands[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@_compiled_in
def copy(_typing: Any, target: Any, source: Any, size: Any) -> Any:
    """Copy bytes from one address to another."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target, source = (builder.inttoptr(address, _BYTE.as_pointer()) for address in arguments[:2])
        _tools.raw_memcpy(builder, target, source, arguments[2], ir.Constant(_I64, 1))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@_compiled_in
def clear(_typing: Any, target: Any, size: Any) -> Any:
    """Set bytes at an address to zero."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _tools.memset(builder, builder.inttoptr(arguments[0], _BYTE.as_pointer()), arguments[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def acquire_lock() -> int:
    """Return the address of Python's function that waits for a lock; it needs no interpreter."""
    return ctypes.cast(ctypes.pythonapi.PyThread_acquire_lock, ctypes.c_void_p).value or 0


def release_lock() -> int:
    """Return the address of Python's function that lets go of a lock, in whatever thread."""
    return ctypes.cast(ctypes.pythonapi.PyThread_release_lock, ctypes.c_void_p).value or 0


def held_lock() -> int:
    """Return the address of a new lock of Python's that is held, and is never given back."""
    lock = int(ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThread_allocate_lock", ctypes.pythonapi))())
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(acquire_lock())(lock, 1)
    return lock
