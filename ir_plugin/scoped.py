"""Values that context variables have within a `with`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def scoped(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Give a variable a value in this thread, within the `with`."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
