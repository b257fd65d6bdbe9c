"""Threads that share one kernel's work: each has its part of the rows, and BLAS one thread of its own.

NumPy releases the interpreter's lock inside copies, ufuncs and products, so that parts run side by side. While a team
works, BLAS itself is held to one thread; what it was set to before comes back when the last team stops.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, ClassVar

SMALL_WORK = 200_000
"""Multiplications below which a kernel is not worth waking a thread for, which takes some 20 µs."""


class _Worker(threading.Thread):
    """A thread that does parts of the work that it is given until the process ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="ir_plugin worker")
        self.tasks: SimpleQueue[_Work] = SimpleQueue()
        self.start()

    def run(self) -> None:
        """Work for ever."""
        import numpy as np

        with np.errstate(all="ignore"):
            while True:
                self.tasks.get().help()


class _Work:
    """The parts of one run that nobody has begun, and the ends of those that workers began."""

    def __init__(self, function: Callable[[int], None], parts: int) -> None:
        self._function = function
        self._left = deque(range(parts))
        self._done: SimpleQueue[None] = SimpleQueue()
        self._taken = parts
        self._error: BaseException | None = None

    def help(self) -> None:
        """Do parts in a worker, from the last one on, as long as any are left."""
        while True:
            try:
                part = self._left.pop()
            except IndexError:
                return
            try:
                self._function(part)
            except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
                self._error = error
            finally:
                self._done.put(None)

    def lead(self) -> None:
        """Do parts from the first one on, as long as any are left, and wait for those that workers do."""
        try:
            for part in self._rest():
                self._function(part)
        finally:
            for _ in self._rest():
                continue
            for _ in range(self._taken):
                self._done.get()
        if self._error is not None:
            raise self._error

    def _rest(self) -> Iterator[int]:
        """Take the parts that no worker has taken."""
        for part in taken_from(self._left):
            self._taken -= 1
            yield part


def taken_from(left: deque[int]) -> Iterator[int]:
    """Take parts that nobody has begun, the first one first, as long as any are left."""
    while True:
        try:
            part = left.popleft()
        except IndexError:
            return
        yield part


class ThreadPool:
    """A number of threads; `run` gives each one part of the work. One run at a time uses the workers."""

    is_spin_pool: ClassVar[bool] = False
    """Whether it also does compiled jobs, as `kernels.numba.runtime.spin_pool.Crew`."""

    def __init__(self, size: int) -> None:
        self.size = max(size, 1)
        self._workers: list[_Worker] = []
        self._busy = threading.Lock()

    def begin(self) -> None:
        """Get ready for many runs, one soon after the other."""

    def end(self) -> None:
        """Let the workers sleep between runs."""

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts`, in this thread and the workers, whoever is free next."""
        if parts <= 1 or self.size == 1 or not self._busy.acquire(blocking=False):
            for part in range(parts):
                function(part)
            return
        try:
            if not all(worker.is_alive() for worker in self._workers):
                self._workers = []
            helpers = min(parts, self.size) - 1
            while len(self._workers) < helpers:
                self._workers.append(_Worker())
            work = _Work(function, parts)
            for worker in self._workers[:helpers]:
                worker.tasks.put(work)
            work.lead()
        finally:
            self._busy.release()


def split(count: int, parts: int) -> list[tuple[int, int]]:
    """Return at most `parts` ranges of nearly equal length that make up 0 to `count`."""
    parts = max(min(parts, count), 1)
    ends = [count * part // parts for part in range(parts + 1)]
    return list(pairwise(ends))


PARTS_A_THREAD = 4
"""Parts that each thread of a team would have, if all began at once: one that wakes late does fewer."""


def shares(count: int, pool: ThreadPool, work: int, least: int) -> list[tuple[int, int]]:
    """Return ranges of rows for a team: several a thread, of which each is at least so much of the work."""
    return split(count, min(PARTS_A_THREAD * pool.size, work // least) if pool.size > 1 else 1)


def available_threads() -> int:
    """Return the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


CROWDED = 2
"""Threads that want to run, for each processor, from which on those of BLAS would wait for each other's turns.

With 16 a processor SqueezeNet took ten seconds by BLAS's threads, and .4 by one.
"""


def is_crowded() -> bool:
    """Return whether many more threads want to run than there are processors."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > CROWDED * (os.cpu_count() or 1)


class _Blas:
    """The BLAS libraries of this process, and how many inferences hold them to a number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before: list[tuple[Callable[[int], object], int]] = []
        self._libraries: list[Any] | None = None

    @contextmanager
    def held(self, threads: int) -> Iterator[None]:
        """Hold BLAS to so many threads, to one where the machine is crowded; the first of several at once decides."""
        threads = 1 if threads > 1 and is_crowded() else threads
        with self._lock:
            if self._libraries is None:
                from threadpoolctl import ThreadpoolController

                self._libraries = list(ThreadpoolController().select(user_api="blas").lib_controllers)
            if self._holders == 0:
                self._before = [(_setter(library), library.get_num_threads()) for library in self._libraries]
                for set_threads, _ in self._before:
                    set_threads(threads)
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if self._holders == 0:
                    for set_threads, before in self._before:
                        set_threads(before)


def _setter(library: Any) -> Callable[[int], object]:
    """Return what sets the number of a library's threads from any thread.

    `set_num_threads` of threadpoolctl 3.8 does nothing in other threads than the first that has called it.
    """
    found: Callable[[int], object] = getattr(library, "_real_set_num_threads", library.set_num_threads)
    return found


BLAS = _Blas()
