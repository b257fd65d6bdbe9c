"""Pads as a job of a spin pool: rows that are copied in runs of neighbours, and filled with a value between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numba.runtime.fixed_job import FixedJob
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.padding import source_positions
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

PAD = struct("output rows row_bytes row_sources runs run_count filled_row parts")
"""`row_sources` has the address of the data of each row of the output, or 0 for a row that is filled."""
RUN = struct("target source size")
"""Bytes of each row: where they begin in the output, and in the data; `FILLED` where they are filled."""
FILLED = -1


@job
def _pad_rows(address: int, part: int) -> None:
    """Fill a part of the rows of the output."""
    a = arguments_at(address, PAD)
    sources = carray(pointer(a.row_sources), (a.rows,), np.int64)
    runs = carray(pointer(a.runs), (a.run_count,), RUN)
    for row in range(bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)):
        target, source = a.output + row * a.row_bytes, sources[row]
        if source == 0:
            copy(target, a.filled_row, a.row_bytes)
            continue
        for number in range(runs.shape[0]):
            run = runs[number]
            begin = a.filled_row if run.source == FILLED else source + run.source
            copy(target + run.target, begin, run.size)


@register_job(keys.PADDING)
def padding(
    data: Array, output: Array, begin: Sequence[int], mode: str, value: Array | None, spin_pool: SpinPool
) -> FixedJob | None:
    """Return the job that pads data of any strides; None for an output that is not contiguous in some order of axes.

    Both keep their memory from one call to the next. It is None too where a table of rows would be too large.
    """
    axes = sorted(range(output.ndim), key=lambda axis: (-output.strides[axis], axis))
    ordered = output.transpose(axes)
    if not ordered.flags.c_contiguous or any(stride < 0 for stride in data.strides):
        return None
    offsets = [
        _offsets(source_positions(data.shape[axis], output.shape[axis], begin[axis], mode), data.strides[axis])
        for axis in axes
    ]
    split = _count_of_row_axes(ordered.shape)
    if prod(ordered.shape[:split]) > policy.PAD_MAX_ROWS:
        return None
    row_sources, runs = _sums(offsets[:split]), _runs(_sums(offsets[split:]), data.itemsize)
    row_sources = np.where(row_sources < 0, 0, row_sources + address_of(data))
    filled_row = aligned((prod(ordered.shape[split:]),), data.dtype)
    filled_row[...] = 0 if value is None else value
    parts = spin_pool.size if output.nbytes >= policy.CONCAT_JOB_SHARED_MIN_BYTES else 1
    arguments = filled(
        PAD, output=address_of(output), rows=row_sources.size, row_bytes=filled_row.nbytes,
        row_sources=address_of(row_sources), runs=address_of(runs), run_count=len(runs),
        filled_row=address_of(filled_row), parts=parts,
    )  # fmt: skip
    arrays = (data, output, row_sources, runs, filled_row)
    return FixedJob(_pad_rows.address, arguments, parts, arrays, spin_pool)


def _offsets(positions: Array, stride: int) -> Array:
    """Return where the elements of an axis lie in the data, in bytes; `FILLED` where they are filled."""
    return np.where(positions < 0, FILLED, positions * stride)


def _count_of_row_axes(shape: Sequence[int]) -> int:
    """Return how many of the first axes count rows; the elements of the others are neighbours in a row."""
    count = len(shape) - 1
    while count and prod(shape[count - 1 :]) <= policy.PAD_ROW_MAX_ELEMENTS:
        count -= 1
    return count


def _sums(offsets: Sequence[Array]) -> Array:
    """Return the sums of all combinations of offsets, the last axis fastest; `FILLED` where one of them is."""
    total = np.zeros(1, np.int64)
    for axis in offsets:
        is_filled = np.logical_or.outer(total < 0, axis < 0)
        total = np.where(is_filled, FILLED, np.add.outer(total, axis)).reshape(-1)
    return total


def _runs(offsets: Array, itemsize: int) -> Array:
    """Return the runs of a row, given where each of its elements lies in the data."""
    step = np.where(offsets[:-1] < 0, 0, itemsize)
    ends = np.flatnonzero(offsets[1:] != offsets[:-1] + step) + 1
    first, last = np.array([0, *ends]), np.array([*ends, offsets.size])
    runs = np.zeros(first.size, RUN)
    runs["target"], runs["source"], runs["size"] = first * itemsize, offsets[first], (last - first) * itemsize
    return runs
