"""Arrays with any strides in the arguments of jobs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.structs import address_of, struct
from ir_plugin.tensors import Array

STRIDED = struct("address stride_0 stride_1 stride_2 stride_3")
"""An array: its address, and the bytes from one element to the next along each axis."""


def strided(array: Array) -> tuple[int, ...]:
    """Return the fields of `STRIDED` for an array of four axes."""
    return address_of(array), *array.strides


@register_jitable
def strided_at(fields: Any, shape: tuple[int, int, int, int], dtype: Any) -> Any:
    """Return the array that `STRIDED` describes, of a shape and a constant type, in compiled code."""
    strides = (fields.stride_0, fields.stride_1, fields.stride_2, fields.stride_3)
    start = carray(pointer(fields.address), (1,), dtype)
    return np.lib.stride_tricks.as_strided(start, shape, strides)


def row_step(array: Array, rows: int) -> int:
    """Return the bytes from one row to the next; -1 unless rows are neighbours in memory, equally far apart."""
    if array.flags.c_contiguous:
        return array.nbytes // rows
    try:
        lines = np.reshape(array, (rows, -1), copy=False)
    except ValueError:
        return -1
    return lines.strides[0] if lines.strides[1] == array.itemsize and lines.strides[0] >= 0 else -1
