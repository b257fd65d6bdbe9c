"""Batches of small products of two matrices as a job of a spin pool: the second factor is packed for each matrix."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.gemm.blocked import WIDTH, multiply
from ir_plugin.kernels.numba.runtime.fixed_job import FixedJob
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.strided import STRIDED, strided, strided_at
from ir_plugin.kernels.numba.runtime.structs import arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

BATCHED = struct("outer inner rows depth width parts", left=STRIDED, right=STRIDED, output=STRIDED)
"""Products [outer, inner, rows, depth] x [outer, inner, depth, width]."""


@compiled("void(Array(f4, 2, 'A', True), f4[:,:,::1])")
def _pack(matrix: Array, panels: Array) -> None:
    depth, width = matrix.shape
    for number in range(panels.shape[0]):
        first = number * WIDTH
        count = min(width - first, WIDTH)
        if matrix.strides[1] == 4:
            for row in range(depth):
                for lane in range(count):
                    panels[number, row, lane] = matrix[row, first + lane]
        else:
            for lane in range(count):
                for row in range(depth):
                    panels[number, row, lane] = matrix[row, first + lane]


@job
def _multiply_matrices(address: int, part: int) -> None:
    """Compute a part of the products."""
    a = arguments_at(address, BATCHED)
    outer, inner, rows, depth, width = a.outer, a.inner, a.rows, a.depth, a.width
    left = strided_at(a.left, (outer, inner, rows, depth), np.float32)
    right = strided_at(a.right, (outer, inner, depth, width), np.float32)
    output = strided_at(a.output, (outer, inner, rows, width), np.float32)
    panels = np.zeros((-(-width // WIDTH), depth, WIDTH), np.float32)
    start = np.zeros((panels.shape[0], WIDTH), np.float32)
    for number in range(bound(outer * inner, a.parts, part), bound(outer * inner, a.parts, part + 1)):
        _pack(right[number // inner, number % inner], panels)
        multiply(left[number // inner, number % inner], panels, start, output[number // inner, number % inner])


class Batched(FixedJob):
    """Products of arrays of four axes; they keep their memory from one call to the next."""

    def __init__(self, left: Array, right: Array, output: Array, spin_pool: SpinPool) -> None:
        outer, inner, rows, width = output.shape
        work = output.size * left.shape[-1]
        shared = work >= policy.GEMM_COMPILED_SHARED_MIN_MULTIPLICATIONS
        parts = min(spin_pool.size, outer * inner) if shared else 1
        arguments = filled(
            BATCHED, outer=outer, inner=inner, rows=rows, depth=left.shape[-1], width=width, parts=parts,
            left=strided(left), right=strided(right), output=strided(output),
        )  # fmt: skip
        super().__init__(_multiply_matrices.address, arguments, parts, (left, right, output), spin_pool)


@register_job(keys.BATCHED_PRODUCT)
def batched(left: Array, right: Array, output: Array, spin_pool: SpinPool) -> Batched | None:
    """Return the products of arrays with up to four axes, the leading ones of which broadcast; None for other arrays.

    The elements of a row of the first factor and of the output are neighbours.
    """
    arrays = (left, right, output)
    if any(array.dtype != np.float32 or not array.flags.aligned or array.ndim > 4 for array in arrays):
        return None
    if left.strides[-1] != 4 or output.strides[-1] != 4 or not left.size:
        return None
    lead = (1,) * (4 - output.ndim) + output.shape[:-2]
    factors = [np.broadcast_to(array, (*lead, *array.shape[-2:])) for array in (left, right)]
    return Batched(factors[0], factors[1], output.reshape(*lead, *output.shape[-2:]), spin_pool)
