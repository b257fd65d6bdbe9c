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
from typing import Any, ClassVar

import numpy as np

from ir_plugin.kernels.numba.runtime.intrinsics import (
    acquire_lock,
    call,
    claim,
    external,
    fence,
    held_lock,
    load,
    release_lock,
    store,
)
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.structs import Struct, address_of, struct
from ir_plugin.kernels.thread_pool import ThreadPool, available_threads, taken_from

_LINE = 128
"""Bytes of the control block, and of a worker slot: two cache lines, which processors fetch together."""
_MOST_PARTS = 512
"""Parts that a job may have: behind the control block is, for each, the ticket of the job that last began it."""
_CONTROL = struct("job arguments parts threads slots acquire release")
"""The control block: the current job, the threads and their slots, and the addresses of Python's lock functions."""
_SLOT: Struct = np.dtype({
    "names": ["ticket", "rest", "asleep", "lock", "taken", "done"], "formats": [np.int64] * 6,
    "offsets": [0, 8, 16, 24, 64, 72], "itemsize": _LINE,
})  # fmt: skip
"""A worker slot: the newest ticket, whether to sleep at once, whether asleep and on which lock; on another line
the last tickets that were taken and done."""


def _offset(dtype: Struct, field: str) -> int:
    """Return the bytes from the beginning of a struct to a field."""
    fields: Any = dtype.fields
    return int(fields[field][1])


_JOB, _ARGUMENTS, _PARTS, _THREADS = (_offset(_CONTROL, name) for name in ("job", "arguments", "parts", "threads"))
_SLOTS, _ACQUIRE, _RELEASE = (_offset(_CONTROL, name) for name in ("slots", "acquire", "release"))
_TICKET, _REST, _ASLEEP = (_offset(_SLOT, name) for name in ("ticket", "rest", "asleep"))
_LOCK, _TAKEN, _DONE = (_offset(_SLOT, name) for name in ("lock", "taken", "done"))

_LOOKS = 2_000_000
"""How often a worker looks for a new ticket before it sleeps: a few milliseconds."""
_PATIENCE = 20_000
"""Looks after which a thread that waits yields its processor now and then."""

_IN_PYTHON = 0
"""The job that is no address: a Python function."""

if os.name == "posix":
    _yield: Any = external("sched_yield")
else:

    @compiled("i8()")
    def _yield() -> int:
        return 0


@compiled("void(i8, i8, i8)")
def _sleep(control: int, slot: int, last: int) -> None:
    """Sleep until `_wake`, unless there is a newer ticket than the last one."""
    store(slot + _ASLEEP, 1)
    fence()
    if load(slot + _TICKET) == last or not claim(slot + _ASLEEP, 1, 0):
        call(load(control + _ACQUIRE), load(slot + _LOCK), 1)


@compiled("void(i8)")
def _wake(control: int) -> None:
    """Wake the workers that sleep."""
    fence()
    for worker in range(load(control + _THREADS) - 1):
        slot = load(control + _SLOTS) + worker * _LINE
        if load(slot + _ASLEEP) == 1 and claim(slot + _ASLEEP, 1, 0):
            call(load(control + _RELEASE), load(slot + _LOCK), 0)


@compiled("void(i8, i8)")
def _set_rest(control: int, rest: int) -> None:
    """Let the workers sleep between jobs, or wake them and let them spin."""
    for worker in range(load(control + _THREADS) - 1):
        store(load(control + _SLOTS) + worker * _LINE + _REST, rest)
    if rest == 0:
        _wake(control)


@compiled("b1(i8, i8)")
def _take(slot: int, ticket: int) -> bool:
    """Take a ticket for a worker, unless it or a later one is taken; return whether that succeeded."""
    taken = load(slot + _TAKEN)
    success: bool = taken < ticket and claim(slot + _TAKEN, taken, ticket)
    return success


@compiled("void(i8, i8)")
def _finish(slot: int, ticket: int) -> None:
    """Say that a worker's part of a job is done."""
    store(slot + _DONE, ticket)


@compiled("void(i8, i8, i8)")
def _run_parts(control: int, number: int, ticket: int) -> None:
    """Run the parts of a compiled job that nobody has begun, from this thread's own share on."""
    job, arguments, parts = load(control + _JOB), load(control + _ARGUMENTS), load(control + _PARTS)
    first = number * parts // load(control + _THREADS)
    for further in range(parts):
        part = (first + further) % parts
        address = control + _LINE + 8 * part
        begun = load(address)
        if begun != ticket and claim(address, begun, ticket):
            call(job, arguments, part)


@compiled("i8(i8, i8, i8, i8)")
def _run_jobs(control: int, slot: int, number: int, last: int) -> int:
    """Run compiled jobs for ever; return the ticket of a job in Python, which is not taken yet."""
    looks = 0
    while True:
        ticket: int = load(slot + _TICKET)
        if ticket == last:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()
            if looks == _LOOKS or load(slot + _REST) != 0:
                _sleep(control, slot, last)
                looks = 0
            continue
        if load(control + _JOB) == _IN_PYTHON:
            return ticket
        last, looks = ticket, 0
        if _take(slot, ticket):
            _run_parts(control, number, ticket)
            _finish(slot, ticket)


@compiled("void(i8, i8, i8, i8, i8)")
def _publish(control: int, job: int, arguments: int, parts: int, ticket: int) -> None:
    """Write a job to the control block and its ticket to all slots, and wake the workers that sleep."""
    store(control + _JOB, job)
    store(control + _ARGUMENTS, arguments)
    store(control + _PARTS, parts)
    for worker in range(load(control + _THREADS) - 1):
        store(load(control + _SLOTS) + worker * _LINE + _TICKET, ticket)
    _wake(control)


@compiled("void(i8, i8)")
def _wait(control: int, ticket: int) -> None:
    """Take the ticket for all workers that have not, and wait for those that have."""
    for worker in range(load(control + _THREADS) - 1):
        slot = load(control + _SLOTS) + worker * _LINE
        if _take(slot, ticket):
            _finish(slot, ticket)
        looks = 0
        while load(slot + _DONE) < ticket:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()


@compiled("void(i8, i8, i8, i8, i8)")
def _run_job(control: int, job: int, arguments: int, parts: int, ticket: int) -> None:
    """Run all parts of a compiled job, in this thread those that no worker has begun."""
    _publish(control, job, arguments, parts, ticket)
    _run_parts(control, 0, ticket)
    _wait(control, ticket)


@compiled("void(i8, i8, i8)")
def _run_alone(job: int, arguments: int, parts: int) -> None:
    """Run all parts of a compiled job in this thread."""
    for part in range(parts):
        call(job, arguments, part)


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
                ticket = _run_jobs(self.workers.control, self.slot, self.number, ticket)
                if _take(self.slot, ticket):
                    self.workers.run_parts()
                    _finish(self.slot, ticket)


class _Workers:
    """All threads of a spin pool but the one that posts jobs, their slots, and the control block.

    One thread at a time posts jobs.
    """

    def __init__(self, threads: int) -> None:
        head = _LINE + 8 * _MOST_PARTS
        self._memory = np.zeros(head + threads * _LINE, np.uint8)
        start = -address_of(self._memory) % _LINE
        self.control = address_of(self._memory) + start
        self._ticket = 0
        self._function: Callable[[int], None] | None = None
        self._publish, self._wait, self._run_job = _publish.direct, _wait.direct, _run_job.direct
        self._left: deque[int] = deque()
        self._error: BaseException | None = None
        control = self._memory[start : start + _CONTROL.itemsize].view(_CONTROL)
        control["threads"], control["slots"] = threads, self.control + head
        control["acquire"], control["release"] = acquire_lock(), release_lock()
        slots = self._memory[start + head : start + head + (threads - 1) * _LINE].view(_SLOT)
        slots["lock"] = [held_lock() for _ in slots]
        self._threads = [
            _SpinWorker(self, number, self.control + head + (number - 1) * _LINE) for number in range(1, threads)
        ]

    def set_rest(self, rest: bool) -> None:
        """Let the workers sleep between jobs, or wake them and let them spin."""
        _set_rest(self.control, int(rest))

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Run all parts of a compiled job."""
        self._ticket += 1
        self._run_job(self.control, job, arguments, parts, self._ticket)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part; raise what a part raised when all that were begun are done."""
        self._function, self._left, self._error = function, deque(range(parts)), None
        self._ticket += 1
        try:
            self._publish(self.control, _IN_PYTHON, 0, 0, self._ticket)
            self.run_parts()
        finally:
            self._wait(self.control, self._ticket)
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
        """Forget all workers, as a forked process must: it has none of its parent's threads."""
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


class SpinPool(ThreadPool):
    """A thread pool whose workers wait without sleeping between `begin` and `end`."""

    is_spin_pool: ClassVar[bool] = True

    def __init__(self, size: int) -> None:
        super().__init__(size)
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
        if workers is None or not 1 < parts <= _MOST_PARTS or not busy.acquire(blocking=False):
            _run_alone(job, arguments, parts)
            return
        try:
            workers.call(job, arguments, parts)
        finally:
            busy.release()

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts`, in this thread and the workers."""
        workers, busy = self._spin_workers, self._busy
        if parts <= 1 or not self._threads or not busy.acquire(blocking=False):
            super().run(function, parts)
            return
        try:
            if workers is None:
                for part in range(parts):
                    function(part)
            else:
                workers.run(function, parts)
        finally:
            busy.release()


_POOLS: weakref.WeakSet[SpinPool] = weakref.WeakSet()


def _forget_in_child() -> None:
    """Forget all threads in a forked process, which has none of its parent's."""
    _REGISTRY.forget()
    for pool in list(_POOLS):
        pool.forget_workers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
