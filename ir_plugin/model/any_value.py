"""`OVAny`: a value of any type in runtime information and properties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require


class OVAny:
    """A value of runtime information, or of a property, as `openvino.OVAny`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def get(self) -> Any:
        """Return the value."""
        return self.value

    def set(self, value: Any) -> None:
        """Change this value, but not the model."""
        self.value = value

    def astype(self, type: type) -> Any:
        """Return the value converted to a Python type; `YES`, `true` and `1` are True."""
        if not callable(type):
            raise ArgumentTypeError(f"{type!r} is not a Python type")
        if type is bool and isinstance(self.value, str):
            return self.value.strip().lower() in ("yes", "true", "1")
        try:
            return type(self.value)
        except (TypeError, ValueError) as fault:
            name = getattr(type, "__name__", type)
            raise InputError(f"the value {self.value!r} cannot be converted to {name}: {fault}") from None

    def aslist(self, type: type = str) -> list[Any]:
        """Return the items of a list, separated by blanks in text."""
        require(self.value, (str, Iterable), "a list, or text with blanks,", "value")
        items = self.value.split() if isinstance(self.value, str) else list(self.value)
        return [OVAny(item).astype(type) for item in items]

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, OVAny) else other))

    def __hash__(self) -> int:
        return hash(str(self.value))

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(self.value, (list, dict)):
            raise ArgumentTypeError(f"{type(self.value).__name__} has no entries to set; lists and dictionaries have")
        self.value[key] = value

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return "<OVAny class>"
