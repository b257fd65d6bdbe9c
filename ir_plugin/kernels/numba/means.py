"""Sums along one axis, times a factor, as a job of a spin pool."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

COLUMNS = 4096
"""Columns whose sums one part of a job keeps in the first-level cache."""
NARROW = 512
"""Columns of a part where there are more threads than samples; shorter pieces of rows are read slowly."""
BLOCK = 128
"""Rows that are added up before their sum is added to the total, which keeps rounding errors small."""
ROWS_AT_ONCE = 4
"""Rows of which `_add_rows` adds up elements before they are added to the sums."""

MEANS = struct("parts samples rows columns width", IN_OUT, factor=np.float32)
"""Data [samples, rows, columns], of which rows are added up, `width` columns at a time."""


@compiled(f"void(f4[::1], {read_only(1)})")
def _add(total: Array, row: Array) -> None:
    for c in range(total.shape[0]):
        total[c] += row[c]


@compiled(f"void(f4[::1], {', '.join([read_only(1)] * ROWS_AT_ONCE)})")
def _add_rows(total: Array, first: Array, second: Array, third: Array, fourth: Array) -> None:
    for c in range(total.shape[0]):
        total[c] += (first[c] + second[c]) + (third[c] + fourth[c])


@compiled(f"f4({read_only(1)})")
def _sum(row: Array) -> float:
    total: float = np.float32(0)
    for c in range(row.shape[0]):
        total += row[c]
    return total


@compiled("void(f4[::1], i8, i8, i8, i8)")
def _add_block(total: Array, source: int, first: int, last: int, step: int) -> None:
    """Add the rows [first, last), `step` bytes apart, to the total: several at once, to load it less often."""
    width, row = total.shape[0], first
    while row + ROWS_AT_ONCE <= last:
        begin = source + row * step
        _add_rows(
            total,
            carray(pointer(begin), (width,), np.float32),
            carray(pointer(begin + step), (width,), np.float32),
            carray(pointer(begin + 2 * step), (width,), np.float32),
            carray(pointer(begin + 3 * step), (width,), np.float32),
        )
        row += ROWS_AT_ONCE
    for rest in range(row, last):
        _add(total, carray(pointer(source + rest * step), (width,), np.float32))


@job
def _sum_columns(address: int, part: int) -> None:
    """Fill a part of the blocks of columns of all samples."""
    a = arguments_at(address, MEANS)
    blocks, factor = -(-a.columns // a.width), a.factor
    partial = np.empty(a.width, np.float32)
    for number in range(bound(a.samples * blocks, a.parts, part), bound(a.samples * blocks, a.parts, part + 1)):
        sample, column = number // blocks, number % blocks * a.width
        width = min(a.width, a.columns - column)
        total = carray(pointer(a.output + 4 * (sample * a.columns + column)), (width,), np.float32)
        source = a.data + 4 * (sample * a.rows * a.columns + column)
        total[:] = 0
        for first in range(0, a.rows, BLOCK):
            partial[:] = 0
            _add_block(partial[:width], source, first, min(first + BLOCK, a.rows), 4 * a.columns)
            _add(total, partial[:width])
        for c in range(width):
            total[c] *= factor


@job
def _sum_rows(address: int, part: int) -> None:
    """Fill a part of the samples of one column."""
    a = arguments_at(address, MEANS)
    output = carray(pointer(a.output), (a.samples,), np.float32)
    for sample in range(bound(a.samples, a.parts, part), bound(a.samples, a.parts, part + 1)):
        output[sample] = _sum(carray(pointer(a.data + 4 * sample * a.rows), (a.rows,), np.float32)) * a.factor


@register_job(keys.MEANS)
class Means(JobKernel):
    """Sums [samples, columns] over the rows of data [samples, rows, columns], times a factor."""

    def __init__(self, samples: int, rows: int, columns: int, factor: float, spin_pool: SpinPool) -> None:
        parts = spin_pool.size if samples * rows * columns >= policy.POOLING_JOB_SHARED_MIN_ELEMENTS else 1
        width = min(COLUMNS, max(-(-columns * samples // parts), NARROW))
        arguments = filled(MEANS, samples=samples, rows=rows, columns=columns, width=width, parts=parts, factor=factor)
        super().__init__(spin_pool, arguments, [(_sum_columns if columns > 1 else _sum_rows).address], parts)
