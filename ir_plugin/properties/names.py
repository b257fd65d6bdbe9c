"""Names of properties that may also be called, as OpenVINO's may."""

from __future__ import annotations

from typing import Any


class Property(str):
    """The name of a property: a key of a configuration; called with a value it is a pair for one."""

    __slots__ = ()

    def __call__(self, *value: Any) -> Any:
        """Return the name, or with a value the pair of both."""
        return (str(self), value[0]) if value else str(self)
