"""Calls of compiled functions by Python: their arguments are packed into memory, and machine code is given its address.

The memory is a row of slots of eight bytes: whether the function failed, its result, and then its arguments. A number
takes a slot; an array takes one for its address, one for each length, and one for the stride of each axis in bytes.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels.jobs import native_function
from ir_plugin.kernels.numba.runtime.structs import ALIGNED, C_CONTIGUOUS, WRITEABLE, address_of

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


def packing_function(address: int, layout: CallLayout) -> Callable[..., Any]:
    """Return the Python function that packs its arguments for the machine code at an address."""
    native, parameters, has_result = native_function(address), layout.parameters, bool(layout.result)
    formats = "".join(_FORMATS[item] if isinstance(item, str) else "q" * slots_of(item) for item in parameters)
    arguments, head = struct.Struct(f"16x{formats}"), struct.Struct(f"q{_FORMATS[layout.result]}")
    flatten = None if all(isinstance(item, str) for item in parameters) else _flattening_function(parameters)
    pack, unpack, memory_type = arguments.pack_into, head.unpack_from, ctypes.c_char * arguments.size
    idle: list[tuple[ctypes.Array[ctypes.c_char], int]] = []
    """The memory that no call uses, with its address: as much as there were calls at a time."""

    def call(*values: Any) -> Any:
        slots = values if flatten is None else flatten(values)
        try:
            memory, start = idle.pop()
        except IndexError:
            memory = memory_type()
            start = ctypes.addressof(memory)
        try:
            pack(memory, 0, *slots)
        except struct.error as fault:
            raise TypeError(f"{_NO_FIT}: {fault}") from fault
        native(start, 0)
        head = unpack(memory)
        idle.append((memory, start))
        if head[0]:
            raise RuntimeError("a compiled kernel has failed")
        return head[1] if has_result else None

    return call


def _flattening_function(parameters: Sequence[Parameter]) -> Callable[[Sequence[Any]], list[Any]]:
    """Return the function that checks arguments and returns their slots."""
    count = len(parameters)
    arrays = [
        None if isinstance(item, str) else (np.dtype(item.dtype), item.rank, _flags_of(item)) for item in parameters
    ]

    def flatten(values: Sequence[Any]) -> list[Any]:
        if len(values) != count:
            raise TypeError(_NO_FIT)
        slots: list[Any] = []
        for array, value in zip(arrays, values, strict=True):
            if array is None:
                slots.append(value)
                continue
            dtype, rank, flags = array
            if not isinstance(value, np.ndarray) or value.ndim != rank or value.dtype != dtype:
                raise TypeError(_NO_FIT)
            if value.flags.num & flags != flags:
                raise TypeError(_NO_FIT)
            slots += (address_of(value), *value.shape, *value.strides)
        return slots

    return flatten


def _flags_of(parameter: ArrayParameter) -> int:
    """Return NumPy's flags that an array needs."""
    return ALIGNED | parameter.is_c_order * C_CONTIGUOUS | parameter.is_written * WRITEABLE
