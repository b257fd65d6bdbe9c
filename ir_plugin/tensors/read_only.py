"""Base of shared values with read-only attributes."""

from __future__ import annotations

from typing import Any

from ir_plugin.errors import UnsupportedError


class ReadOnlyError(UnsupportedError, AttributeError):
    """An attribute of a value that cannot be set or deleted."""


class ReadOnly:
    """Base class that refuses to set or delete attributes; a subclass sets its own with `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise self._refusal(name)

    def __delattr__(self, name: str) -> None:
        raise self._refusal(name)

    def _refusal(self, name: str) -> ReadOnlyError:
        return ReadOnlyError(f"{name!r} of a {type(self).__name__} cannot be set or deleted; make another one")
