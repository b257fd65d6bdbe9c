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
    """The parts of one run that nobody has taken yet, and the end of those that workers took."""

    def __init__(self, function: Callable[[int], None], parts: int) -> None:
        self._function = function
        self._left = deque(range(1, parts))
        self._done = threading.Semaphore(0)
        self._taken = parts - 1
        self._error: BaseException | None = None

    def help(self) -> None:
        """Do a part in a worker, if one is left."""
        try:
            part = self._left.popleft()
        except IndexError:
            return
        try:
            self._function(part)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            self._error = error
        finally:
            self._done.release()

    def lead(self) -> None:
        """Do the first part and those that no worker has taken by then, and wait for the others."""
        try:
            self._function(0)
            for part in self._rest():
                self._function(part)
        finally:
            for _ in self._rest():
                continue
            for _ in range(self._taken):
                self._done.acquire()
        if self._error is not None:
            raise self._error

    def _rest(self) -> Iterator[int]:
        """Take the parts that no worker has taken."""
        while True:
            try:
                part = self._left.pop()
            except IndexError:
                return
            self._taken -= 1
            yield part


class Team:
    """A number of threads; `run` gives each one part of the work. One run at a time uses the workers."""

    is_crew: ClassVar[bool] = False
    """Whether it also does compiled jobs, as `kernels.compiled.crew.Crew`."""

    def __init__(self, size: int) -> None:
        self.size = max(size, 1)
        self._workers: list[_Worker] = []
        self._busy = threading.Lock()

    def begin(self) -> None:
        """Get ready for many runs, one soon after the other."""

    def end(self) -> None:
        """Let the workers sleep between runs."""

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts` (at most `size`), the first one in this thread."""
        if parts <= 1 or not self._busy.acquire(blocking=False):
            for part in range(parts):
                function(part)
            return
        try:
            if not all(worker.is_alive() for worker in self._workers):
                self._workers = []
            while len(self._workers) < parts - 1:
                self._workers.append(_Worker())
            work = _Work(function, parts)
            for worker in self._workers[: parts - 1]:
                worker.tasks.put(work)
            work.lead()
        finally:
            self._busy.release()


def split(count: int, parts: int) -> list[tuple[int, int]]:
    """Return at most `parts` ranges of nearly equal length that make up 0 to `count`."""
    parts = max(min(parts, count), 1)
    ends = [count * part // parts for part in range(parts + 1)]
    return list(pairwise(ends))


def available_threads() -> int:
    """Return the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Blas:
    """The BLAS libraries of this process, and how many inferences hold them to a number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before: list[tuple[Any, int]] = []
        self._libraries: list[Any] | None = None

    @contextmanager
    def held(self, threads: int) -> Iterator[None]:
        """Hold BLAS to so many threads; of inferences that overlap the first one decides."""
        with self._lock:
            if self._libraries is None:
                from threadpoolctl import ThreadpoolController

                self._libraries = list(ThreadpoolController().select(user_api="blas").lib_controllers)
            if self._holders == 0:
                self._before = [(library, library.get_num_threads()) for library in self._libraries]
                for library, _ in self._before:
                    library.set_num_threads(threads)
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if self._holders == 0:
                    for library, before in self._before:
                        library.set_num_threads(before)


BLAS = _Blas()
