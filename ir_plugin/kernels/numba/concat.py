"""Concatenation as a job of a crew: each row of the output is the rows of the inputs, one behind the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.numba.gemm.products import bound
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.tensors import Array

SMALL_BYTES = 2**15
"""Bytes of output below which one thread copies."""


@job
def _copy_rows(address: int, part: int) -> None:
    head = carray(pointer(address), (5,), np.int64)
    rows, parts, count, output, size = head[0], head[1], head[2], head[3], head[4]
    given = carray(pointer(address + 40), (count, 2), np.int64)
    start, end = bound(rows, parts, part), bound(rows, parts, part + 1)
    target = output + start * size
    for row in range(start, end):
        for number in range(count):
            source, width = given[number, 0], given[number, 1]
            copy(target, source + row * width, width)
            target += width


class Concat:
    """Inputs of so many rows, of so many bytes each, beside each other."""

    def __init__(self, rows: int, widths: Sequence[int], spin_pool: SpinPool) -> None:
        size = sum(widths)
        self._spin_pool = spin_pool
        self._parts = spin_pool.size if rows * size >= SMALL_BYTES else 1
        self._numbers = np.array([rows, self._parts, len(widths), 0, size, *[0, 0] * len(widths)], np.int64)
        self._numbers[6::2] = widths
        self._address = address_of(self._numbers)
        self._last: Sequence[Array] = ()

    def __call__(self, arrays: Sequence[Array]) -> bool:
        """Fill the last array from the others; return whether all lie in C order, without which nothing is done."""
        if self._last is not arrays:
            if not all(array.flags.c_contiguous for array in arrays):
                return False
            self._numbers[3] = address_of(arrays[-1])
            self._numbers[5::2] = [address_of(array) for array in arrays[:-1]]
            self._last = arrays
        self._spin_pool.call(_copy_rows.address, self._address, self._parts)
        return True
