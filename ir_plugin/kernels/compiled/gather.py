"""The Gather family in one pass: a run of indices is checked, negative ones are wrapped, and its elements are copied.

Data is looked at as unsigned numbers of the size of an element, so that one loop serves all types. A run of indices is
first compared with the limits, which the processor does several at a time, and then used without a check: in one
thread, 1000x1000 f32 along axis 1 took 0.53 ms so, 0.8 ms with the check in the same loop, and 1.57 ms as NumPy's
`take` of positions in blocks. Slices that are no single number stay with `take`, which moves them as memory: of eight
numbers 5.7 ns each, in a loop here 13 ns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numba.extending import register_jitable

from ir_plugin.kernels.compiled.jit import compiled, given
from ir_plugin.kernels.gather import SMALL_ELEMENTS, Shape, Taking, around
from ir_plugin.kernels.team import Team, shares
from ir_plugin.tensors import Array

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
def _take(
    data: Array, base: int, indices: Array, at: int, output: Array, start: int, stop: int, length: int, negative: bool
) -> None:
    """Copy to the output [start, stop) the elements behind `base` at the indices that stand `at` places further."""
    if negative:
        for k in range(start, stop):
            output[k] = data[base + positive(indices[k + at], length)]
    else:
        for k in range(start, stop):
            output[k] = data[base + np.uint64(indices[k + at])]


@register_jitable
def _take_columns(
    data: Array, base: int, indices: Array, output: Array, start: int, length: int, behind: int, negative: bool
) -> None:
    """Copy to a row of the output, which begins at `start`, the element of its own column at each index."""
    if negative:
        for c in range(behind):
            output[start + c] = data[base + positive(indices[start + c], length) * behind + c]
    else:
        for c in range(behind):
            output[start + c] = data[base + np.uint64(indices[start + c]) * behind + c]


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


def _elements(
    data: Array, indices: Array, numbers: Array, output: Array, shape: Array, first: int, last: int, wrap: bool
) -> bool:
    """Fill the rows [first, last) of an output [before, count, behind] from data [before, length, behind].

    `shape` holds length, count and behind; returns False where an index is out of range.
    """
    length, count, behind = shape
    step = max(RUN // behind, np.uint64(1))
    for start in range(first, last, step):
        end = min(start + step, last)
        found = standing(indices, numbers, start * behind, end * behind, length, wrap)
        if found == OUTSIDE:
            return False
        row = start
        while row < end:
            place = row // count
            stop = min((place + np.uint64(1)) * count, end)
            base = place * length * behind
            if behind == 1:
                _take(data, base, indices, np.uint64(0), output, row, stop, length, found == WRAPPED)
            else:
                for line in range(row, stop):
                    _take_columns(data, base, indices, output, line * behind, length, behind, found == WRAPPED)
            row = stop
    return True


def _slices(
    data: Array, indices: Array, numbers: Array, output: Array, shape: Array, first: int, last: int, wrap: bool
) -> bool:
    """Fill the elements [first, last) of an output [batch, before, count] from data [batch, before, length].

    `indices` are [batch, count]; `shape` holds before, length and count.
    """
    before, length, count = shape
    start = first
    while start < last:
        slab = start // count
        stop = min((slab + np.uint64(1)) * count, start + RUN, last)
        given = slab // before * count + start % count
        found = standing(indices, numbers, given, given + stop - start, length, wrap)
        if found == OUTSIDE:
            return False
        _take(data, slab * length, indices, given - start, output, start, stop, length, found == WRAPPED)
        start = stop
    return True


def _tuples(
    data: Array, indices: Array, _numbers: Array, output: Array, shape: Array, first: int, last: int, wrap: bool
) -> bool:
    """Fill the elements [first, last) of an output [batch, count] from data [batch, *lead].

    `indices` are [batch, count, len(lead)]; `shape` holds count and lead.
    """
    count, lead = shape[0], shape[1:]
    positions = np.empty(RUN, np.int64)
    start = first
    while start < last:
        slab = start // count
        stop = min((slab + np.uint64(1)) * count, start + RUN, last)
        found = positions[: stop - start]
        found[:] = slab
        if not point(indices, start, found, lead, wrap):
            return False
        zero = np.uint64(0)
        _take(data, zero, found, zero - start, output, start, stop, zero, False)
        start = stop
    return True


Kernel: TypeAlias = Callable[[Array, Array, Array, Array, Array, int, int, bool], bool]


@cache
def kernel(type: str, item: int, index: str) -> Kernel:
    """Return the kernel of an operation, for elements of so many bytes and indices of a type ("i4" or "i8")."""
    function: Any = {"GatherElements": _elements, "Gather": _slices, "GatherND": _tuples}[type]
    numbers = f"u{item}"
    inputs = ", ".join(given(1, type) for type in (numbers, index, index.replace("i", "u")))
    made: Kernel = compiled(f"b1({inputs}, {numbers}[::1], u8[::1], u8, u8, b1)")(function)
    return made


def gather_elements(kernel: Kernel, data: Shape, indices: Shape, axis: int, wrap: bool, team: Team) -> Taking:
    """Return the function for data and indices that agree in all but the axis."""
    before, length, behind = around(data, axis)
    return _shared(kernel, (length, indices[axis], behind), before * indices[axis], behind, wrap, team)


def gather(kernel: Kernel, data: Shape, indices: Shape, axis: int, batch: int, wrap: bool, team: Team) -> Taking:
    """Return the function for elements of data along its last axis; the first `batch` axes of both go together."""
    before, count = prod(data[batch:axis]), prod(indices[batch:])
    return _shared(kernel, (before, data[axis], count), prod(data[:axis]) * count, 1, wrap, team)


def gather_tuples(kernel: Kernel, data: Shape, indices: Shape, batch: int, wrap: bool, team: Team) -> Taking:
    """Return the function for elements of data at tuples of indices; the first `batch` axes of both go together."""
    shape = (prod(indices[batch:-1]), *data[batch : batch + indices[-1]])
    return _shared(kernel, shape, prod(indices[:-1]), 1, wrap, team)


def _shared(kernel: Kernel, shape: Shape, rows: int, behind: int, wrap: bool, team: Team) -> Taking:
    """Return the function that shares so many rows among threads."""
    sizes = np.array(shape, np.uint64)
    parts = shares(rows, team, rows * behind, SMALL_ELEMENTS)

    def run(data: Array, indices: Array, output: Array) -> bool:
        source, target = as_numbers(data), as_numbers(output)
        given = np.require(indices, requirements=["C", "A"]).reshape(-1)
        numbers = as_numbers(indices)
        good = [True] * len(parts)

        def part(number: int) -> None:
            good[number] = kernel(source, given, numbers, target, sizes, *parts[number], wrap)

        team.run(part, len(parts))
        return all(good)

    return run


def as_numbers(array: Array) -> Array:
    """Return an array flat, as unsigned numbers of the size of its elements; in C order it is a view."""
    flat = np.require(array, requirements=["C", "A"]).reshape(-1)
    return flat.view(f"u{array.dtype.itemsize}")
