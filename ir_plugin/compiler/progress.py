"""Who is told how far the making of a plan is, and what may interrupt it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Listener: TypeAlias = Callable[[int, int], None]
"""Told how many of how many calls are prepared."""

T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def progress_listener(listener: Listener) -> Iterator[None]:
    """Tell the listener of every plan that this thread makes within the `with`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """Call `check`, which may raise, between the parts of every plan that this thread makes within the `with`."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def check_interruption() -> None:
    """Raise what the check of this thread raises, if it has one."""
    check = _check.get()
    if check is not None:
        check()


def report_progress(items: Sequence[T]) -> Iterator[T]:
    """Yield the items, and tell the listener before each and at the end."""
    listener = _listener.get()
    for done, item in enumerate(items):
        check_interruption()
        if listener is not None:
            listener(done, len(items))
        yield item
    if listener is not None:
        listener(len(items), len(items))
