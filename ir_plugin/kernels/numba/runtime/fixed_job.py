"""A job whose arrays keep their memory from call to call."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of
from ir_plugin.tensors import Array


class FixedJob:
    """A compiled function with its arguments, of which `parts` parts are shared by the threads of a spin pool."""

    def __init__(
        self, function: int, arguments: Array, parts: int, arrays: Sequence[Array], spin_pool: SpinPool
    ) -> None:
        """Take the job and its arguments; `arrays`, whose addresses the arguments hold, stay alive with the job."""
        self._spin_pool, self._referenced = spin_pool, (arguments, *arrays)
        self._job = Job(function, address_of(arguments), parts)

    def __call__(self) -> None:
        """Run the job."""
        self._spin_pool.call(self._job.function, self._job.arguments, self._job.parts)

    def jobs(self) -> list[Job]:
        """Return the only job."""
        return [self._job]
