"""The limit on memory that evaluations keep to: working arrays are asked for before they are taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod

from ir_plugin.errors import LimitError
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT

_limit: ContextVar[int] = ContextVar("memory_limit", default=DEFAULT_MEMORY_LIMIT)


@contextmanager
def limited(limit: int) -> Iterator[None]:
    """Let no array of more than so many bytes be asked for."""
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)


def require(what: str, shape: Sequence[int], itemsize: int) -> None:
    """Raise `LimitError` where an array of this shape is beyond the limit."""
    size = prod(map(int, shape)) * itemsize
    if size > _limit.get():
        shown = ",".join(map(str, shape))
        raise LimitError(f"{what} [{shown}] takes {size} bytes; the memory limit is {_limit.get()}")
