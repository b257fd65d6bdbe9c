"""Threads that wait for work without the interpreter's lock, and run jobs that are compiled from end to end.

Work in Python reaches a sleeping thread late, and threads that run Python hold each other up at the interpreter's lock,
so that two of them may take longer than one (`python -m benchmarks.provider`). The workers of a spin pool watch a
ticket in compiled code while an inference runs. `docs/internals/numba-runtime.md` describes the protocol.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import native_function
from ir_plugin.kernels.numba.runtime.intrinsics import acquire_lock, held_lock, release_lock
from ir_plugin.kernels.numba.runtime.structs import address_of
from ir_plugin.kernels.numba.runtime.tickets import (
    CONTROL,
    IN_PYTHON,
    LINE,
    MOST_PARTS,
    SLOT,
    finish,
    publish,
    run_job,
    run_jobs,
    run_table,
    set_rest,
    take,
    wait,
)
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, available_threads, taken_from


class _SpinWorker(threading.Thread):
    """A thread that runs jobs until the process ends."""

    def __init__(self, workers: _Workers, number: int, slot: int) -> None:
        super().__init__(daemon=True, name="ir_plugin spin worker")
        self.workers, self.number, self.slot = workers, number, slot
        self.start()

    def run(self) -> None:
        """Run jobs for ever."""
        ticket = 0
        with np.errstate(all="ignore"):
            while True:
                ticket = run_jobs(self.workers.control, self.slot, self.number, ticket)
                if take(self.slot, ticket):
                    self.workers.run_parts()
                    finish(self.slot, ticket)


class _Workers:
    """All threads of a spin pool but the one that posts jobs, their slots, and the control block.

    One thread at a time posts jobs.
    """

    def __init__(self, threads: int) -> None:
        head = LINE + 8 * MOST_PARTS
        self._memory = np.zeros(head + threads * LINE, np.uint8)
        start = -address_of(self._memory) % LINE
        self.control = address_of(self._memory) + start
        self._function: Callable[[int], None] | None = None
        self._publish, self._wait, self._run_job = publish.direct, wait.direct, run_job.direct
        self._left: deque[int] = deque()
        self._error: BaseException | None = None
        control = self._memory[start : start + CONTROL.itemsize].view(CONTROL)
        control["threads"], control["slots"] = threads, self.control + head
        control["acquire"], control["release"] = acquire_lock(), release_lock()
        self._job = control.view(np.int64)
        slots = self._memory[start + head : start + head + (threads - 1) * LINE].view(SLOT)
        slots["lock"] = [held_lock() for _ in slots]
        self._threads = [
            _SpinWorker(self, number, self.control + head + (number - 1) * LINE) for number in range(1, threads)
        ]

    def set_rest(self, rest: bool) -> None:
        """Let the workers sleep between jobs, or wake them and let them spin."""
        set_rest(self.control, int(rest))

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Run all parts of a compiled job."""
        self._job[0], self._job[1], self._job[2] = job, arguments, parts
        self._run_job(self.control, 0)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part; raise what a part raised when all that were begun are done."""
        self._function, self._left, self._error = function, deque(range(parts)), None
        self._job[0] = IN_PYTHON
        try:
            self._publish(self.control, 0)
            self.run_parts()
        finally:
            self._wait(self.control, 0)
            self._function = None
        if self._error is not None:
            raise self._error

    def run_parts(self) -> None:
        """Run the parts of a job in Python that nobody has begun, until one raises."""
        try:
            for part in taken_from(self._left):
                if self._function is not None:
                    self._function(part)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that posted the job
            self._error = error
            self._left.clear()


class _WorkerRegistry:
    """The workers that no inference uses, by number, and how many threads all inferences use.

    They are no more than processors: a thread that spins would take the time of one that has work, and jobs would wait
    for threads that do not run.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget all workers, as a forked process must: it does not inherit threads."""
        self._lock = threading.Lock()
        self._free: dict[int, list[_Workers]] = {}
        self._working = 0

    def acquire(self, size: int) -> tuple[int, _Workers | None]:
        """Return how many threads an inference may use, at most `size`, and its workers if that is more than one."""
        with self._lock:
            threads = max(min(size, available_threads() - self._working), 1)
            self._working += threads
            free = self._free.setdefault(threads, [])
            workers = free.pop() if free else None
        if threads == 1:
            return 1, None
        return threads, workers or _Workers(threads)

    def release(self, threads: int, workers: _Workers | None) -> None:
        """Take back the threads of an inference."""
        with self._lock:
            self._working -= threads
            if workers is not None:
                self._free[threads].append(workers)


_REGISTRY = _WorkerRegistry()


@register(keys.SPIN_POOL)
class SpinPool(ThreadPool):
    """A thread pool whose workers wait without sleeping between `begin` and `end`."""

    is_spin_pool: ClassVar[bool] = True

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._run_table = run_table.direct
        self.forget_workers()
        _POOLS.add(self)

    def forget_workers(self) -> None:
        """Forget the workers that `begin` acquired; until the next `begin` jobs run without them."""
        self._spin_workers: _Workers | None = None
        self._threads = 0
        self._busy = threading.Lock()

    def begin(self) -> None:
        """Acquire workers and wake them, so that they spin when the first job comes."""
        if self._threads == 0:
            self._threads, self._spin_workers = _REGISTRY.acquire(self.size)
            if self._spin_workers is not None:
                self._spin_workers.set_rest(False)

    def end(self) -> None:
        """Let the workers sleep, and others acquire them."""
        threads, self._threads = self._threads, 0
        workers, self._spin_workers = self._spin_workers, None
        if workers is not None:
            workers.set_rest(True)
        _REGISTRY.release(threads, workers)

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Run all parts of a compiled job, numbered from 0."""
        workers, busy = self._spin_workers, self._busy
        if workers is None or not 1 < parts <= MOST_PARTS or busy.locked():
            function = native_function(job)
            for part in range(parts):
                function(arguments, part)
            return
        with busy:
            workers.call(job, arguments, parts)

    def run_table(self, table: int) -> None:
        """Run the jobs of the table at an address."""
        workers, busy = self._spin_workers, self._busy
        if workers is None or busy.locked():
            self._run_table(table, 0)
            return
        with busy:
            self._run_table(table, workers.control)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts`, in this thread and the workers."""
        workers, busy = self._spin_workers, self._busy
        if parts <= 1 or not self._threads or busy.locked():
            super().run(function, parts)
            return
        with busy:
            if workers is None:
                for part in range(parts):
                    function(part)
            else:
                workers.run(function, parts)


_POOLS: weakref.WeakSet[SpinPool] = weakref.WeakSet()


def _forget_in_child() -> None:
    """Forget all threads in a forked process, which does not inherit them."""
    _REGISTRY.forget()
    for pool in list(_POOLS):
        pool.forget_workers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
