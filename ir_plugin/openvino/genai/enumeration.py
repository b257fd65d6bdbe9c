"""The base of enumerations, whose members are printed as openvino_genai prints them."""

from __future__ import annotations

from enum import IntEnum


class Enumeration(IntEnum):
    """Whole numbers with names, printed with the name of their class, such as `StreamingStatus.STOP`."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)
