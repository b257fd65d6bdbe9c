"""Memory for large results, used again once nobody holds the array of an earlier run.

The C library gives large arrays back to the system when they are dropped, and takes them anew page by page: 4 MB took
.3 ms so, where all of GatherElements took .4.
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
"""Bytes from which on results are leased: the C library keeps smaller ones."""


class BufferPool:
    """Arrays of one shape and type; the memory of one that was dropped is kept for the next."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._shape, self._dtype, self._size = shape, dtype, prod(shape) * dtype.itemsize
        self._holder: Any = ctypes.c_char * self._size
        self._free: list[Array] = []
        self._given: dict[int, weakref.ref[Any]] = {}

    def take(self) -> Array:
        """Return an array of which the elements may be anything."""
        try:
            memory = self._free.pop()
        except IndexError:
            memory = np.empty(self._size, np.uint8)
        holder: Any = self._holder.from_buffer(memory)
        self._given[id(memory)] = weakref.ref(holder, self._back(memory))
        made: Array = np.ndarray(self._shape, self._dtype, holder)
        return made

    def _back(self, memory: Array) -> Callable[[object], None]:
        """Return what is done when nobody holds an array in this memory any more."""

        def back(_holder: object) -> None:
            del self._given[id(memory)]
            if not self._free:
                self._free.append(memory)

        return back


def maker(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Callable[[], Array]:
    """Return what makes a new array in C order."""
    size = prod(shape) * dtype.itemsize
    if size < LARGE_BYTES or dtype.hasobject:
        return lambda: np.empty(shape, dtype)
    return BufferPool(shape, dtype).take
