"""Stretches: neighbouring steps of a plan, whose jobs one native call runs where all of them are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol, TypeAlias

from ir_plugin.compiler.plan import Step
from ir_plugin.kernels.jobs import Job, JobTable
from ir_plugin.kernels.numba.provider import NUMBA
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.runtime.faults import CancelledError
from ir_plugin.tensors import Array

Slots: TypeAlias = "list[Array | None]"
"""The arrays of one run, by slot number."""

StepFunction: TypeAlias = "Callable[[Slots], object]"
"""Executes one step on the slots of a run."""


class BoundStep(NamedTuple):
    """A step, the function that executes it (None where its operation is evaluated), and the slots that it releases."""

    step: Step
    function: StepFunction | None
    released: Sequence[int]


class Cancellable(Protocol):
    """What another thread may cancel."""

    cancelled: bool


class Stretch:
    """Steps that Python executes one by one, or whose jobs are one table."""

    def __init__(self, steps: Sequence[BoundStep], table: JobTable | None = None, count: int = 0) -> None:
        """Take the steps, and their table of so many jobs."""
        self.steps, self.table, self._count = steps, table, count

    def pending(self, state: Cancellable) -> Iterable[BoundStep]:
        """Run the jobs of the table; return the steps that are left to execute."""
        if self.table is None:
            return self.steps
        position = 0
        while position < self._count:
            require_uncancelled(state)
            position = self.table.run(position)
        return ()


def stretches(steps: Sequence[BoundStep], jobs: Sequence[Sequence[Job] | None], pool: ThreadPool) -> Iterator[Stretch]:
    """Yield the stretches of steps, given the jobs of each step, or None where it is not made of jobs alone."""
    for is_compiled, members in groupby(zip(steps, jobs, strict=True), lambda member: member[1] is not None):
        group = list(members)
        bound = [step for step, _ in group]
        all_jobs = [job for _, own in group for job in own or ()]
        table = NUMBA.job_table(all_jobs, pool) if is_compiled else None
        yield Stretch(bound, table, len(all_jobs))


def require_uncancelled(state: Cancellable) -> None:
    """Raise if the inference was cancelled."""
    if state.cancelled:
        raise CancelledError("the inference was cancelled")
