"""Thread pools that split one kernel's work into parts, and the number of threads that BLAS uses meanwhile.

NumPy releases the interpreter's lock inside copies, ufuncs and products, so parts run at the same time. While a pool
works, BLAS itself is held to one thread; its former number comes back when the last pool has ended.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import accumulate, pairwise
from math import prod
from queue import SimpleQueue
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.aligned import LINE, aligned
from ir_plugin.kernels.jobs import native_function
from ir_plugin.tensors import Array


class _Worker(threading.Thread):
    """A thread that runs parts of jobs until the process ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="ir_plugin worker")
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.start()

    def run(self) -> None:
        """Run parts for ever."""
        with np.errstate(all="ignore"):
            while True:
                self.jobs.get().run_last()


class _Job:
    """One call of `ThreadPool.run`: the parts that nobody has begun, and the workers that may have begun some."""

    def __init__(self, function: Callable[[int], None], parts: int) -> None:
        self._function = function
        self._left = deque(range(parts))
        self._running: list[threading.Lock] = []
        """A lock of each worker that has come, which the worker holds until it takes no further part."""
        self._error: BaseException | None = None

    def run_last(self) -> None:
        """Run parts in a worker, from the last one on, while any are left."""
        lock = threading.Lock()
        with lock:
            self._running.append(lock)
            while self._left:
                self._run_one()

    def _run_one(self) -> None:
        """Run the last part that nobody has begun, if there is one."""
        try:
            part = self._left.pop()
        except IndexError:
            return
        try:
            self._function(part)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            self._error = error

    def run_first(self, workers: Sequence[_Worker]) -> None:
        """Give workers the job, run parts from the first one on while any are left, and wait for the others.

        An interrupt ends the job where it comes, and while it waits for workers, it is raised after that.
        """
        interrupt: KeyboardInterrupt | None = None
        try:
            for worker in workers:
                worker.jobs.put(self)
            for part in taken_from(self._left):
                self._function(part)
        finally:
            is_waiting = True
            while is_waiting:
                try:
                    self._left.clear()
                    for lock in tuple(self._running):
                        with lock:
                            continue
                    is_waiting = False
                except KeyboardInterrupt as fault:
                    interrupt = fault
        error = self._error or interrupt
        if error is not None:
            raise error


def taken_from(left: deque[int]) -> Iterator[int]:
    """Take the parts that nobody has begun, the first one first."""
    while True:
        try:
            part = left.popleft()
        except IndexError:
            return
        yield part


class Scratch:
    """Arrays that a kernel fills in every run, in the memory that all kernels of a pool share."""

    def __init__(self, pool: ThreadPool, dtype: np.dtype[np.generic], *shapes: tuple[int, ...]) -> None:
        self._pool, self._dtype, self._shapes = pool, dtype, shapes
        self._sizes = [-(-prod(shape) * dtype.itemsize // LINE) * LINE for shape in shapes]
        self._arrays: list[Array] | None = None
        pool.reserve_scratch(self, sum(self._sizes))

    def forget(self) -> None:
        """Let go of the arrays, so that the next run takes them from the memory that the pool has then."""
        self._arrays = None

    def arrays(self) -> list[Array]:
        """Return the arrays, which are uninitialized and begin at lines of the cache."""
        if self._arrays is None:
            memory = self._pool.scratch(sum(self._sizes))
            starts = accumulate(self._sizes, initial=0)
            self._arrays = [
                memory[start : start + prod(shape) * self._dtype.itemsize].view(self._dtype).reshape(shape)
                for start, shape in zip(starts, self._shapes, strict=False)
            ]
        return self._arrays


class ThreadPool:
    """A number of threads that `run` splits a job between. One job at a time uses the workers.

    A job that comes while another one runs, such as one of its parts, runs without the workers.
    """

    is_spin_pool: ClassVar[bool] = False
    """Whether its workers run compiled jobs without Python, as those of `kernels.numba.runtime.spin_pool` do."""

    def __init__(self, size: int) -> None:
        self.size = max(size, 1)
        self._workers: list[_Worker] = []
        self._busy = threading.Lock()
        self._scratch: Array = np.empty(0, np.uint8)
        self._scratch_address = np.zeros(1, np.int64)
        self._scratch_bytes = 0
        self._scratch_users: WeakSet[Scratch] = WeakSet()

    def reserve_scratch(self, user: Scratch, size: int) -> None:
        """Raise the size of the shared scratch memory to at least `size` bytes; `user` learns when it is replaced."""
        self._scratch_bytes = max(self._scratch_bytes, size)
        self._scratch_users.add(user)

    def scratch(self, size: int) -> Array:
        """Return at least `size` bytes of memory, which stays in the cache, as all kernels of the pool share it.

        One kernel at a time runs; it leaves nothing there for its next run.
        """
        if self._scratch.size < size:
            for user in self._scratch_users:
                user.forget()
            self._scratch = np.empty(0, np.uint8)
            self._scratch = aligned((max(size, self._scratch_bytes),), np.dtype(np.uint8))
            self._scratch_address[0] = self._scratch.ctypes.data
        return self._scratch

    @property
    def scratch_pointer(self) -> int:
        """Where the address of the shared scratch memory lies, which compiled jobs read when they run."""
        address: int = self._scratch_address.ctypes.data
        return address

    def begin(self) -> None:
        """Prepare for many jobs, one soon after the other."""

    def end(self) -> None:
        """Let the workers sleep between jobs."""

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts`, in this thread and the workers, whichever is free."""
        if parts <= 1 or self.size == 1 or self._busy.locked():
            for part in range(parts):
                function(part)
            return
        with self._busy:
            if not all(worker.is_alive() for worker in self._workers):
                self._workers = []
            count = min(parts, self.size) - 1
            while len(self._workers) < count:
                self._workers.append(_Worker())
            _Job(function, parts).run_first(self._workers[:count])

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Run all parts of the compiled job at an address, numbered from 0."""
        function = native_function(job)
        self.run(lambda part: function(arguments, part), parts)


def split(count: int, parts: int) -> list[tuple[int, int]]:
    """Return at most `parts` ranges of nearly equal length that make up 0 to `count`."""
    parts = max(min(parts, count), 1)
    ends = [count * part // parts for part in range(parts + 1)]
    return list(pairwise(ends))


def shares(count: int, pool: ThreadPool, work: int, least: int) -> list[tuple[int, int]]:
    """Return ranges of rows for a pool, several for each thread, none of less than the `least` part of the work."""
    return split(count, min(policy.POOL_PARTS_PER_THREAD * pool.size, work // least) if pool.size > 1 else 1)


def available_threads() -> int:
    """Return the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_crowded() -> bool:
    """Return whether many more threads want to run than there are processors."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > policy.BLAS_MAX_LOAD_PER_PROCESSOR * _processors()


@cache
def _processors() -> int:
    """Return the number of processors, which is slow to read."""
    return os.cpu_count() or 1


class _Blas:
    """The BLAS libraries of this process, and the inferences that hold them to a number of threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held for every change, and while the process forks: a child must not inherit a held lock of threadpoolctl."""
        self._holders: list[int] = []
        self._before: list[tuple[Any, int]] = []
        self._controller = 0
        """The thread that has set the number of threads, which libraries obey until it is restored."""
        self._libraries: list[Any] | None = None

    @contextmanager
    def held(self, threads: int) -> Iterator[None]:
        """Limit BLAS to `threads` threads, to one if the machine is crowded; the first of several holders decides."""
        threads = 1 if threads > 1 and is_crowded() else threads
        holder = threading.get_ident()
        with self.lock:
            if self._libraries is None:
                self._libraries = _blas_libraries()
            if not self._holders:
                counts = [(library, library.get_num_threads()) for library in self._libraries]
                self._before = [(library, before) for library, before in counts if before != threads]
                self._controller = holder
                for library, _ in self._before:
                    _release(library)
                    library.set_num_threads(threads)
            self._holders.append(holder)
        try:
            yield
        finally:
            with self.lock:
                self._holders.remove(holder)
                self._restore()

    def forget_threads(self) -> None:
        """Forget the holders that a forked process does not have, all threads but the one that forked; then unlock."""
        if self._holders:
            self._holders = [holder for holder in self._holders if holder == threading.get_ident()]
            self._restore()
        self.lock.release()

    def _restore(self) -> None:
        """Set BLAS to the threads that it had before, when nobody holds it any more."""
        if not self._holders:
            for library, before in self._before:
                if self._controller != threading.get_ident():
                    _release(library)
                library.set_num_threads(before)
                _release(library)


def _blas_libraries() -> list[Any]:
    """Return the controllers of the BLAS libraries; none without threadpoolctl, and BLAS then keeps its threads."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return []
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _release(library: Any) -> None:
    """Let any thread set the number of a library's threads.

    With threadpoolctl 3.8 OpenBLAS obeys only the first thread that has called `set_num_threads`, and it takes several
    microseconds to become that thread.
    """
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)


BLAS = _Blas()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=BLAS.lock.acquire, after_in_parent=BLAS.lock.release, after_in_child=BLAS.forget_threads)
