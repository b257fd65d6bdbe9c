"""Threads that wait for work without the interpreter's lock, and do jobs that are compiled from end to end.

Work in Python takes some 40 to 65 µs to reach a sleeping thread, and threads that run Python hold each other up at the
interpreter's lock: Winograd's form of 64 channels of 56x56 took 3.8 ms in one thread and 5.1 in two, by a crew 2.3 and
1.3 (`python -m benchmarks.provider`). A crew's workers look at a flag in compiled code while an inference runs.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, cast

import numba
import numpy as np
from numba import types

from ir_plugin.kernels.numba.runtime.intrinsics import (
    acquire_lock,
    call,
    claim,
    fence,
    held_lock,
    load,
    release_lock,
    store,
)
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.thread_pool import ThreadPool, available_threads, taken_from
from ir_plugin.tensors import Array

_LINE = 128
"""Bytes of a board's head, and of a worker's cell."""
_JOB, _ARGUMENTS, _PARTS, _SIZE, _CELLS, _ACQUIRE, _RELEASE = range(0, 56, 8)
"""What a board's head holds: a job, its threads and their cells, and Python's functions for locks."""
_TICKET, _REST, _ASLEEP, _LOCK, _TAKEN, _DONE = 0, 8, 16, 24, 64, 72
"""What a worker's cell holds; on a line of their own the last tickets taken and done."""
_MOST_PARTS = 512
"""Parts of a job for which a board has places behind its head: the last ticket for which each was begun."""

_LOOKS = 2_000_000
"""How often a worker looks for a job before it sleeps: a few milliseconds."""
_PATIENCE = 20_000
"""Looks after which a thread that waits lets others run in between."""

_IN_PYTHON = 0
"""The job that is no address: a function of Python's."""

if os.name == "posix":
    _yield: Any = types.ExternalFunction("sched_yield", types.int32())
else:

    @numba.njit("i4()")
    def _yield() -> int:
        return 0


@compiled("void(i8, i8, i8)")
def _sleep(control: int, slot: int, last: int) -> None:
    """Sleep until `_rouse`, unless there is another ticket than the last one."""
    store(slot + _ASLEEP, 1)
    fence()
    if load(slot + _TICKET) == last or not claim(slot + _ASLEEP, 1, 0):
        call(load(control + _ACQUIRE), load(slot + _LOCK), 1)


@compiled("void(i8)")
def _rouse(control: int) -> None:
    """Wake the workers that sleep."""
    fence()
    for worker in range(load(control + _SIZE) - 1):
        slot = load(control + _CELLS) + worker * _LINE
        if load(slot + _ASLEEP) == 1 and claim(slot + _ASLEEP, 1, 0):
            call(load(control + _RELEASE), load(slot + _LOCK), 0)


@compiled("void(i8, i8)")
def _let_rest(control: int, rest: int) -> None:
    """Let the workers sleep, or wake them."""
    for worker in range(load(control + _SIZE) - 1):
        store(load(control + _CELLS) + worker * _LINE + _REST, rest)
    if rest == 0:
        _rouse(control)


@compiled("void(i8, i8, i8)")
def _share(control: int, number: int, ticket: int) -> None:
    """Do the parts of a compiled job that nobody has begun, those of this thread first."""
    job, arguments, parts = load(control + _JOB), load(control + _ARGUMENTS), load(control + _PARTS)
    first = number * parts // load(control + _SIZE)
    for further in range(parts):
        part = (first + further) % parts
        place = control + _LINE + 8 * part
        begun = load(place)
        if begun != ticket and claim(place, begun, ticket):
            call(job, arguments, part)


@compiled("i8(i8, i8, i8, i8)")
def _serve(control: int, slot: int, number: int, last: int) -> int:
    """Do compiled jobs for ever; return the ticket of a job in Python, which is not taken yet."""
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
        if claim(slot + _TAKEN, ticket - 1, ticket):
            _share(control, number, ticket)
            store(slot + _DONE, ticket)


@compiled("void(i8, i8, i8, i8, i8)")
def _post(control: int, job: int, arguments: int, parts: int, ticket: int) -> None:
    """Give all workers a job, and wake those that sleep."""
    store(control + _JOB, job)
    store(control + _ARGUMENTS, arguments)
    store(control + _PARTS, parts)
    for worker in range(load(control + _SIZE) - 1):
        store(load(control + _CELLS) + worker * _LINE + _TICKET, ticket)
    _rouse(control)


@compiled("void(i8, i8)")
def _settle(control: int, ticket: int) -> None:
    """Let no worker begin any more, and wait for those that have begun."""
    for worker in range(load(control + _SIZE) - 1):
        slot = load(control + _CELLS) + worker * _LINE
        if claim(slot + _TAKEN, ticket - 1, ticket):
            store(slot + _DONE, ticket)
        looks = 0
        while load(slot + _DONE) != ticket:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()


@compiled("void(i8, i8, i8, i8, i8)")
def _lead(control: int, job: int, arguments: int, parts: int, ticket: int) -> None:
    """Have all parts of a compiled job done, by this thread those that no worker has begun."""
    _post(control, job, arguments, parts, ticket)
    _share(control, 0, ticket)
    _settle(control, ticket)


@compiled("void(i8, i8)")
def _note(address: int, number: int) -> None:
    store(address, number)


@compiled("b1(i8, i8)")
def _take(slot: int, ticket: int) -> bool:
    taken: bool = claim(slot + _TAKEN, ticket - 1, ticket)
    return taken


class _SpinWorker(threading.Thread):
    """A worker."""

    def __init__(self, workers: _Workers, number: int) -> None:
        super().__init__(daemon=True, name="ir_plugin crew")
        self.workers, self.number = workers, number
        self.slot = workers.slots + (number - 1) * _LINE
        self.start()

    def run(self) -> None:
        """Serve for ever."""
        last = 0
        with np.errstate(all="ignore"):
            while True:
                last = _serve(self.workers.control, self.slot, self.number, last)
                if _take(self.slot, last):
                    self.workers.share()
                    _note(self.slot + _DONE, last)


class _Workers:
    """So many workers but one, and the board by which one thread at a time gives them jobs."""

    def __init__(self, size: int) -> None:
        self.size = size
        head = _LINE + 8 * _MOST_PARTS
        self._memory = np.zeros((head + (size + 1) * _LINE) // 8, np.int64)
        self.control = -(-address_of(self._memory) // _LINE) * _LINE
        self.slots = self.control + head
        self._ticket = 0
        self._function: Callable[[int], None] | None = None
        self._left: deque[int] = deque()
        self._error: BaseException | None = None
        head_numbers = {_SIZE: size, _CELLS: self.slots, _ACQUIRE: acquire_lock(), _RELEASE: release_lock()}
        for place, number in head_numbers.items():
            _note(self.control + place, number)
        for worker in range(size - 1):
            _note(self.slots + worker * _LINE + _LOCK, held_lock())
        self._members = [_SpinWorker(self, number) for number in range(1, size)]

    def let_rest(self, rest: bool) -> None:
        """Let the workers sleep, or wake them."""
        _let_rest(self.control, int(rest))

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Do all parts of a compiled job."""
        self._ticket += 1
        _lead(self.control, job, arguments, parts, self._ticket)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part; what one raises is raised when all that have begun are done."""
        self._function, self._left, self._error = function, deque(range(parts)), None
        self._ticket += 1
        _post(self.control, _IN_PYTHON, 0, 0, self._ticket)
        self.share()
        _settle(self.control, self._ticket)
        self._function = None
        if self._error is not None:
            raise self._error

    def share(self) -> None:
        """Do the parts of a job in Python that nobody has begun, until one raises."""
        try:
            for part in taken_from(self._left):
                if self._function is not None:
                    self._function(part)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that leads
            self._error = error
            self._left.clear()


class _WorkerRegistry:
    """The gangs that no inference uses, by size, and how many threads those have that are at work.

    There are no more than processors: a thread that looks for work would take the time of one that has some, and jobs
    would wait for threads that do not run.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew, as a forked process has to: it has none of its parent's threads."""
        self._lock = threading.Lock()
        self._free: dict[int, list[_Workers]] = {}
        self._working = 0

    def take(self, size: int) -> tuple[int, _Workers | None]:
        """Return how many threads an inference may have, at most `size`, and the gang that they are."""
        with self._lock:
            threads = max(min(size, available_threads() - self._working), 1)
            self._working += threads
            free = self._free.setdefault(threads, [])
            workers = free.pop() if free else None
        if threads == 1:
            return 1, None
        return threads, workers or _Workers(threads)

    def give_back(self, threads: int, workers: _Workers | None) -> None:
        """Note that an inference has ended."""
        with self._lock:
            self._working -= threads
            if workers is not None:
                self._free[threads].append(workers)


_REGISTRY = _WorkerRegistry()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_REGISTRY.forget)


class SpinPool(ThreadPool):
    """A team of which the workers wait without sleeping between `begin` and `end`."""

    is_spin_pool: ClassVar[bool] = True

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._gang: _Workers | None = None
        self._threads = 0

    def begin(self) -> None:
        """Take workers and wake them, so that they are there when the first job comes."""
        if self._threads == 0:
            self._threads, self._gang = _REGISTRY.take(self.size)
            if self._gang is not None:
                self._gang.let_rest(False)

    def end(self) -> None:
        """Let the workers sleep, and others take them."""
        threads, self._threads = self._threads, 0
        workers, self._gang = self._gang, None
        if workers is not None:
            workers.let_rest(True)
        _REGISTRY.give_back(threads, workers)

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Do all parts of a compiled job, numbered from 0."""
        workers = self._gang
        if workers is None or not 1 < parts <= _MOST_PARTS or not self._busy.acquire(blocking=False):
            _alone(job, arguments, parts)
            return
        try:
            workers.call(job, arguments, parts)
        finally:
            self._busy.release()

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts`, in this thread and the workers."""
        if parts <= 1 or not self._threads or not self._busy.acquire(blocking=False):
            super().run(function, parts)
            return
        try:
            if self._gang is None:
                for part in range(parts):
                    function(part)
            else:
                self._gang.run(function, parts)
        finally:
            self._busy.release()


@compiled("void(i8, i8, i8)")
def _alone(job: int, arguments: int, parts: int) -> None:
    for part in range(parts):
        call(job, arguments, part)


def address_of(array: Array) -> int:
    """Return where the first element of an array lies: .5 µs where it can be written to, ten otherwise."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(cast("bytearray", array)))
    except (TypeError, ValueError, BufferError):
        return int(array.ctypes.data)
