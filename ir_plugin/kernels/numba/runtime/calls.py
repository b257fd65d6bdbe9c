"""Calls of compiled functions by Python: their arguments are packed into memory, and machine code is given its address.

The memory is a row of slots of eight bytes: whether the function failed, its result, and then its arguments. A number
takes a slot; an array takes one for its address, one for each length, and one for the stride of each axis in bytes.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels.numba.runtime.structs import address_of

FAILED, RESULT, ARGUMENTS = 0, 1, 2
"""The slots of the failure and of the result, and the first slot of the arguments."""
_FORMATS = {"i": "q", "f": "d", "b": "?7x", "": "8x"}
"""How `struct` packs a slot for each kind of number, and for none."""
_NO_FIT = "the arguments fit no form of a compiled kernel"


class ArrayParameter(NamedTuple):
    """The arrays that a function takes: their type, rank, order and whether they are written to."""

    dtype: str
    rank: int
    is_c_order: bool
    is_written: bool


Parameter: TypeAlias = "ArrayParameter | str"
"""An array, or the kind of a number: i, f or b."""


class CallLayout(NamedTuple):
    """The parameters of a function and the kind of its result, which is empty where it has none."""

    parameters: tuple[Parameter, ...]
    result: str


def slots_of(parameter: Parameter) -> int:
    """Return how many slots an argument takes."""
    return 1 if isinstance(parameter, str) else 1 + 2 * parameter.rank


def native_function(address: int) -> Callable[[int, int], None]:
    """Return the C function of two integers at an address; Python's lock is released while it runs."""
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(address)


def packing_function(address: int, layout: CallLayout) -> Callable[..., Any]:
    """Return the Python function that packs its arguments for the machine code at an address."""
    native, parameters, count = native_function(address), layout.parameters, len(layout.parameters)
    formats = "".join(_FORMATS[item] if isinstance(item, str) else "q" * slots_of(item) for item in parameters)
    arguments, head = struct.Struct(f"16x{formats}"), struct.Struct(f"q{_FORMATS[layout.result]}")
    checks = tuple(None if isinstance(item, str) else _slots_function(item) for item in parameters)
    memory_type = ctypes.c_char * arguments.size

    def call(*values: Any) -> Any:
        if len(values) != count:
            raise TypeError(_NO_FIT)
        slots: list[Any] = []
        for check, value in zip(checks, values, strict=True):
            if check is None:
                slots.append(value)
            else:
                slots += check(value)
        memory = memory_type()
        try:
            arguments.pack_into(memory, 0, *slots)
        except struct.error as fault:
            raise TypeError(f"{_NO_FIT}: {fault}") from fault
        native(ctypes.addressof(memory), 0)
        failed, *result = head.unpack_from(memory)
        if failed:
            raise RuntimeError("a compiled kernel has failed")
        return result[0] if result else None

    return call


def _slots_function(parameter: ArrayParameter) -> Callable[[Any], tuple[int, ...]]:
    """Return the function that checks an array and returns its slots."""
    dtype, rank = np.dtype(parameter.dtype), parameter.rank
    is_c_order, is_written = parameter.is_c_order, parameter.is_written

    def slots(array: Any) -> tuple[int, ...]:
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != rank:
            raise TypeError(_NO_FIT)
        flags = array.flags
        if not flags.aligned or (is_c_order and not flags.c_contiguous) or (is_written and not flags.writeable):
            raise TypeError(_NO_FIT)
        return address_of(array), *array.shape, *array.strides

    return slots
