"""The Gather family in one pass: a run of indices is checked, negative ones are wrapped, and its elements are copied.

Data is looked at as unsigned numbers of the size of an element, so that one loop serves all types; slices are moved as
memory. Single elements are copied as if all indices were in range, those that are not as the first element, and only a
run in which some were not is looked at again (`python -m benchmarks.forms` holds it against NumPy's `take`). Parts are
jobs of a crew, which begin sooner than those in Python.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ir_plugin.kernels.numba.gemm.products import bound
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.kernels.numpy.gather import SMALL_ELEMENTS, Shape, Taking, around
from ir_plugin.kernels.numpy.movement import in_order
from ir_plugin.kernels.thread_pool import shares
from ir_plugin.tensors import Array

DATA, INDICES, OUTPUT, SIZE, ROWS, PARTS, WRAP, FAILED, NUMBERS = range(9)
"""Places among the arguments of a job, behind which lengths stand: addresses, bytes of a slice (0 for single elements),
rows and parts, whether indices may count from the end, and whether one was out of range."""

ENDLESS = 2**60
"""Stands for the length of what a job reads: nothing is asked of it."""

RUN = np.uint64(2048)
"""Indices that are checked at once: 16 KB, half of a first-level cache."""

OUTSIDE, WITHIN, WRAPPED = range(3)


@register_jitable
def standing(indices: Array, numbers: Array, start: int, stop: int, length: int, wrap: bool) -> int:
    """Return whether an index in a run is outside, all are in [0, length), or some of them count from the end.

    `numbers` are the indices as unsigned numbers.
    """
    largest = numbers[start]
    for k in range(start, stop):
        largest = max(largest, numbers[k])
    if largest < length:
        return WITHIN
    lowest, highest = np.int64(0), np.int64(0)
    for k in range(start, stop):
        lowest, highest = min(lowest, np.int64(indices[k])), max(highest, np.int64(indices[k]))
    if highest >= np.int64(length) or lowest < (-np.int64(length) if wrap else 0):
        return OUTSIDE
    return WRAPPED if lowest < 0 else WITHIN


@register_jitable
def positive(index: int, length: int) -> int:
    """Return an index counted from the start, as an unsigned number, for one that may be counted from the end."""
    found: int = np.uint64(np.int64(index) + np.int64(length) if index < 0 else np.int64(index))
    return found


@register_jitable
def _take(data: Array, base: int, numbers: Array, at: int, output: Array, start: int, stop: int, length: int) -> bool:
    """Copy to the output [start, stop) the elements behind `base` at the indices that stand `at` places further.

    Returns whether all are below the length; what is not, is taken to be 0.
    """
    beyond = np.uint64(0)
    for k in range(start, stop):
        index = np.uint64(numbers[k + at])
        beyond |= np.uint64(index >= length)
        output[k] = data[base + (index if index < length else np.uint64(0))]
    good: bool = beyond == 0
    return good


@register_jitable
def _take_wrapped(
    data: Array, base: int, indices: Array, at: int, output: Array, start: int, stop: int, length: int
) -> None:
    """Copy as `_take` does at indices that are all in range, of which some count from the end."""
    for k in range(start, stop):
        output[k] = data[base + positive(indices[k + at], length)]


@register_jitable
def _take_columns(data: Array, base: int, numbers: Array, output: Array, start: int, length: int, behind: int) -> bool:
    """Copy to a row of the output, which begins at `start`, the element of its own column at each index, as `_take`."""
    beyond = np.uint64(0)
    for c in range(behind):
        index = np.uint64(numbers[start + c])
        beyond |= np.uint64(index >= length)
        output[start + c] = data[base + (index if index < length else np.uint64(0)) * behind + c]
    good: bool = beyond == 0
    return good


@register_jitable
def _move(a: Array, base: int, indices: Array, at: int, start: int, stop: int, length: int) -> None:
    """Copy slices as `_take` copies elements."""
    size = np.uint64(a[SIZE])
    source, target = np.uint64(a[DATA]) + base * size, np.uint64(a[OUTPUT])
    for k in range(start, stop):
        copy(np.int64(target + k * size), np.int64(source + positive(indices[k + at], length) * size), a[SIZE])


@register_jitable
def point(indices: Array, first: int, positions: Array, lead: Array, wrap: bool) -> bool:
    """Turn tuples of indices into positions in C order, which start as those of their batches; False if outside."""
    width = lead.shape[0]
    for place in range(width):
        length = np.int64(lead[place])
        lowest, highest = np.int64(0), np.int64(0)
        for k in range(positions.shape[0]):
            index = np.int64(indices[np.uint64((first + k) * width + place)])
            lowest, highest = min(lowest, index), max(highest, index)
            positions[k] = positions[k] * length + (index + length if index < 0 else index)
        if highest >= length or lowest < (-length if wrap else 0):
            return False
    return True


@register_jitable
def _elements(
    a: Array, data: Array, indices: Array, numbers: Array, output: Array, shape: Array, first: int, last: int
) -> bool:
    """Fill the rows [first, last) of an output [before, count, behind] from data [before, length, behind].

    `shape` holds length, count and behind; returns False where an index is out of range.
    """
    length, count, behind = shape[0], shape[1], shape[2]
    step, zero = max(RUN // behind, np.uint64(1)), np.uint64(0)
    row = first
    while row < last:
        place = row // count
        stop = min((place + np.uint64(1)) * count, row + step, last)
        base = place * length * behind
        if behind == 1:
            good = _take(data, base, numbers, zero, output, row, stop, length)
        else:
            good = True
            for line in range(row, stop):
                good &= _take_columns(data, base, numbers, output, line * behind, length, behind)
        if not good:
            if standing(indices, numbers, row * behind, stop * behind, length, a[WRAP] != 0) == OUTSIDE:
                return False
            for k in range(row * behind, stop * behind):
                output[k] = data[base + positive(indices[k], length) * behind + k % behind]
        row = stop
    return True


@register_jitable
def _slices(
    a: Array, data: Array, indices: Array, numbers: Array, output: Array, shape: Array, first: int, last: int
) -> bool:
    """Fill the slices [first, last) of an output [batch, before, count] from data [batch, before, length].

    `indices` are [batch, count]; `shape` holds before, length and count.
    """
    before, length, count = shape[0], shape[1], shape[2]
    start = first
    while start < last:
        slab = start // count
        stop = min((slab + np.uint64(1)) * count, start + RUN, last)
        given = slab // before * count + start % count
        at, base = given - start, slab * length
        if a[SIZE] != 0 or not _take(data, base, numbers, at, output, start, stop, length):
            if standing(indices, numbers, given, given + stop - start, length, a[WRAP] != 0) == OUTSIDE:
                return False
            if a[SIZE] != 0:
                _move(a, base, indices, at, start, stop, length)
            else:
                _take_wrapped(data, base, indices, at, output, start, stop, length)
        start = stop
    return True


@register_jitable
def _tuples(
    a: Array, data: Array, indices: Array, _numbers: Array, output: Array, shape: Array, first: int, last: int
) -> bool:
    """Fill the slices [first, last) of an output [batch, count] from data [batch, *lead].

    `indices` are [batch, count, len(lead)]; `shape` holds count, how many lengths lead, and these.
    """
    count, lead, zero = shape[0], shape[np.uint64(2) : np.uint64(2) + shape[1]], np.uint64(0)
    positions = np.empty(RUN, np.int64)
    start = first
    while start < last:
        slab = start // count
        stop = min((slab + np.uint64(1)) * count, start + RUN, last)
        found = positions[: stop - start]
        found[:] = slab
        if not point(indices, start, found, lead, a[WRAP] != 0):
            return False
        if a[SIZE] != 0:
            _move(a, zero, found, zero - start, start, stop, zero)
        else:
            _take_wrapped(data, zero, found, zero - start, output, start, stop, zero)
        start = stop
    return True


@cache
def kernel(type: str, item: int, index: str) -> int:
    """Return the job of an operation, for elements of so many bytes and indices of a type ("i4" or "i8")."""
    fill: Any = {"GatherElements": _elements, "Gather": _slices, "GatherND": _tuples}[type]
    given, unsigned, number = (np.dtype(name).type for name in (index, index.replace("i", "u"), f"u{item}"))

    @job
    def gather_part(address: int, part: int) -> None:
        a = carray(pointer(address), (NUMBERS,), np.int64)
        data, output = carray(pointer(a[DATA]), (ENDLESS,), number), carray(pointer(a[OUTPUT]), (ENDLESS,), number)
        indices = carray(pointer(a[INDICES]), (ENDLESS,), given)
        numbers = carray(pointer(a[INDICES]), (ENDLESS,), unsigned)
        shape = carray(pointer(address + 8 * NUMBERS), (ENDLESS,), np.uint64)
        first, last = np.uint64(bound(a[ROWS], a[PARTS], part)), np.uint64(bound(a[ROWS], a[PARTS], part + 1))
        if not fill(a, data, indices, numbers, output, shape, first, last):
            a[FAILED] = 1

    made: int = gather_part.address
    return made


def gather_elements(kernel: int, data: Shape, indices: Shape, axis: int, wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function for data and indices that agree in all but the axis."""
    before, length, behind = around(data, axis)
    return _shared(kernel, (length, indices[axis], behind), before * indices[axis], (behind, 0), wrap, spin_pool)


def gather(kernel: int, data: Shape, indices: Shape, axis: int, batch: int, wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function for slices of data along an axis; the first `batch` axes of both go together."""
    before, length, behind = around(data, axis)
    count = prod(indices[batch:])
    shape = (before // prod(data[:batch]), length, count)
    return _shared(kernel, shape, before * count, (behind, behind), wrap, spin_pool)


def gather_tuples(kernel: int, data: Shape, indices: Shape, batch: int, wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function for slices of data at tuples of indices; the first `batch` axes of both go together."""
    width = indices[-1]
    behind = prod(data[batch + width :])
    shape = (prod(indices[batch:-1]), width, *data[batch : batch + width])
    return _shared(kernel, shape, prod(indices[:-1]), (behind, behind), wrap, spin_pool)


def _shared(kernel: int, shape: Shape, rows: int, row: tuple[int, int], wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function that shares so many rows among threads; `row` is the elements of one, and of a slice."""
    parts = len(shares(rows, spin_pool, rows * row[0], SMALL_ELEMENTS))
    numbers = np.array([*[0] * NUMBERS, *shape], np.int64)
    numbers[[ROWS, PARTS, WRAP]] = rows, parts, wrap
    address = address_of(numbers)

    def run(data: Array, indices: Array, output: Array) -> bool:
        held = in_order(data), in_order(indices)
        numbers[[DATA, INDICES, OUTPUT]] = address_of(held[0]), address_of(held[1]), address_of(output)
        numbers[SIZE] = 0 if row[1] < 2 else row[1] * output.itemsize
        numbers[FAILED] = 0
        spin_pool.call(kernel, address, parts)
        return not numbers[FAILED]

    return run
