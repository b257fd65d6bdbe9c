"""Concatenation as a job of a spin pool: each row of the output is the rows of the inputs, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.strided import row_step
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

CONCAT = struct("rows parts inputs input_count output step")
"""`step` is the bytes from one row of the output to the next."""
INPUT = struct("address row_bytes step")
"""One entry of the table at `inputs`: where its rows begin, their bytes, and the bytes from one to the next."""


@job
def copy_rows(address: int, part: int) -> None:
    """Fill a part of the rows of the output."""
    a = arguments_at(address, CONCAT)
    inputs = carray(pointer(a.inputs), (a.input_count,), INPUT)
    start, end = bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)
    for row in range(start, end):
        target = a.output + row * a.step
        for number in range(inputs.shape[0]):
            size = inputs[number].row_bytes
            copy(target, inputs[number].address + row * inputs[number].step, size)
            target += size


@register_job(keys.CONCAT)
class RowConcatenation:
    """Inputs of `rows` rows, whose bytes are `widths`, beside each other."""

    def __init__(self, rows: int, widths: Sequence[int], spin_pool: SpinPool) -> None:
        self._spin_pool, self._rows, size = spin_pool, rows, sum(widths)
        parts = spin_pool.size if rows * size >= policy.CONCAT_JOB_SHARED_MIN_BYTES else 1
        self._inputs = np.zeros(len(widths), INPUT)
        self._inputs["row_bytes"] = widths
        self._arguments = filled(
            CONCAT, rows=rows, parts=parts, inputs=address_of(self._inputs), input_count=len(widths),
        )  # fmt: skip
        self._job = Job(copy_rows.address, address_of(self._arguments), parts)

    def __call__(self, arrays: Sequence[Array]) -> bool:
        """Fill the last array from the others; do nothing and return False unless all are rows of neighbours."""
        if not self._write_addresses(arrays):
            return False
        self._spin_pool.call(self._job.function, self._job.arguments, self._job.parts)
        return True

    def jobs(self, arrays: Sequence[Array]) -> list[Job] | None:
        """Return the only job, or None unless all arrays are rows of neighbours."""
        return [self._job] if self._write_addresses(arrays) else None

    def _write_addresses(self, arrays: Sequence[Array]) -> bool:
        steps = [row_step(array, self._rows) for array in arrays]
        if any(step < 0 for step in steps):
            return False
        self._arguments["output"], self._arguments["step"] = address_of(arrays[-1]), steps[-1]
        self._inputs["address"] = [address_of(array) for array in arrays[:-1]]
        self._inputs["step"] = steps[:-1]
        return True
