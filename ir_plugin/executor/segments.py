"""Segments of a plan: consecutive steps that one native call runs if all of them are compiled jobs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple, Protocol, TypeAlias

from ir_plugin.compiler.plan import Step
from ir_plugin.executor.faults import CancelledError
from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, JobTable
from ir_plugin.kernels.registry import Provider
from ir_plugin.kernels.thread_pool import ThreadPool
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


class Segment:
    """Consecutive steps of a plan: Python executes them one by one, or one native call runs their table of jobs."""

    def __init__(self, steps: Sequence[BoundStep], table: JobTable | None = None, counts: Sequence[int] = ()) -> None:
        """Take the steps, the table of all their jobs, and the number of jobs of each step."""
        self.steps, self.table = steps, table
        self._ends = [*accumulate(counts)]

    def pending(self, state: Cancellable) -> Iterable[BoundStep]:
        """Run the jobs of the table; return the steps that Python must execute because a job stopped."""
        if self.table is None:
            return self.steps
        require_uncancelled(state)
        reached = self.table.run(0)
        return () if reached == (self._ends[-1], False) else self._stopped(self.table, state, *reached)

    def _stopped(self, table: JobTable, state: Cancellable, position: int, has_stopped: bool) -> Iterator[BoundStep]:
        """Run a table from a position on; yield the steps whose jobs have stopped."""
        while has_stopped or position < self._ends[-1]:
            if has_stopped:
                number = bisect_right(self._ends, position)
                yield self.steps[number]
                position, has_stopped = self._ends[number], False
            else:
                require_uncancelled(state)
                position, has_stopped = table.run(position)


def segments(
    steps: Sequence[BoundStep], jobs: Sequence[Sequence[Job] | None], kernels: Provider, pool: ThreadPool
) -> Iterator[Segment]:
    """Yield the segments of a plan's steps; `jobs` has the jobs of each step, None where Python executes it."""
    for is_compiled, members in groupby(zip(steps, jobs, strict=True), lambda member: member[1] is not None):
        group = list(members)
        bound = [step for step, _ in group]
        owned = [own or () for _, own in group]
        table = kernels.build(keys.JOB_TABLE, [job for own in owned for job in own], pool) if is_compiled else None
        yield Segment(bound, table, [len(own) for own in owned])


def require_uncancelled(state: Cancellable) -> None:
    """Raise if the inference was cancelled."""
    if state.cancelled:
        raise CancelledError("the inference was cancelled")
