"""What a compiled loop copies in each iteration, slices and states, as a job of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, LoopCopy
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer, store
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

COPY = struct(" ".join(LoopCopy._fields))
LOOP = struct("done copies count condition stop")
"""The iterations that are done, at the address of the struct; a table of copies; the address of a condition, or 0,
and the word that is set where the condition is false."""


@job
def copy_iteration(address: int, _part: int) -> None:
    """Copy what belongs to the next iteration, count it, and stop where the condition is false."""
    a = arguments_at(address, LOOP)
    copies = carray(pointer(a.copies), (a.count,), COPY)
    for number in range(copies.shape[0]):
        source = copies[number].source + a.done * copies[number].source_step
        target = copies[number].target + a.done * copies[number].target_step
        for row in range(copies[number].rows):
            copy(
                target + row * copies[number].target_row,
                source + row * copies[number].source_row,
                copies[number].row_bytes,
            )
    if a.condition != 0 and carray(pointer(a.condition), (1,), np.uint8)[0] == 0:
        store(a.stop, 1)
    store(address, a.done + 1)


@register_job(keys.LOOP_COPIES)
class LoopCopies:
    """A job that makes a number of copies in each iteration; the loop ends where `condition` is false."""

    def __init__(self, count: int, condition: Array | None, _spin_pool: SpinPool) -> None:
        self._copies, self._stop, self._referenced = np.zeros(count, COPY), np.zeros(1, np.int64), condition
        self._arguments = filled(
            LOOP, copies=address_of(self._copies), count=count, stop=address_of(self._stop),
            condition=0 if condition is None else address_of(condition),
        )  # fmt: skip
        stop = 0 if condition is None else address_of(self._stop)
        self.job = Job(copy_iteration.address, address_of(self._arguments), 1, stop)

    @property
    def done(self) -> int:
        """The iterations since `begin`."""
        return int(self._arguments["done"])

    def begin(self, copies: Sequence[LoopCopy]) -> None:
        """Take the copies of the iterations that follow, and count from 0."""
        self._copies[:] = copies
        self._arguments["done"] = 0
