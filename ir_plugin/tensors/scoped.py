"""Values that context variables have within a `with`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from typing import Generic, TypeVar

T = TypeVar("T")


def scoped(variable: ContextVar[T], value: T) -> AbstractContextManager[None]:
    """Give a variable a value in this thread, within the `with`."""
    return _Scope(variable, value)


class _Scope(AbstractContextManager[None], Generic[T]):
    """A class rather than a generator, as each inference enters one."""

    __slots__ = ("_token", "_value", "_variable")

    _token: Token[T]

    def __init__(self, variable: ContextVar[T], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> None:
        self._token = self._variable.set(self._value)

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)
