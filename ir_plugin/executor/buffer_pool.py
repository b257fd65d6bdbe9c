"""Buffer pools: the memory of large results, reused once no array of an earlier run is alive.

The C library returns large arrays to the system when they are freed, and maps new ones page by page, which
can take as long as the kernel that fills them.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ir_plugin.tensors import Array

LARGE_BYTES = 2**18
"""The least bytes of a pooled result; the C library reuses smaller ones itself."""


class _Loan(weakref.ref[Any]):
    """A reference to the holder of lent memory, which is equal to itself alone."""

    __slots__ = ("memory",)
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    memory: Array


class BufferPool:
    """Allocates arrays of one shape and type, in the memory of one that is no longer referenced if there is any."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._shape, self._dtype, self._size = shape, dtype, prod(shape) * dtype.itemsize
        self._holder: Any = ctypes.c_char * self._size
        self._free: list[Array] = []
        self._lent: set[_Loan] = set()

    def take(self) -> Array:
        """Return an uninitialized array."""
        try:
            memory = self._free.pop()
        except IndexError:
            memory = np.empty(self._size, np.uint8)
        holder: Any = self._holder.from_buffer(memory)
        loan = _Loan(holder, self._take_back)
        loan.memory = memory
        self._lent.add(loan)
        array: Array = np.ndarray(self._shape, self._dtype, holder)
        return array

    def _take_back(self, loan: _Loan) -> None:
        """Return memory to the pool, as its last array was dropped."""
        self._lent.remove(loan)
        if not self._free:
            self._free.append(loan.memory)


def result_allocator(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Callable[[], Array]:
    """Return the function that allocates results of this shape and type in C order, from a pool if they are large."""
    size = prod(shape) * dtype.itemsize
    if size < LARGE_BYTES or dtype.hasobject:
        return lambda: np.empty(shape, dtype)
    return BufferPool(shape, dtype).take
