"""Forms that are exact for finite data only, as they multiply by weights of 0 that the evaluation leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from ir_plugin.kernels.jobs import HasJobs, Job, jobs_of
from ir_plugin.tensors import Array

Run = TypeVar("Run", bound=Callable[..., None])


def are_finite(array: Array) -> bool:
    """Return whether no element is NaN or infinite, for finite ones of usual size at the cost of one BLAS product."""
    elements = array.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        square = np.dot(elements, elements)
    return math.isfinite(square) or bool(np.isfinite(elements).all())


class ByFiniteness(Generic[Run]):
    """A kernel that is exact for finite data, the first argument, and another for other data.

    A product of 0 and NaN or infinity is NaN, where the evaluation has no product at all.
    """

    def __init__(self, finite: Run, other: Callable[..., None], check: HasJobs | None = None) -> None:
        """Take both kernels, and what has the job that stops a table of jobs unless data is finite."""
        self._finite, self._other, self._check = finite, other, check

    def __call__(self, data: Array, *arguments: Any) -> None:
        """Call one of the kernels."""
        (self._finite if are_finite(data) else self._other)(data, *arguments)

    def jobs(self, data: Array, *arguments: Any) -> list[Job] | None:
        """Return the jobs of the check and of the kernel for finite data, or None if either has none."""
        checking = jobs_of(self._check, data)
        jobs = None if checking is None else jobs_of(self._finite, data, *arguments)
        return None if checking is None or jobs is None else [*checking, *jobs]
