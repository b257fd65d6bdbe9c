"""Transposes as jobs of a spin pool: copies to memory in another order."""

from __future__ import annotations

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.fixed_job import FixedJob
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import arguments_at
from ir_plugin.kernels.numba.runtime.transposed import TRANSPOSE, can_transpose, copy_blocks, described
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array


@job
def _copy_blocks(address: int, part: int) -> None:
    """Copy a part of the blocks."""
    a = arguments_at(address, TRANSPOSE)
    copy_blocks(address, bound(a.count, a.parts, part), bound(a.count, a.parts, part + 1))


class Transpose(FixedJob):
    """The copy of one array to another of the same shape; both keep their memory from one call to the next."""

    def __init__(self, source: Array, target: Array, spin_pool: SpinPool) -> None:
        arguments, table = described(source, target)
        parts = spin_pool.size if target.size >= policy.TRANSPOSE_JOB_SHARED_MIN_ELEMENTS else 1
        arguments["parts"] = parts
        super().__init__(_copy_blocks.address, arguments, parts, (table, source, target), spin_pool)


@register_job(keys.TRANSPOSE)
def transpose(source: Array, target: Array, spin_pool: SpinPool) -> Transpose | None:
    """Return the job that copies one array to another in another order; None if it cannot copy these arrays."""
    return Transpose(source, target, spin_pool) if can_transpose(source, target) else None
