"""The limit on memory that evaluations keep to: working arrays are asked for before they are taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod

from ir_plugin.errors import LimitError
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT

_limit: ContextVar[int | None] = ContextVar("memory_limit", default=None)


@contextmanager
def limited(limit: int) -> Iterator[None]:
    """Let no array of more than so many bytes be asked for, or of fewer where the limit around this one is lower."""
    outer = _limit.get()
    token = _limit.set(limit if outer is None else min(limit, outer))
    try:
        yield
    finally:
        _limit.reset(token)


def require(what: str, shape: Sequence[int], itemsize: int) -> None:
    """Raise `LimitError` where an array of this shape is beyond the limit."""
    size, outer = prod(map(int, shape)) * itemsize, _limit.get()
    limit = DEFAULT_MEMORY_LIMIT if outer is None else outer
    if size > limit:
        shown = ",".join(map(str, shape))
        raise LimitError(f"{what} [{shown}] takes {size} bytes; the memory limit is {limit}")
