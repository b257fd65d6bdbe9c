# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Intrinsics of compiled jobs: memory at an address, calls of an address, atomics, and Python's locks.

LLVM instructions are written by hand only here and in `gemm.micro_kernel`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ir_plugin.kernels.numba.runtime.deferred import Deferred, LazyModule, intrinsic

_numba, _types, _tools = LazyModule("numba"), LazyModule("numba.core.types"), LazyModule("numba.core.cgutils")
_ir = LazyModule("llvmlite.ir")

carray: Any = Deferred(lambda: _numba.carray)
"""Returns the array of a shape and type at a pointer."""


def _integer(bits: int = 64) -> Any:
    return _ir.IntType(bits)


def _bytes() -> Any:
    return _integer(8).as_pointer()


def external(name: str) -> Any:
    """Return a function without arguments that the process exports, and that returns a number of 32 bits."""
    return Deferred(lambda: _types.ExternalFunction(name, _types.int32()))


@intrinsic
def pointer(_typing: Any, address: Any) -> Any:
    """Return an address as a pointer that `carray` takes."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], _bytes())

    return _types.voidptr(_types.int64), generate


@intrinsic
def load(_typing: Any, address: Any) -> Any:
    """Return the number at an address; what another thread stored before it is seen afterwards."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target = builder.inttoptr(arguments[0], _integer().as_pointer())
        return builder.load_atomic(target, "acquire", 8)

    return _types.int64(_types.int64), generate


@intrinsic
def store(_typing: Any, address: Any, number: Any) -> Any:
    """Store a number at an address, behind all that this thread stored before."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target = builder.inttoptr(arguments[0], _integer().as_pointer())
        builder.store_atomic(arguments[1], target, "release", 8)
        return context.get_dummy_value()

    return _types.void(_types.int64, _types.int64), generate


@intrinsic
def claim(_typing: Any, address: Any, before: Any, after: Any) -> Any:
    """Put `after` where `before` is, and return whether it was there; of several threads only one succeeds."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target = builder.inttoptr(arguments[0], _integer().as_pointer())
        exchange = builder.cmpxchg(target, arguments[1], arguments[2], "acq_rel", "acquire")
        return builder.extract_value(exchange, 1)

    return _types.boolean(_types.int64, _types.int64, _types.int64), generate


@intrinsic
def fence(_typing: Any) -> Any:
    """Let other threads see what this thread stored before it loads anything else."""

    def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return _types.void(), generate


@intrinsic
def call(_typing: Any, function: Any, arguments: Any, part: Any) -> Any:
    """Call the job at an address with the address of its arguments and the number of the part."""

    def generate(context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
        kind = _ir.FunctionType(_ir.VoidType(), [_integer(), _integer()])
        builder.call(builder.inttoptr(operands[0], kind.as_pointer()), operands[1:])
        return context.get_dummy_value()

    return _types.void(_types.int64, _types.int64, _types.int64), generate


@intrinsic
def copy(_typing: Any, target: Any, source: Any, size: Any) -> Any:
    """Copy bytes from one address to another."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target, source = (builder.inttoptr(address, _bytes()) for address in arguments[:2])
        _tools.raw_memcpy(builder, target, source, arguments[2], _ir.Constant(_integer(), 1))
        return context.get_dummy_value()

    return _types.void(_types.int64, _types.int64, _types.int64), generate


@intrinsic
def fill_bytes(_typing: Any, target: Any, value: Any, size: Any) -> Any:
    """Set bytes at an address to a value."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target, value, size = arguments
        byte = builder.trunc(value, _ir.IntType(8))
        _tools.memset(builder, builder.inttoptr(target, _bytes()), size, byte)
        return context.get_dummy_value()

    return _types.void(_types.int64, _types.int64, _types.int64), generate


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
