"""The Gather family in one pass: a run of indices is checked, negative ones are wrapped, and its elements are copied.

Data is looked at as unsigned numbers of the size of an element, so that one loop serves all types; slices are moved as
memory. Single elements are copied as if all indices were in range, those that are not as the first element, and only a
run in which some were not is looked at again (`python -m benchmarks.kernels` times it and NumPy's `take`). Parts are
jobs of a spin pool, which begin sooner than those in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any, cast

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.keys import GatherArguments
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import job, kernel_factory
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numpy.gather import Shape, Taking, around
from ir_plugin.kernels.numpy.movement import in_order, is_in_order
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.operations.base import Operation
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND
from ir_plugin.operations.table import OperationTable
from ir_plugin.tensors import Array

GATHER = struct(
    "data indices output slice_bytes rows parts wrap failed lead lead_axes",
    before=np.uint64,
    length=np.uint64,
    count=np.uint64,
    after=np.uint64,
)
"""Addresses; bytes of a slice, 0 for single elements; rows and parts; whether indices may count from the end; whether
an index was out of range. Then sizes: GatherElements has data [before, length, after] and indices [before, count,
after]; Gather data [batch, before, length] and indices [batch, count]; GatherND data [batch, *lead], of which `lead`
is the address of the lengths, and indices [batch, count, lead_axes]."""

UNBOUNDED_LENGTH = 2**60
"""Stands for the length of what a job reads: nothing is asked of it."""

RUN = np.uint64(2048)
"""Indices that are checked at once: 16 KB, half of a first-level cache."""

OUTSIDE, WITHIN, WRAPPED = range(3)


@register_jitable
def classify_indices(indices: Array, numbers: Array, start: int, stop: int, length: int, wrap: bool) -> int:
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
    counted: int = np.uint64(np.int64(index) + np.int64(length) if index < 0 else np.int64(index))
    return counted


@register_jitable
def _take(data: Array, base: int, numbers: Array, at: int, output: Array, start: int, stop: int, length: int) -> bool:
    """Set `output[k] = data[base + numbers[k + at]]` for k in [start, stop).

    Returns whether all indices are below the length; others are taken to be 0.
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
def _take_columns(data: Array, base: int, numbers: Array, output: Array, start: int, length: int, after: int) -> bool:
    """Fill the output's row at `start`: each column takes the element of the same column at its index, as `_take`."""
    beyond = np.uint64(0)
    for c in range(after):
        index = np.uint64(numbers[start + c])
        beyond |= np.uint64(index >= length)
        output[start + c] = data[base + (index if index < length else np.uint64(0)) * after + c]
    good: bool = beyond == 0
    return good


@register_jitable
def _move(a: Any, base: int, indices: Array, at: int, start: int, stop: int, length: int) -> None:
    """Copy slices as `_take` copies elements."""
    size = np.uint64(a.slice_bytes)
    source, target = np.uint64(a.data) + base * size, np.uint64(a.output)
    for k in range(start, stop):
        copy(np.int64(target + k * size), np.int64(source + positive(indices[k + at], length) * size), a.slice_bytes)


@register_jitable
def point(indices: Array, first: int, positions: Array, lead: Array, wrap: bool) -> bool:
    """Extend `positions`, which start as batch numbers, by index tuples in C order; False if one is outside."""
    width = lead.shape[0]
    for axis in range(width):
        length = np.int64(lead[axis])
        lowest, highest = np.int64(0), np.int64(0)
        for k in range(positions.shape[0]):
            index = np.int64(indices[np.uint64((first + k) * width + axis)])
            lowest, highest = min(lowest, index), max(highest, index)
            positions[k] = positions[k] * length + (index + length if index < 0 else index)
        if highest >= length or lowest < (-length if wrap else 0):
            return False
    return True


@register_jitable
def _elements(a: Any, data: Array, indices: Array, numbers: Array, output: Array, first: int, last: int) -> bool:
    """Fill the rows [first, last) of GatherElements' output; return False if an index is out of range."""
    length, count, after = a.length, a.count, a.after
    step, zero = max(RUN // after, np.uint64(1)), np.uint64(0)
    row = first
    while row < last:
        slab = row // count
        stop = min((slab + np.uint64(1)) * count, row + step, last)
        base = slab * length * after
        if after == 1:
            good = _take(data, base, numbers, zero, output, row, stop, length)
        else:
            good = True
            for line in range(row, stop):
                good &= _take_columns(data, base, numbers, output, line * after, length, after)
        if not good:
            if classify_indices(indices, numbers, row * after, stop * after, length, a.wrap != 0) == OUTSIDE:
                return False
            for k in range(row * after, stop * after):
                output[k] = data[base + positive(indices[k], length) * after + k % after]
        row = stop
    return True


@register_jitable
def _slices(a: Any, data: Array, indices: Array, numbers: Array, output: Array, first: int, last: int) -> bool:
    """Fill the slices [first, last) of Gather's output [batch, before, count]; return False as `_elements`."""
    before, length, count = a.before, a.length, a.count
    start = first
    while start < last:
        slab = start // count
        stop = min((slab + np.uint64(1)) * count, start + RUN, last)
        origin = slab // before * count + start % count
        at, base = origin - start, slab * length
        if a.slice_bytes != 0 or not _take(data, base, numbers, at, output, start, stop, length):
            if classify_indices(indices, numbers, origin, origin + stop - start, length, a.wrap != 0) == OUTSIDE:
                return False
            if a.slice_bytes != 0:
                _move(a, base, indices, at, start, stop, length)
            else:
                _take_wrapped(data, base, indices, at, output, start, stop, length)
        start = stop
    return True


@register_jitable
def _tuples(a: Any, data: Array, indices: Array, _numbers: Array, output: Array, first: int, last: int) -> bool:
    """Fill the slices [first, last) of GatherND's output [batch, count]; return False as `_elements`."""
    count, zero = a.count, np.uint64(0)
    lead = carray(pointer(a.lead), (a.lead_axes,), np.uint64)
    positions = np.empty(RUN, np.int64)
    start = first
    while start < last:
        slab = start // count
        stop = min((slab + np.uint64(1)) * count, start + RUN, last)
        run = positions[: stop - start]
        run[:] = slab
        if not point(indices, start, run, lead, a.wrap != 0):
            return False
        if a.slice_bytes != 0:
            _move(a, zero, run, zero - start, start, stop, zero)
        else:
            _take_wrapped(data, zero, run, zero - start, output, start, stop, zero)
        start = stop
    return True


@kernel_factory(*product((_elements, _slices, _tuples), keys.MACHINE_WORDS, keys.INDEX_TYPES))
def kernel(fill_rows: Any, item: int, index: str) -> Any:
    """Return the job of a loop over rows, for elements of `item` bytes and indices of type "i4" or "i8"."""
    index_type, unsigned, number = (np.dtype(name).type for name in (index, index.replace("i", "u"), f"u{item}"))

    @job
    def gather_part(address: int, part: int) -> None:
        a = arguments_at(address, GATHER)
        data, output = (
            carray(pointer(a.data), (UNBOUNDED_LENGTH,), number),
            carray(pointer(a.output), (UNBOUNDED_LENGTH,), number),
        )
        indices = carray(pointer(a.indices), (UNBOUNDED_LENGTH,), index_type)
        numbers = carray(pointer(a.indices), (UNBOUNDED_LENGTH,), unsigned)
        first, last = np.uint64(bound(a.rows, a.parts, part)), np.uint64(bound(a.rows, a.parts, part + 1))
        if not fill_rows(a, data, indices, numbers, output, first, last):
            a.failed = 1

    return gather_part


def gather_elements(kernel: Any, data: Shape, indices: Shape, axis: int, wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function for data and indices that agree in all but the axis."""
    before, length, after = around(data, axis)
    arguments = filled(GATHER, rows=before * indices[axis], wrap=wrap, length=length, count=indices[axis], after=after)
    return _shared(kernel, arguments, after, 0, spin_pool)


def gather(kernel: Any, data: Shape, indices: Shape, axis: int, batch: int, wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function for slices of data along an axis; the first `batch` axes of both go together."""
    before, length, after = around(data, axis)
    count = prod(indices[batch:])
    slabs = before // prod(data[:batch])
    arguments = filled(GATHER, rows=before * count, wrap=wrap, before=slabs, length=length, count=count)
    return _shared(kernel, arguments, after, after, spin_pool)


def gather_tuples(kernel: Any, data: Shape, indices: Shape, batch: int, wrap: bool, spin_pool: SpinPool) -> Taking:
    """Return the function for slices of data at tuples of indices; the first `batch` axes of both go together."""
    width = indices[-1]
    after, lead = prod(data[batch + width :]), np.array(data[batch : batch + width], np.uint64)
    arguments = filled(
        GATHER,
        rows=prod(indices[:-1]),
        wrap=wrap,
        count=prod(indices[batch:-1]),
        lead=address_of(lead),
        lead_axes=width,
    )
    return _shared(kernel, arguments, after, after, spin_pool, lead)


class _GatherJob:
    """A `Taking` as a job, whose arguments hold the addresses of the last arrays."""

    def __init__(
        self, kernel: Any, arguments: Array, slice_elements: int, spin_pool: SpinPool, lead: Array | None
    ) -> None:
        """Take the job, its arguments, the elements of a slice, and the lengths whose address the arguments have."""
        self._arguments, self._slice_elements, self._lead = arguments, slice_elements, lead
        self._spin_pool = spin_pool
        names: Any = GATHER.fields
        failed = address_of(arguments) + int(names["failed"][1])
        self._job = Job(kernel.address, address_of(arguments), int(arguments["parts"]), failed)

    def __call__(self, data: Array, indices: Array, output: Array) -> bool:
        """Fill the output; return False where an index is out of range."""
        ordered = in_order(data), in_order(indices)
        self._write(*ordered, output)
        self._spin_pool.call(self._job.function, self._job.arguments, self._job.parts)
        return not self._arguments["failed"]

    def jobs(self, data: Array, indices: Array, output: Array) -> list[Job] | None:
        """Return the only job, which stops where an index is out of range; None for arrays that are not in C order."""
        if not (is_in_order(data) and is_in_order(indices) and output.flags.c_contiguous):
            return None
        self._write(data, indices, output)
        return [self._job]

    def _write(self, data: Array, indices: Array, output: Array) -> None:
        fill(
            self._arguments, data=address_of(data), indices=address_of(indices), output=address_of(output), failed=0,
            slice_bytes=0 if self._slice_elements < 2 else self._slice_elements * output.itemsize,
        )  # fmt: skip


def _shared(
    kernel: Any,
    arguments: Array,
    row_elements: int,
    slice_elements: int,
    spin_pool: SpinPool,
    lead: Array | None = None,
) -> Taking:
    """Return the function whose rows, of `row_elements` elements, threads share; it keeps `lead` alive."""
    rows = int(arguments["rows"])
    arguments["parts"] = len(shares(rows, spin_pool, rows * row_elements, policy.INDEXING_PART_MIN_ELEMENTS))
    return _GatherJob(kernel, arguments, slice_elements, spin_pool, lead)


_ROWS = OperationTable({GatherElements: _elements, Gather: _slices, GatherND: _tuples})


@register(keys.GATHER)
def gather_kernel(
    operation: Operation, item: int, index: str, arguments: GatherArguments
) -> Callable[[ThreadPool], Taking]:
    """Return a factory of the kernel of Gather, GatherElements or GatherND; it takes a spin pool."""
    run, (data, indices, wrap, axis, batch) = kernel(_ROWS[operation], item, index), arguments

    def make(pool: ThreadPool) -> Taking:
        spin_pool = cast("SpinPool", pool)
        if operation.is_a(GatherElements):
            return gather_elements(run, data, indices, axis, wrap, spin_pool)
        if operation.is_a(Gather):
            return gather(run, data, indices, axis, batch, wrap, spin_pool)
        return gather_tuples(run, data, indices, batch, wrap, spin_pool)

    return make
