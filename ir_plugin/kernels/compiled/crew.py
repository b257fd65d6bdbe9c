"""Threads that wait for work without the interpreter's lock, and do jobs that are compiled from end to end.

Work in Python takes some 40 to 65 µs to reach a sleeping thread, and threads that run Python hold each other up at the
interpreter's lock: Winograd's form of 64 channels of 56x56 took 3.8 ms in one thread and 5.1 in two, by a crew 2.3 and
1.3 (`python -m benchmarks.provider`). A crew's workers look at a flag in compiled code while an inference runs.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any, ClassVar, cast

import numba
import numpy as np
from numba import types

from ir_plugin.kernels.compiled.jit import compiled
from ir_plugin.kernels.compiled.native import call, claim, load, store
from ir_plugin.kernels.team import Team
from ir_plugin.tensors import Array

_CELL = 128
"""Bytes of a worker's cell: ticket, job, arguments, rest; on a line of their own the last tickets taken and done."""
_JOB, _ARGUMENTS, _REST, _TAKEN, _DONE = 8, 16, 24, 64, 72

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


@compiled("i8(i8, i8, i8)")
def _serve(cell: int, part: int, last: int) -> int:
    """Do compiled jobs; return the last ticket, negative where its job is in Python and not done yet."""
    looks = 0
    while looks < _LOOKS and load(cell + _REST) == 0:
        ticket = load(cell)
        if ticket == last:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()
            continue
        last, looks = ticket, 0
        if claim(cell + _TAKEN, ticket - 1, ticket):
            job = load(cell + _JOB)
            if job == _IN_PYTHON:
                return -int(ticket)
            call(job, load(cell + _ARGUMENTS), part)
            store(cell + _DONE, ticket)
    return last


@compiled("void(i8, i8, i8, i8, i8)")
def _post(cells: int, workers: int, job: int, arguments: int, ticket: int) -> None:
    for worker in range(workers):
        cell = cells + worker * _CELL
        store(cell + _JOB, job)
        store(cell + _ARGUMENTS, arguments)
        store(cell, ticket)


@compiled("void(i8, i8, i8)")
def _await(cells: int, workers: int, ticket: int) -> None:
    for worker in range(workers):
        looks = 0
        while load(cells + worker * _CELL + _DONE) != ticket:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()


@compiled("void(i8, i8, i8, i8, i8)")
def _lead(cells: int, workers: int, job: int, arguments: int, ticket: int) -> None:
    """Do the first part of a job and those that no worker has taken by then, and wait for the others."""
    call(job, arguments, 0)
    for worker in range(workers):
        cell = cells + worker * _CELL
        if claim(cell + _TAKEN, ticket - 1, ticket):
            call(job, arguments, worker + 1)
            store(cell + _DONE, ticket)
    _await(cells, workers, ticket)


@compiled("void(i8, i8)")
def _note(address: int, number: int) -> None:
    store(address, number)


@compiled("b1(i8, i8)")
def _take(cell: int, ticket: int) -> bool:
    taken: bool = claim(cell + _TAKEN, ticket - 1, ticket)
    return taken


@compiled("i8(i8)")
def _read(address: int) -> int:
    found: int = load(address)
    return found


class _Member(threading.Thread):
    """A worker; `asleep` is read and written with the interpreter's lock held."""

    def __init__(self, gang: _Gang, number: int) -> None:
        super().__init__(daemon=True, name="ir_plugin crew")
        self.gang, self.number = gang, number
        self.asleep = False
        self.wake = threading.Semaphore(0)
        self.cell = gang.cells + (number - 1) * _CELL
        self.start()

    def run(self) -> None:
        """Serve for ever."""
        last = 0
        with np.errstate(all="ignore"):
            while True:
                ticket = _serve(self.cell, self.number, last)
                last = abs(ticket)
                if ticket < 0:
                    self.gang.do(self.number)
                    _note(self.cell + _DONE, last)
                else:
                    self._sleep(last)

    def _sleep(self, last: int) -> None:
        """Sleep, unless a job came in the meantime; who posts one looks at `asleep` afterwards."""
        self.asleep = True
        if _read(self.cell) == last:
            self.wake.acquire()
        self.asleep = False


class _Gang:
    """So many workers but one, and the cells by which one thread at a time gives them jobs."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._memory = np.zeros(size * _CELL // 8, np.int64)
        self.cells = -(-address_of(self._memory) // _CELL) * _CELL
        self._ticket = 0
        self._function: Callable[[int], None] | None = None
        self._parts = 0
        self._error: BaseException | None = None
        self._members = [_Member(self, number) for number in range(1, size)]

    @property
    def is_alive(self) -> bool:
        """Whether the workers are there: a forked process has none of its parent's."""
        return all(member.is_alive() for member in self._members)

    def let_rest(self, rest: bool) -> None:
        """Let the workers sleep, or wake them."""
        for member in self._members:
            _note(member.cell + _REST, int(rest))
        if not rest:
            self._rouse()

    def call(self, job: int, arguments: int) -> None:
        """Do all parts of a compiled job."""
        self._send(job, arguments)
        _lead(self.cells, self.size - 1, job, arguments, self._ticket)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part; what one raises is raised when all are done."""
        self._function, self._parts, self._error = function, parts, None
        self._send(_IN_PYTHON, 0)
        try:
            function(0)
            for member in self._members:
                if _take(member.cell, self._ticket):
                    self.do(member.number)
                    _note(member.cell + _DONE, self._ticket)
        finally:
            self._settle()
        if self._error is not None:
            raise self._error

    def _settle(self) -> None:
        """Wait for the workers that have taken a part; parts that none has are not done any more."""
        for member in self._members:
            if _take(member.cell, self._ticket):
                _note(member.cell + _DONE, self._ticket)
        _await(self.cells, self.size - 1, self._ticket)
        self._function = None

    def do(self, part: int) -> None:
        """Do a part of a job in Python; what it raises is raised when all are done."""
        try:
            if self._function is not None and part < self._parts:
                self._function(part)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that leads
            self._error = error

    def _send(self, job: int, arguments: int) -> None:
        self._ticket += 1
        _post(self.cells, self.size - 1, job, arguments, self._ticket)
        self._rouse()

    def _rouse(self) -> None:
        for member in self._members:
            if member.asleep:
                member.asleep = False
                member.wake.release()


_FREE: dict[int, list[_Gang]] = {}
"""Gangs that no inference uses, by their size: there are as many as inferences have run at once."""


class Crew(Team):
    """A team of which the workers wait without sleeping between `begin` and `end`."""

    is_crew: ClassVar[bool] = True

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._gang: _Gang | None = None

    def begin(self) -> None:
        """Take workers and wake them, so that they are there when the first job comes."""
        if self.size == 1 or self._gang is not None:
            return
        free = _FREE.setdefault(self.size, [])
        gang = free.pop() if free else _Gang(self.size)
        self._gang = gang if gang.is_alive else _Gang(self.size)
        self._gang.let_rest(False)

    def end(self) -> None:
        """Let the workers sleep, and others take them."""
        gang, self._gang = self._gang, None
        if gang is not None:
            gang.let_rest(True)
            _FREE[self.size].append(gang)

    def call(self, job: int, arguments: int, parts: int) -> None:
        """Do all parts of a compiled job, numbered from 0: one, or `size` of them."""
        if parts > 1 and self._gang is not None and self._busy.acquire(blocking=False):
            try:
                self._gang.call(job, arguments)
            finally:
                self._busy.release()
            return
        for part in range(parts):
            _alone(job, arguments, part)

    def run(self, function: Callable[[int], None], parts: int) -> None:
        """Call `function` for every part below `parts` (at most `size`), the first one in this thread."""
        if parts <= 1 or self._gang is None or not self._busy.acquire(blocking=False):
            super().run(function, parts)
            return
        try:
            self._gang.run(function, parts)
        finally:
            self._busy.release()


@compiled("void(i8, i8, i8)")
def _alone(job: int, arguments: int, part: int) -> None:
    call(job, arguments, part)


def address_of(array: Array) -> int:
    """Return where the first element of an array lies: .5 µs where it can be written to, ten otherwise."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(cast("bytearray", array)))
    except (TypeError, ValueError, BufferError):
        return int(array.ctypes.data)
