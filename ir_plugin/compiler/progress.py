"""Who is told how far the making of a plan is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Listener: TypeAlias = Callable[[int, int], None]
"""Told how many of how many calls are prepared."""

T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def progress_listener(listener: Listener) -> Iterator[None]:
    """Tell the listener of every plan that this thread makes within the `with`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(items: Sequence[T]) -> Iterator[T]:
    """Yield the items, and tell the listener before each and at the end."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    for done, item in enumerate(items):
        listener(done, len(items))
        yield item
    listener(len(items), len(items))
