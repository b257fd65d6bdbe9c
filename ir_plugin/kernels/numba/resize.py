"""Weighted sums along one axis of arrays seen as [outer, length, inner], as jobs of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job, all_jobs
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.resize import Sums, shapes_between
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

SUMS = struct("positions weights count taps rows length inner parts", IN_OUT)
"""The data [N, length, inner], and positions and weights [count, taps]; parts share a number of rows."""


@job
def _sum_rows(address: int, part: int) -> None:
    """Compute a part of the rows of an output [N, count, inner]."""
    a = arguments_at(address, SUMS)
    count, taps, inner = a.count, a.taps, a.inner
    positions = carray(pointer(a.positions), (count, taps), np.int64)
    weights = carray(pointer(a.weights), (count, taps), np.float32)
    for row in range(bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)):
        image, number = a.data + 4 * (row // count) * a.length * inner, row % count
        target = carray(pointer(a.output + 4 * row * inner), (inner,), np.float32)
        if taps == 2:
            first = carray(pointer(image + 4 * positions[number, 0] * inner), (inner,), np.float32)
            second = carray(pointer(image + 4 * positions[number, 1] * inner), (inner,), np.float32)
            left, right = weights[number, 0], weights[number, 1]
            for c in range(inner):
                target[c] = first[c] * left + second[c] * right
        else:
            for c in range(inner):
                target[c] = np.float32(0)
            for k in range(taps):
                source = carray(pointer(image + 4 * positions[number, k] * inner), (inner,), np.float32)
                weight = weights[number, k]
                for c in range(inner):
                    target[c] += source[c] * weight


@job
def _sum_elements(address: int, part: int) -> None:
    """Compute a part of the rows of an output [N, count] from data [N, length]."""
    a = arguments_at(address, SUMS)
    count, taps = a.count, a.taps
    positions = carray(pointer(a.positions), (count, taps), np.int64)
    weights = carray(pointer(a.weights), (count, taps), np.float32)
    for row in range(bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)):
        source = carray(pointer(a.data + 4 * row * a.length), (a.length,), np.float32)
        target = carray(pointer(a.output + 4 * row * count), (count,), np.float32)
        if taps == 2:
            for c in range(count):
                target[c] = source[positions[c, 0]] * weights[c, 0] + source[positions[c, 1]] * weights[c, 1]
        else:
            for c in range(count):
                total = np.float32(0)
                for k in range(taps):
                    total += source[positions[c, k]] * weights[c, k]
                target[c] = total


class _Along(JobKernel):
    """The sums along one axis, of which threads share the rows."""

    def __init__(self, shape: Sequence[int], sums: Sums, spin_pool: SpinPool) -> None:
        outer, length, inner = prod(shape[: sums.axis]), shape[sums.axis], prod(shape[sums.axis + 1 :])
        positions, weights = sums.positions, sums.weights
        is_short = inner < policy.RESIZE_ROWS_MIN_ELEMENTS
        if is_short:
            positions = (positions[:, None] * inner + np.arange(inner)[:, None]).reshape(-1, positions.shape[1])
            weights = np.repeat(weights, inner, axis=0)
            length *= inner
        self._positions, self._weights = np.ascontiguousarray(positions, np.int64), np.ascontiguousarray(weights)
        work = outer * inner * sums.weights.size
        parts = spin_pool.size if work >= policy.RESIZE_COMPILED_SHARED_MIN_PRODUCTS else 1
        count, taps = positions.shape
        arguments = filled(
            SUMS, positions=address_of(self._positions), weights=address_of(self._weights), count=count, taps=taps,
            rows=outer if is_short else outer * count, length=length, inner=inner, parts=parts,
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [(_sum_elements if is_short else _sum_rows).address], parts)


@register_job(keys.RESIZE)
class Resized:
    """The weighted sums of data of a shape along one axis after the other."""

    def __init__(self, shape: Sequence[int], steps: Sequence[Sums], spin_pool: SpinPool) -> None:
        shapes = shapes_between(shape, steps)
        self._kernels = [_Along(before, step, spin_pool) for before, step in zip(shapes, steps, strict=False)]
        self._between = [np.empty(between, np.float32) for between in shapes[1:-1]]

    def __call__(self, data: Array, output: Array, _operands: Sequence[Array]) -> None:
        """Fill the output, which lies in C order, from the data."""
        for kernel, arrays in self._steps(data, output):
            kernel(*arrays)

    def jobs(self, data: Array, output: Array, _operands: Sequence[Array]) -> list[Job] | None:
        """Return the jobs, or None where data is copied in every run."""
        return all_jobs(self._steps(data, output))

    def _steps(self, data: Array, output: Array) -> list[tuple[_Along, tuple[Array, Array]]]:
        return list(zip(self._kernels, pairwise([data, *self._between, output]), strict=True))
