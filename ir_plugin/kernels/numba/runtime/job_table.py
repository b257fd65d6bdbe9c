"""Tables of jobs: the jobs of consecutive steps, which one native call runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, fill, filled
from ir_plugin.kernels.numba.runtime.tickets import ENTRY, TABLE
from ir_plugin.kernels.registry import register_job

SECONDS_PER_CALL = 0.02
"""How long the jobs of one native call may take, as far as several jobs do."""


@register_job(keys.JOB_TABLE)
class CompiledJobTable:
    """Jobs of one spin pool, of which as many run in one call as take some milliseconds.

    Between two calls Python handles signals, and an inference may be cancelled.
    """

    def __init__(self, jobs: Sequence[Job], spin_pool: SpinPool) -> None:
        self._entries, self._spin_pool = np.array(jobs, ENTRY), spin_pool
        self._count, self._at_once, self._last_range = len(jobs), 1, (0, 0)
        self._table = filled(TABLE, entries=address_of(self._entries))
        self._address, self._stopped = address_of(self._table), self._table["stopped"]

    def run(self, first: int) -> tuple[int, bool]:
        """Run jobs from `first` on, as `kernels.jobs.JobTable` describes."""
        last = min(first + self._at_once, self._count)
        if self._last_range != (first, last):
            self._last_range = first, last
            fill(self._table, first=first, last=last)
        start = time.perf_counter()
        self._spin_pool.run_table(self._address)
        stopped: int = self._stopped.item()
        seconds = time.perf_counter() - start
        if seconds > SECONDS_PER_CALL:
            self._at_once = max((last - first) // 2, 1)
        elif self._at_once < self._count and seconds < SECONDS_PER_CALL / 4:
            self._at_once *= 2
        return (last, False) if stopped < 0 else (stopped, True)
