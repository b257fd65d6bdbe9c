"""Whether data is finite, as a job of a spin pool that stops a table of jobs where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.tensors import Array

FINITE = struct("data count parts failed")


@compiled(f"f4({read_only(1)})")
def _squares(data: Array) -> float:
    total: float = np.float32(0)
    for i in range(data.shape[0]):
        total += data[i] * data[i]
    return total


@job
def _check(address: int, part: int) -> None:
    """Set `failed` where the sum of the squares of a part is not finite, as also those of large numbers are not."""
    a = arguments_at(address, FINITE)
    first, last = bound(a.count, a.parts, part), bound(a.count, a.parts, part + 1)
    if not np.isfinite(_squares(carray(pointer(a.data + 4 * first), (last - first,), np.float32))):
        a.failed = 1


class FiniteCheck:
    """A job that stops a table unless data in one piece of memory is finite."""

    def __init__(self, spin_pool: SpinPool) -> None:
        self._size, self._arguments = spin_pool.size, filled(FINITE)
        names: Any = FINITE.fields
        self._stop = address_of(self._arguments) + int(names["failed"][1])

    def jobs(self, data: Array) -> list[Job] | None:
        """Return the job for data; None unless it is f32 in C order."""
        if data.dtype != np.float32 or not data.flags.c_contiguous:
            return None
        parts = self._size if data.size >= policy.POOLING_JOB_SHARED_MIN_ELEMENTS else 1
        self._arguments["data"], self._arguments["count"] = address_of(data), data.size
        self._arguments["parts"] = parts
        return [Job(_check.address, address_of(self._arguments), parts, self._stop)]
