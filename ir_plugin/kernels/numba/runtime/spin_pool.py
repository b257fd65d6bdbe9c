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
from ir_plugin.kernels.thread_pool import Team, available_threads, taken_from
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
def _sleep(board: int, cell: int, last: int) -> None:
    """Sleep until `_rouse`, unless there is another ticket than the last one."""
    store(cell + _ASLEEP, 1)
    fence()
    if load(cell + _TICKET) == last or not claim(cell + _ASLEEP, 1, 0):
        call(load(board + _ACQUIRE), load(cell + _LOCK), 1)


@compiled("void(i8)")
def _rouse(board: int) -> None:
    """Wake the workers that sleep."""
    fence()
    for worker in range(load(board + _SIZE) - 1):
        cell = load(board + _CELLS) + worker * _LINE
        if load(cell + _ASLEEP) == 1 and claim(cell + _ASLEEP, 1, 0):
            call(load(board + _RELEASE), load(cell + _LOCK), 0)


@compiled("void(i8, i8)")
def _let_rest(board: int, rest: int) -> None:
    """Let the workers sleep, or wake them."""
    for worker in range(load(board + _SIZE) - 1):
        store(load(board + _CELLS) + worker * _LINE + _REST, rest)
    if rest == 0:
        _rouse(board)


@compiled("void(i8, i8, i8)")
def _share(board: int, number: int, ticket: int) -> None:
    """Do the parts of a compiled job that nobody has begun, those of this thread first."""
    job, arguments, parts = load(board + _JOB), load(board + _ARGUMENTS), load(board + _PARTS)
    first = number * parts // load(board + _SIZE)
    for further in range(parts):
        part = (first + further) % parts
        place = board + _LINE + 8 * part
        begun = load(place)
        if begun != ticket and claim(place, begun, ticket):
            call(job, arguments, part)


@compiled("i8(i8, i8, i8, i8)")
def _serve(board: int, cell: int, number: int, last: int) -> int:
    """Do compiled jobs for ever; return the ticket of a job in Python, which is not taken yet."""
    looks = 0
    while True:
        ticket: int = load(cell + _TICKET)
        if ticket == last:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()
            if looks == _LOOKS or load(cell + _REST) != 0:
                _sleep(board, cell, last)
                looks = 0
            continue
        if load(board + _JOB) == _IN_PYTHON:
            return ticket
        last, looks = ticket, 0
        if claim(cell + _TAKEN, ticket - 1, ticket):
            _share(board, number, ticket)
            store(cell + _DONE, ticket)


@compiled("void(i8, i8, i8, i8, i8)")
def _post(board: int, job: int, arguments: int, parts: int, ticket: int) -> None:
    """Give all workers a job, and wake those that sleep."""
    store(board + _JOB, job)
    store(board + _ARGUMENTS, arguments)
    store(board + _PARTS, parts)
    for worker in range(load(board + _SIZE) - 1):
        store(load(board + _CELLS) + worker * _LINE + _TICKET, ticket)
    _rouse(board)


@compiled("void(i8, i8)")
def _settle(board: int, ticket: int) -> None:
    """Let no worker begin any more, and wait for those that have begun."""
    for worker in range(load(board + _SIZE) - 1):
        cell = load(board + _CELLS) + worker * _LINE
        if claim(cell + _TAKEN, ticket - 1, ticket):
            store(cell + _DONE, ticket)
        looks = 0
        while load(cell + _DONE) != ticket:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()


@compiled("void(i8, i8, i8, i8, i8)")
def _lead(board: int, job: int, arguments: int, parts: int, ticket: int) -> None:
    """Have all parts of a compiled job done, by this thread those that no worker has begun."""
    _post(board, job, arguments, parts, ticket)
    _share(board, 0, ticket)
    _settle(board, ticket)


@compiled("void(i8, i8)")
def _note(address: int, number: int) -> None:
    store(address, number)


@compiled("b1(i8, i8)")
def _take(cell: int, ticket: int) -> bool:
    taken: bool = claim(cell + _TAKEN, ticket - 1, ticket)
    return taken


class _Member(threading.Thread):
    """A worker."""

    def __init__(self, gang: _Gang, number: int) -> None:
        super().__init__(daemon=True, name="ir_plugin crew")
        self.gang, self.number = gang, number
        self.cell = gang.cells + (number - 1) * _LINE
        self.start()

    def run(self) -> None:
        """Serve for ever."""
        last = 0
        with np.errstate(all="ignore"):
            while True:
                last = _serve(self.gang.board, self.cell, self.number, last)
                if _take(self.cell, last):
                    self.gang.share()
                    _note(self.cell + _DONE, last)


class _Gang:
    """So many workers but one, and the board by which one thread at a time gives them jobs."""

    def __init__(self, size: int) -> None:
        self.size = size
        head = _LINE + 8 * _MOST_PARTS
        self._memory = np.zeros((head + (size + 1) * _LINE) // 8, np.int64)
        self.board = -(-address_of(self._memory) // _LINE) * _LINE
        self.cells = self.board + head
        self._ticket = 0
        self._function: Callable[[int], None] | None = None
        self._left: deque[int] = deque()
        self._error: BaseException | None = None
        head_numbers = {_SIZE: size, _CELLS: self.cells, _ACQUIRE: acquire_lock(), _RELEASE: release_lock()}
        for place, number in head_numbers.items():
            _note(self.board + place, number)
        for worker in range(size - 1):
            _note(self.cells + worker * _LINE + _LOCK, held_lock())
        self._members = [_Member(self, number) for number in range(1, size)]

    def let_rest(self, rest: bool) -> None:
        """Let the workers sleep, or wake them."""
        _let_rest(self.board, int(rest))

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Do all parts of a compiled job."""
        self._ticket += 1
        _lead(self.board, job, arguments, parts, self._ticket)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part; what one raises is raised when all that have begun are done."""
        self._function, self._left, self._error = function, deque(range(parts)), None
        self._ticket += 1
        _post(self.board, _IN_PYTHON, 0, 0, self._ticket)
        self.share()
        _settle(self.board, self._ticket)
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


class _Yard:
    """The gangs that no inference uses, by size, and how many threads those have that are at work.

    There are no more than processors: a thread that looks for work would take the time of one that has some, and jobs
    would wait for threads that do not run.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew, as a forked process has to: it has none of its parent's threads."""
        self._lock = threading.Lock()
        self._free: dict[int, list[_Gang]] = {}
        self._working = 0

    def take(self, size: int) -> tuple[int, _Gang | None]:
        """Return how many threads an inference may have, at most `size`, and the gang that they are."""
        with self._lock:
            threads = max(min(size, available_threads() - self._working), 1)
            self._working += threads
            free = self._free.setdefault(threads, [])
            gang = free.pop() if free else None
        if threads == 1:
            return 1, None
        return threads, gang or _Gang(threads)

    def give_back(self, threads: int, gang: _Gang | None) -> None:
        """Note that an inference has ended."""
        with self._lock:
            self._working -= threads
            if gang is not None:
                self._free[threads].append(gang)


_YARD = _Yard()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_YARD.forget)


class Crew(Team):
    """A team of which the workers wait without sleeping between `begin` and `end`."""

    is_crew: ClassVar[bool] = True

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._gang: _Gang | None = None
        self._threads = 0

    def begin(self) -> None:
        """Take workers and wake them, so that they are there when the first job comes."""
        if self._threads == 0:
            self._threads, self._gang = _YARD.take(self.size)
            if self._gang is not None:
                self._gang.let_rest(False)

    def end(self) -> None:
        """Let the workers sleep, and others take them."""
        threads, self._threads = self._threads, 0
        gang, self._gang = self._gang, None
        if gang is not None:
            gang.let_rest(True)
        _YARD.give_back(threads, gang)

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Do all parts of a compiled job, numbered from 0."""
        gang = self._gang
        if gang is None or not 1 < parts <= _MOST_PARTS or not self._busy.acquire(blocking=False):
            _alone(job, arguments, parts)
            return
        try:
            gang.call(job, arguments, parts)
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
