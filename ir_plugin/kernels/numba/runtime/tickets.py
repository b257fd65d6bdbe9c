"""What the threads of a spin pool do in compiled code: tickets, parts of jobs, and sleep.

`docs/internals/numba-runtime.md` describes the protocol.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ir_plugin.kernels.numba.runtime.intrinsics import call, carray, claim, external, fence, load, pointer, store
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.structs import Struct, arguments_at, struct

LINE = 128
"""Bytes of the control block, and of a worker slot: two cache lines, which processors fetch together."""
MOST_PARTS = 512
"""The most parts of a job; after the control block there is, for each, the ticket of the job that last began it."""
CONTROL = struct("job arguments parts ticket threads slots acquire release")
"""The control block: the newest job and its ticket, the threads and their slots, and the addresses of Python's lock
functions."""
SLOT: Struct = np.dtype({
    "names": ["ticket", "rest", "asleep", "lock", "taken", "done"], "formats": [np.int64] * 6,
    "offsets": [0, 8, 16, 24, 64, 72], "itemsize": LINE,
})  # fmt: skip
"""A worker slot: the newest ticket, whether to sleep at once, whether asleep and on which lock; on another line
the last tickets that were taken and done."""


def _offset(dtype: Struct, field: str) -> int:
    """Return the bytes from the beginning of a struct to a field."""
    fields: Any = dtype.fields
    return int(fields[field][1])


_JOB, _ARGUMENTS, _PARTS, _NEWEST = (_offset(CONTROL, name) for name in ("job", "arguments", "parts", "ticket"))
_THREADS, _SLOTS, _ACQUIRE, _RELEASE = (_offset(CONTROL, name) for name in ("threads", "slots", "acquire", "release"))
_TICKET, _REST, _ASLEEP = (_offset(SLOT, name) for name in ("ticket", "rest", "asleep"))
_LOCK, _TAKEN, _DONE = (_offset(SLOT, name) for name in ("lock", "taken", "done"))

_LOOKS = 2_000_000
"""How often a worker looks for a new ticket before it sleeps: a few milliseconds."""
_REST_LOOKS = 100_000
"""How often a worker at rest looks for the next inference, a tenth of a millisecond; to wake it takes half of that."""
_PATIENCE = 20_000
"""Looks after which a thread that waits yields its processor now and then."""

IN_PYTHON = 0
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
        slot = load(control + _SLOTS) + worker * LINE
        if load(slot + _ASLEEP) == 1 and claim(slot + _ASLEEP, 1, 0):
            call(load(control + _RELEASE), load(slot + _LOCK), 0)


@compiled("void(i8, i8)")
def set_rest(control: int, rest: int) -> None:
    """Let the workers sleep between jobs, or wake them and let them spin."""
    for worker in range(load(control + _THREADS) - 1):
        store(load(control + _SLOTS) + worker * LINE + _REST, rest)
    if rest == 0:
        _wake(control)


@compiled("b1(i8, i8)")
def take(slot: int, ticket: int) -> bool:
    """Take a ticket for a worker, unless it or a later one is taken; return whether that succeeded."""
    taken = load(slot + _TAKEN)
    success: bool = taken < ticket and claim(slot + _TAKEN, taken, ticket)
    return success


@compiled("void(i8, i8)")
def finish(slot: int, ticket: int) -> None:
    """Say that a worker's part of a job is done."""
    store(slot + _DONE, ticket)


@compiled("void(i8, i8, i8)")
def _run_parts(control: int, number: int, ticket: int) -> None:
    """Run the parts of a compiled job that nobody has begun, from this thread's own share on."""
    job, arguments, parts = load(control + _JOB), load(control + _ARGUMENTS), load(control + _PARTS)
    first = number * parts // load(control + _THREADS)
    for further in range(parts):
        part = (first + further) % parts
        address = control + LINE + 8 * part
        begun = load(address)
        if begun != ticket and claim(address, begun, ticket):
            call(job, arguments, part)


@compiled("i8(i8, i8, i8, i8)")
def run_jobs(control: int, slot: int, number: int, last: int) -> int:
    """Run compiled jobs for ever; return the ticket of a job in Python, which is not taken yet."""
    looks = resting = 0
    while True:
        ticket: int = load(slot + _TICKET)
        if ticket == last:
            looks += 1
            resting = resting + 1 if load(slot + _REST) != 0 else 0
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()
            if looks == _LOOKS or resting == _REST_LOOKS:
                _sleep(control, slot, last)
                looks = resting = 0
            continue
        if load(control + _JOB) == IN_PYTHON:
            return ticket
        last, looks, resting = ticket, 0, 0
        if take(slot, ticket):
            _run_parts(control, number, ticket)
            finish(slot, ticket)


@job
def publish(control: int, _: int) -> None:
    """Give the job of the control block a ticket, write it to all slots, and wake the workers that sleep."""
    ticket = load(control + _NEWEST) + 1
    store(control + _NEWEST, ticket)
    for worker in range(load(control + _THREADS) - 1):
        store(load(control + _SLOTS) + worker * LINE + _TICKET, ticket)
    _wake(control)


@job
def wait(control: int, _: int) -> None:
    """Take the newest ticket for all workers that have not, and wait for those that have."""
    ticket = load(control + _NEWEST)
    for worker in range(load(control + _THREADS) - 1):
        slot = load(control + _SLOTS) + worker * LINE
        if take(slot, ticket):
            finish(slot, ticket)
        looks = 0
        while load(slot + _DONE) < ticket:
            looks += 1
            if looks > _PATIENCE and looks % 1000 == 0:
                _yield()


@job
def run_job(control: int, _: int) -> None:
    """Run all parts of the compiled job in the control block, in this thread those that no worker has begun."""
    publish(control, 0)
    _run_parts(control, 0, load(control + _NEWEST))
    wait(control, 0)


ENTRY = struct("job arguments parts stop")
"""An entry of a table of jobs: `kernels.jobs.Job`."""
TABLE = struct("entries first last stopped")
"""The address of entries, of which [first, last) are run, and the number of one that has stopped, or -1."""


@job
def run_table(address: int, control: int) -> None:
    """Run jobs of a table, one after the other; without workers (control 0) all parts in this thread.

    A job that has stopped ends the run, and its word is cleared.
    """
    table = arguments_at(address, TABLE)
    entries = carray(pointer(table.entries), (table.last,), ENTRY)
    table.stopped = -1
    for number in range(table.first, table.last):
        job, arguments, parts = entries[number].job, entries[number].arguments, entries[number].parts
        if control != 0 and 1 < parts <= MOST_PARTS:
            store(control + _JOB, job)
            store(control + _ARGUMENTS, arguments)
            store(control + _PARTS, parts)
            run_job(control, 0)
        else:
            for part in range(parts):
                call(job, arguments, part)
        stop = entries[number].stop
        if stop != 0 and load(stop) != 0:
            store(stop, 0)
            table.stopped = number
            break
