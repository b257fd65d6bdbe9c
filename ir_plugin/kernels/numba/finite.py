"""Whether data is finite, as a job of a spin pool that stops a table of jobs where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.strided import row_step
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

FINITE = struct("data count width step parts failed")
"""`count` rows of `width` numbers, `step` bytes apart; or `count` numbers where the step is 0."""


@compiled(f"f4({read_only(1)})")
def _squares(data: Array) -> float:
    total: float = np.float32(0)
    for i in range(data.shape[0]):
        total += data[i] * data[i]
    return total


@job
def _check(address: int, part: int) -> None:
    """Set `failed` if the sum of the squares of a part is not finite, which large numbers cause, too."""
    a = arguments_at(address, FINITE)
    first, last = bound(a.count, a.parts, part), bound(a.count, a.parts, part + 1)
    if a.step == 0:
        total = _squares(carray(pointer(a.data + 4 * first), (last - first,), np.float32))
    else:
        total = np.float32(0)
        for row in range(first, last):
            total += _squares(carray(pointer(a.data + row * a.step), (a.width,), np.float32))
    if not np.isfinite(total):
        a.failed = 1


@register_job(keys.FINITE_CHECK)
class FiniteCheck:
    """A job that stops a table unless data in one piece of memory is finite."""

    def __init__(self, spin_pool: SpinPool) -> None:
        self._size, self._arguments = spin_pool.size, filled(FINITE)
        names: Any = FINITE.fields
        self._stop = address_of(self._arguments) + int(names["failed"][1])

    def jobs(self, data: Array) -> list[Job] | None:
        """Return the job for data; None unless it is f32 in rows of neighbours, which are equally far apart."""
        width = data.shape[-1]
        step = row_step(data, data.size // width) if data.dtype == np.float32 and data.size else -1
        if step < 0:
            return None
        parts = self._size if data.size >= policy.POOLING_JOB_SHARED_MIN_ELEMENTS else 1
        is_flat = data.flags.c_contiguous
        fill(
            self._arguments, data=address_of(data), count=data.size if is_flat else data.size // width, width=width,
            step=0 if is_flat else step, parts=parts,
        )  # fmt: skip
        return [Job(_check.address, address_of(self._arguments), parts, self._stop)]
