"""Compiled jobs as kernels describe them, so that the jobs of consecutive steps can run in one native call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable


@lru_cache(maxsize=1024)
def native_function(address: int) -> Callable[[int, int], None]:
    """Return the C function of two integers at an address; Python's lock is released while it runs."""
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(address)


class Job(NamedTuple):
    """A compiled function, called once for each part, with the address of its arguments and the part's number."""

    function: int
    arguments: int
    parts: int
    stop: int = 0
    """The address of a word that the job sets where the step has to be executed by Python, or 0."""


@runtime_checkable
class HasJobs(Protocol):
    """A kernel that can say which jobs it runs."""

    def jobs(self, *arrays: Any) -> list[Job] | None:
        """Return the jobs that calling the kernel with these arrays runs, or None where it also does other work.

        They stay valid as long as the arrays are alive and the kernel is not called with others.
        """


def jobs_of(kernel: object, *arrays: Any) -> list[Job] | None:
    """Return the jobs of a kernel for these arrays, or None where it is not made of jobs alone."""
    return kernel.jobs(*arrays) if isinstance(kernel, HasJobs) else None


class LoopCopy(NamedTuple):
    """Rows of bytes that each iteration of a loop copies; steps are the distances to the next iteration's rows."""

    source: int
    target: int
    rows: int
    row_bytes: int
    source_row: int
    """Bytes from one row to the next."""
    target_row: int
    source_step: int
    """Bytes from one iteration to the next."""
    target_step: int


class LoopCopies(Protocol):
    """A job of a loop that makes copies, other ones in each iteration."""

    job: Job

    @property
    def done(self) -> int:
        """The iterations since `begin`."""

    def begin(self, copies: Sequence[LoopCopy]) -> None:
        """Take the copies of the iterations that follow, and count from 0."""


class JobTable(Protocol):
    """Jobs that one native call runs, one after the other."""

    def run(self, first: int) -> tuple[int, bool]:
        """Run the jobs from `first` on for some milliseconds, to the end, or to one that stops.

        Return the number of the next job, or of the one that has stopped, and whether one has.
        """


def all_jobs(kernels: Sequence[tuple[object, Sequence[Any]]]) -> list[Job] | None:
    """Return the jobs of kernels with their arrays, one after the other, or None where one is not made of jobs."""
    jobs: list[Job] = []
    for kernel, arrays in kernels:
        own = jobs_of(kernel, *arrays)
        if own is None:
            return None
        jobs += own
    return jobs
