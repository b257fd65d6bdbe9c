"""The Scatter family in one pass: a run of indices is checked, negative ones are wrapped, and updates are applied.

Updates that replace elements are copied as unsigned numbers of the size of an element; sums, products, minima and
maxima are computed in the type, one after another as the evaluation does.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.gather import OUTSIDE, RUN, WITHIN, classify_indices, point, positive
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.jit import compiled, kernel_factory, read_only
from ir_plugin.kernels.numpy.gather import Shape, around, usable
from ir_plugin.kernels.numpy.movement import as_numbers, in_order
from ir_plugin.kernels.numpy.scatter import Writing, begin, regions
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.tensors import Array

SUM, PROD, MIN, MAX, SUB, NONE = range(6)
CODES = {"sum": SUM, "prod": PROD, "min": MIN, "max": MAX}
TUPLE_CODES = {**CODES, "sub": SUB, "none": NONE}


@register_jitable
def _reduce_run(
    output: Array, base: int, indices: Array, updates: Array, start: int, stop: int, size: Array, one: int
) -> None:
    """Apply the updates [start, stop), each to an element `one` further than the one before would be at its index.

    NaN wins against every number, as NumPy's minimum and maximum have it.
    """
    length, after, code = size[0], size[2], size[3]
    if code == SUM:
        for k in range(start, stop):
            output[base + positive(indices[k], length) * after + (k - start) * one] += updates[k]
    elif code == PROD:
        for k in range(start, stop):
            output[base + positive(indices[k], length) * after + (k - start) * one] *= updates[k]
    elif code == MIN:
        for k in range(start, stop):
            target, value = base + positive(indices[k], length) * after + (k - start) * one, updates[k]
            old = output[target]
            output[target] = value if (value < old) | (value != value) else old  # noqa: PLR0124
    else:
        for k in range(start, stop):
            target, value = base + positive(indices[k], length) * after + (k - start) * one, updates[k]
            old = output[target]
            output[target] = value if (value > old) | (value != value) else old  # noqa: PLR0124


@register_jitable
def _wide(shape: Array, slabs: Array) -> int:
    """Return the rows that are checked at once: one where only some of the columns are meant."""
    one = np.uint64(1)
    rows: int = max(RUN // shape[2], one) if slabs[3] - slabs[2] == shape[2] else one
    return rows


def _replace(
    output: Array, indices: Array, numbers: Array, updates: Array, shape: Array, slabs: Array, wrap: bool
) -> bool:
    """Write updates [before, count, after] to an output [before, length, after].

    `shape` holds length, count and after; `slabs` the first and last slab and column that are meant. Returns False
    where an index is out of range.
    """
    length, count, after = shape[0], shape[1], shape[2]
    first, last, left, right = slabs
    step = _wide(shape, slabs)
    for slab in range(first, last):
        base = slab * length * after
        for row in range(np.uint64(0), count, step):
            stop = min(row + step, count)
            start, end = (slab * count + row) * after + left, (slab * count + stop) * after + right - after
            state = classify_indices(indices, numbers, start, end, length, wrap)
            if state == OUTSIDE:
                return False
            if after == 1 and state == WITHIN:
                for k in range(start, end):
                    output[base + np.uint64(indices[k])] = updates[k]
                continue
            for line in range(row, stop):
                at = (slab * count + line) * after
                for c in range(left, right):
                    output[base + positive(indices[at + c], length) * after + c] = updates[at + c]
    return True


def _reduce(
    output: Array, indices: Array, numbers: Array, updates: Array, shape: Array, slabs: Array, wrap: bool
) -> bool:
    """Reduce updates into an output, as `_replace` writes them; the fourth number of `shape` is the code."""
    length, count, after = shape[0], shape[1], shape[2]
    first, last, left, right = slabs
    step = _wide(shape, slabs)
    for slab in range(first, last):
        base = slab * length * after + left
        for row in range(np.uint64(0), count, step):
            stop = min(row + step, count)
            start, end = (slab * count + row) * after + left, (slab * count + stop) * after + right - after
            if classify_indices(indices, numbers, start, end, length, wrap) == OUTSIDE:
                return False
            if after == 1:
                _reduce_run(output, base, indices, updates, start, end, shape, np.uint64(0))
                continue
            for line in range(row, stop):
                at = (slab * count + line) * after
                _reduce_run(output, base, indices, updates, at + left, at + right, shape, np.uint64(1))
    return True


Kernel: TypeAlias = Callable[[Array, Array, Array, Array, Array, Array, bool], bool]


_COPIED = [f"u{size}" for size in keys.MACHINE_WORDS]
"""The types as which elements that are only copied are written."""


@kernel_factory(*product([False], _COPIED, keys.INDEX_TYPES), *product([True], keys.REDUCED_TYPES, keys.INDEX_TYPES))
def kernel(reduces: bool, type: str, index: str) -> Kernel:
    """Return the kernel of elements and indices such as "f4" and "i8"; one that replaces, unsigned ones."""
    inputs = ", ".join(read_only(1, name) for name in (index, index.replace("i", "u"), type))
    function = _reduce if reduces else _replace
    kernel: Kernel = compiled(f"b1({type}[::1], {inputs}, u8[::1], u8[::1], b1)", exact=True)(function)
    return kernel


def _flat(output: Array, updates: Array, code: int | None) -> tuple[Array, Array]:
    """Return output and updates as flat arrays; those without a code, which are only copied, as integers."""
    flat, values = as_numbers(output), as_numbers(updates)
    return (flat, values) if code is None else (flat.view(output.dtype), values.view(output.dtype))


def scatter_elements(
    kernel: Kernel, code: int | None, data: Shape, indices: Shape, axis: int, wrap: bool, pool: ThreadPool
) -> Writing:
    """Return the function for data and updates that agree in all but the axis; without a code it replaces elements.

    Threads share the elements before the axis, or else after it, so that no two write to the same element.
    """
    before, length, after = around(data, axis)
    parts = regions(before, after, prod(indices), pool)
    ranges = [np.array([*slab, *column], np.uint64) for slab, column in parts]
    shape = np.array([length, indices[axis], after, code or 0], np.uint64)

    def run(data: Array, indices: Array, updates: Array, output: Array) -> bool:
        if np.may_share_memory(data, output) and usable(indices, length, wrap) is None:
            return False
        source, target = data.reshape(before, length, after), output.reshape(before, length, after)
        targets = in_order(indices).reshape(-1)
        numbers = as_numbers(indices)
        flat, values = _flat(output, updates, code)
        good = [True] * len(parts)

        def part(number: int) -> None:
            (start, end), (left, right) = parts[number]
            begin(source[start:end, :, left:right], target[start:end, :, left:right])
            good[number] = kernel(flat, targets, numbers, values, shape, ranges[number], wrap)

        pool.run(part, len(parts))
        return all(good)

    return run


@register_jitable
def _merge(target: Array, values: Array, code: int) -> None:
    """Apply updates to as many elements, one to each."""
    count = target.shape[0]
    if code == SUM:
        for c in range(count):
            target[c] += values[c]
    elif code == SUB:
        for c in range(count):
            target[c] -= values[c]
    elif code == PROD:
        for c in range(count):
            target[c] *= values[c]
    elif code == MIN:
        for c in range(count):
            target[c] = np.minimum(target[c], values[c])
    elif code == MAX:
        for c in range(count):
            target[c] = np.maximum(target[c], values[c])
    else:
        for c in range(count):
            target[c] = values[c]


def _slices(output: Array, positions: Array, updates: Array, after: int, left: int, right: int, code: int) -> None:
    """Apply the columns [left, right) of updates [count, after] to the slices at their positions."""
    for k in range(positions.shape[0]):
        base, source = positions[k] * after, k * after
        _merge(output[base + left : base + right], updates[source + left : source + right], code)


def _elements(output: Array, positions: Array, updates: Array, _after: int, _left: int, _right: int, code: int) -> None:
    """Apply updates to the elements at their positions."""
    count = positions.shape[0]
    if code == NONE:
        for k in range(count):
            output[positions[k]] = updates[k]
    elif code == SUM:
        for k in range(count):
            output[positions[k]] += updates[k]
    elif code == SUB:
        for k in range(count):
            output[positions[k]] -= updates[k]
    elif code == PROD:
        for k in range(count):
            output[positions[k]] *= updates[k]
    elif code == MIN:
        for k in range(count):
            output[positions[k]] = np.minimum(output[positions[k]], updates[k])
    else:
        for k in range(count):
            output[positions[k]] = np.maximum(output[positions[k]], updates[k])


def _locate(indices: Array, positions: Array, lead: Array, wrap: bool) -> bool:
    """Fill in where tuples of indices point to; False where one is outside."""
    positions[:] = 0
    for first in range(0, positions.shape[0], RUN):
        if not point(indices, np.uint64(first), positions[first : first + RUN], lead, wrap):
            return False
    return True


Apply: TypeAlias = Callable[[Array, Array, Array, int, int, int, int], None]
Locate: TypeAlias = Callable[[Array, Array, Array, bool], bool]


@kernel_factory(
    *product([True], _COPIED, keys.INDEX_TYPES), *product([True, False], keys.REDUCED_TYPES, keys.INDEX_TYPES)
)
def tuple_kernels(single: bool, type: str, index: str) -> tuple[Locate, Apply]:
    """Return kernels that turn tuples of indices (such as "i8") into positions, and apply updates (such as "f4")."""
    locate: Locate = compiled(f"b1({read_only(1, index)}, i8[::1], u8[::1], b1)")(_locate)
    inputs = f"{read_only(1, 'i8')}, {read_only(1, type)}"
    apply: Apply = compiled(f"void({type}[::1], {inputs}, i8, i8, i8, i8)", exact=True)(
        _elements if single else _slices
    )
    return locate, apply


def scatter_tuples(
    kernels: tuple[Locate, Apply], code: int, data: Shape, indices: Shape, wrap: bool, pool: ThreadPool
) -> Writing:
    """Return the function for slices of data at tuples of indices; threads share the columns of slices."""
    (locate, apply), count, width = kernels, prod(indices[:-1]), indices[-1]
    after = prod(data[width:])
    lead, positions = np.array(data[:width], np.uint64), np.empty(count, np.int64)
    copies = shares(prod(data), pool, prod(data), policy.INDEXING_PART_MIN_ELEMENTS)
    columns = shares(
        after,
        pool,
        min(count * after // policy.INDEXING_PART_MIN_ELEMENTS, after // policy.SCATTER_PART_MIN_COLUMNS),
        1,
    )

    def run(data: Array, indices: Array, updates: Array, output: Array) -> bool:
        if not locate(in_order(indices).reshape(-1), positions, lead, wrap):
            return False
        source, target = data.reshape(-1), output.reshape(-1)
        values = in_order(updates).reshape(-1)
        if code == NONE:
            values, flat = as_numbers(updates), as_numbers(output)
        else:
            flat = target
        pool.run(lambda number: begin(source, target, slice(*copies[number])), len(copies))
        pool.run(lambda number: apply(flat, positions, values, after, *columns[number], code), len(columns))
        return True

    return run


@register(keys.SCATTER_ELEMENTS)
def elements_kernel(
    element: str, index: str, reduction: str, data: Shape, indices: Shape, axis: int, wrap: bool
) -> Callable[[ThreadPool], Writing]:
    """Return a factory of the kernel of ScatterElementsUpdate for types such as "f4" and "i8"."""
    code = CODES.get(reduction)
    run = kernel(code is not None, element, index)
    return lambda pool: scatter_elements(run, code, data, indices, axis, wrap, pool)


@register(keys.SCATTER_TUPLES)
def tuples_kernel(
    single: bool, element: str, index: str, reduction: str, data: Shape, indices: Shape, wrap: bool
) -> Callable[[ThreadPool], Writing]:
    """Return a factory of the kernel of ScatterNDUpdate for types such as "f4" and "i8"."""
    kernels, code = tuple_kernels(single, element, index), TUPLE_CODES[reduction]
    return lambda pool: scatter_tuples(kernels, code, data, indices, wrap, pool)
