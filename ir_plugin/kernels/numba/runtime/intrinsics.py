"""Intrinsics of compiled jobs: memory at an address, calls of an address, atomics, and Python's locks.

LLVM instructions are written by hand here, in `entry_points`, in `support_functions`, and in modules of `gemm`: the
micro-kernels, dot products, `decoding` and `vectors`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from ir_plugin.kernels.numba.runtime.deferred import Deferred, LazyModule, inline_llvm

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


@inline_llvm("voidptr(i8)")
def pointer(builder: Any, address: Any) -> Any:
    """Return an address as a pointer that `carray` takes."""
    return builder.inttoptr(address, _bytes())


@inline_llvm("i8(i8)")
def load(builder: Any, address: Any) -> Any:
    """Load the number at an address with acquire order: another thread's earlier stores are visible afterwards."""
    return builder.load_atomic(builder.inttoptr(address, _integer().as_pointer()), "acquire", 8)


@inline_llvm("void(i8, i8)")
def store(builder: Any, address: Any, number: Any) -> None:
    """Store a number at an address with release order: this thread's earlier stores become visible first."""
    builder.store_atomic(number, builder.inttoptr(address, _integer().as_pointer()), "release", 8)


@inline_llvm("b1(i8, i8, i8)")
def claim(builder: Any, address: Any, before: Any, after: Any) -> Any:
    """Put `after` where `before` is, and return whether it was there; of several threads only one succeeds."""
    target = builder.inttoptr(address, _integer().as_pointer())
    return builder.extract_value(builder.cmpxchg(target, before, after, "acq_rel", "acquire"), 1)


@inline_llvm("void()")
def fence(builder: Any) -> None:
    """Let other threads see what this thread stored before it loads anything else."""
    builder.fence("seq_cst")


@inline_llvm("void(i8, i8, i8)")
def call(builder: Any, function: Any, arguments: Any, part: Any) -> None:
    """Call the job at an address with the address of its arguments and the number of the part."""
    kind = _ir.FunctionType(_ir.VoidType(), [_integer(), _integer()])
    builder.call(builder.inttoptr(function, kind.as_pointer()), [arguments, part])


@inline_llvm("void(i8, i8, i8)")
def copy(builder: Any, target: Any, source: Any, size: Any) -> None:
    """Copy bytes from one address to another."""
    target, source = (builder.inttoptr(address, _bytes()) for address in (target, source))
    _tools.raw_memcpy(builder, target, source, size, _ir.Constant(_integer(), 1))


@inline_llvm("void(i8, i8, i8)")
def fill_bytes(builder: Any, target: Any, value: Any, size: Any) -> None:
    """Set bytes at an address to a value."""
    _tools.memset(builder, builder.inttoptr(target, _bytes()), size, builder.trunc(value, _ir.IntType(8)))


THREE_PLANES = 16
"""Bytes of each plane that `interleave_three` stores."""


@inline_llvm("void(i8, i8, i8)")
def interleave_three(builder: Any, target: Any, source: Any, plane: Any) -> None:
    """Store neighbouring bytes of three planes, whose first bytes lie `plane` bytes apart, beside each other."""
    kind, planes = _ir.VectorType(_integer(8), THREE_PLANES), []
    for _ in range(3):
        planes.append(builder.load(builder.inttoptr(source, kind.as_pointer()), align=1))
        source = builder.add(source, plane)
    both = _lanes(range(2 * THREE_PLANES))
    joined = [builder.shuffle_vector(planes[first], planes[second], both) for first, second in ((0, 1), (2, 2))]
    for part in range(0, 3 * THREE_PLANES, THREE_PLANES):
        mask = [THREE_PLANES * (position % 3) + position // 3 for position in range(part, part + THREE_PLANES)]
        output = builder.inttoptr(builder.add(target, _ir.Constant(_integer(), part)), kind.as_pointer())
        builder.store(builder.shuffle_vector(*joined, _lanes(mask)), output, align=1)


def _lanes(positions: Sequence[int]) -> Any:
    return _ir.Constant(_ir.VectorType(_integer(32), len(positions)), list(positions))


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
