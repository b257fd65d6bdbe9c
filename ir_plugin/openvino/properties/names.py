"""Callable names of properties, like OpenVINO's, and the enumerations of their values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, EnumMeta
from numbers import Real
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError
from ir_plugin.openvino.properties.any import OVAny

INCOMPATIBLE = "incompatible function arguments"
"""The words of OpenVINO's errors for arguments, which scripts look for."""


class _EntriesMeta(EnumMeta):
    """A metaclass of enumerations that list their members and aliases by name under `__entries`."""


setattr(
    _EntriesMeta, "__entries", property(lambda cls: {name: (member, None) for name, member in cls.__members__.items()})
)


class PropertyEnum(Enum, metaclass=_EntriesMeta):
    """An enumeration of values of a property; `int(value)` is its number."""

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__


class Property(str):
    """The name of a property: a key of a configuration, and called with a value a pair for one.

    `kind` is the type of its values; without one the property is read-only.
    """

    kind: type | None

    def __new__(cls, name: str, kind: type | None = None) -> Property:
        """Return the property with a name and a type of values."""
        property = super().__new__(cls, name)
        property.kind = kind
        return property

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.kind

    def __call__(self, *values: Any) -> Any:
        """Return the name, or with a value the pair of name and value."""
        return (str(self), OVAny(self.converted(*values))) if values else str(self)

    def converted(self, *values: Any) -> Any:
        """Return the value in the type of the property; raises if it has another."""
        if self.kind is None:
            raise ArgumentTypeError(f"{INCOMPATIBLE}: the property {self} is read, and takes no value")
        return self.of_kind(self.kind, *values)

    def of_kind(self, kind: type, *values: Any) -> Any:
        """Return the only value as `kind`; raises if it has another type."""
        if len(values) != 1:
            raise ArgumentTypeError(f"{INCOMPATIBLE}: the property {self} takes one value, not {len(values)}")
        return converted(str(self), values[0], kind)


class EncryptionCallbacks(Property):
    """The functions that encrypt and decrypt a cache, which is not written here."""

    def converted(self, *values: Any) -> Any:
        """Return the pair of functions."""
        pair = list(self.of_kind(Sequence, *values))
        if len(pair) != 2 or not all(map(callable, pair)):
            raise ArgumentTypeError(f"the property {self} takes two functions, not {pair!r}")
        return pair


def converted(name: str, value: Any, kind: type) -> Any:
    """Return the value of a property as `kind`; raises if it has another type."""
    if kind is bool and (value is None or isinstance(value, (int, np.bool_, np.integer))):
        return bool(value)
    if (kind is int or issubclass(kind, np.integer)) and _is_within(value, np.dtype(kind)):
        return int(value)
    if kind is float and isinstance(value, Real):
        return float(value)
    if kind not in (bool, int, float) and isinstance(value, kind):
        return value
    raise ArgumentTypeError(f"{INCOMPATIBLE}: the property {name} takes a value of type {kind.__name__}, not {value!r}")


def _is_within(value: Any, dtype: np.dtype[Any]) -> bool:
    """Return whether a value is a whole number that a type can hold."""
    limits = np.iinfo(dtype)
    return isinstance(value, (int, np.integer)) and limits.min <= int(value) <= limits.max
