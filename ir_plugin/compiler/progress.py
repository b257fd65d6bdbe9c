"""Progress reports and interruption of compilation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

from ir_plugin.tensors.scoped import scoped

Listener: TypeAlias = Callable[[int, int], None]
"""Called with the number of ops that have been compiled, and the number of all."""

T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def progress_listener(listener: Listener) -> AbstractContextManager[None]:
    """Report the progress of every compilation in this thread to the listener, within the `with`."""
    return scoped(_listener, listener)


def interruptible(check: Callable[[], None]) -> AbstractContextManager[None]:
    """Call `check`, which may raise, between the parts of every compilation in this thread, within the `with`."""
    return scoped(_check, check)


def check_interruption() -> None:
    """Call the check of this thread, if it has one."""
    check = _check.get()
    if check is not None:
        check()


def report_progress(items: Sequence[T]) -> Iterator[T]:
    """Yield the items, and report progress to the listener before each and at the end."""
    listener = _listener.get()
    for done, item in enumerate(items):
        check_interruption()
        if listener is not None:
            listener(done, len(items))
        yield item
    if listener is not None:
        listener(len(items), len(items))
