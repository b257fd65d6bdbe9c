"""Structs that Python fills by field name and compiled code reads at an address: NumPy's structured types."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.tensors import Array

Struct: TypeAlias = "np.dtype[np.void]"

C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
"""Bits of `ndarray.flags.num`, which NumPy's C API fixes."""
_START: Any = ctypes.c_char * 0
"""The type of the memory at the start of an array, of which none is read."""


def struct(integers: str, base: Struct | None = None, **others: object) -> Struct:
    """Return a struct of the fields of `base`, 64-bit integers by name, and fields of other types.

    A function that reads `base` at an address also reads every struct that extends it.
    """
    fields: list[Any] = [] if base is None else [(name, base[name]) for name in base.names or ()]
    fields += [(name, np.int64) for name in integers.split()]
    return np.dtype([*fields, *others.items()], align=True)


def filled(dtype: Struct, **values: object) -> Array:
    """Return a struct with these values, and zeros in the fields that are not named."""
    fields = np.zeros((), dtype)
    fill(fields, **values)
    return fields


def fill(fields: Array, **values: object) -> None:
    """Write fields by name."""
    for name, value in values.items():
        fields[name] = value


@register_jitable
def arguments_at(address: int, dtype: Struct) -> Any:
    """Return the struct at an address; compiled code reads its fields as attributes."""
    return carray(pointer(address), (1,), dtype)[0]


def address_of(array: Array) -> int:
    """Return where the first element of an array lies.

    One that can be written to is the fast case, if its type is NumPy's own: of others it exports no buffer. An empty
    part is in C order, as a buffer must be.
    """
    flags = array.flags.num
    if flags & WRITEABLE and array.dtype.isbuiltin == 1:
        return ctypes.addressof(_START.from_buffer(array if flags & C_CONTIGUOUS else array[:0]))
    return int(array.ctypes.data)
