"""What a name in the shape of a pattern stands for in a match: a length, a number, a symbol, or a group of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ir_plugin.errors import InputError


class PatternSymbolValue:
    """A length, a number, the symbol of an unknown length, or a group of these."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value: Any = list(value) if isinstance(value, Sequence) else value

    def is_integer(self) -> bool:
        """Return whether it is a whole number."""
        return isinstance(self._value, int)

    def is_double(self) -> bool:
        """Return whether it is a fraction."""
        return isinstance(self._value, float)

    def is_group(self) -> bool:
        """Return whether it is a group."""
        return isinstance(self._value, list)

    def is_static(self) -> bool:
        """Return whether it is a number, or a group of numbers."""
        return all(item.is_static() for item in self._value) if self.is_group() else not self.is_dynamic()

    def is_dynamic(self) -> bool:
        """Return whether it is a symbol, or a group with one."""
        if self.is_group():
            return any(item.is_dynamic() for item in self._value)
        return not isinstance(self._value, (int, float))

    def i(self) -> int:
        """Return the whole number."""
        return int(self._checked(self.is_integer(), "a whole number"))

    def d(self) -> float:
        """Return the fraction."""
        return float(self._checked(self.is_double(), "a fraction"))

    def s(self) -> Any:
        """Return the symbol."""
        return self._checked(not self.is_group() and self.is_dynamic(), "a symbol")

    def g(self) -> list[PatternSymbolValue]:
        """Return the members of the group."""
        return list(self._checked(self.is_group(), "a group"))

    def plain(self) -> Any:
        """Return the value as Python writes it."""
        return [item.plain() for item in self._value] if self.is_group() else self._value

    def _checked(self, is_so: bool, kind: str) -> Any:
        if not is_so:
            raise InputError(f"{self._value!r} is not {kind}")
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PatternSymbolValue) and bool(self._value == other._value)

    __hash__ = None  # type: ignore[assignment]  # as OpenVINO's

    def __repr__(self) -> str:
        return f"<PatternSymbolValue: {self.plain()}>"


Symbols: TypeAlias = "dict[str, PatternSymbolValue]"


def plain_symbols(symbols: Mapping[str, PatternSymbolValue]) -> dict[str, Any]:
    """Return named values as Python writes them."""
    return {name: value.plain() for name, value in sorted(symbols.items())}
