"""Visitors of the attributes of custom operations: one collects them, one sets them from a layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError, Error
from ir_plugin.model import Model
from ir_plugin.tensors import Dimension, PartialShape

_SCALARS = (bool, str, int, float, np.float32, np.float64, Dimension, PartialShape, Model)


class Collector:
    """Collects attributes by name."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def on_attributes(self, attributes: dict[str, Any]) -> None:
        """Take over the attributes of a dictionary."""
        if not isinstance(attributes, dict):
            raise ArgumentTypeError(f"on_attributes takes a dictionary, not {type(attributes).__name__}")
        for name, value in attributes.items():
            self.on_attribute(name, value)

    def on_attribute(self, name: str, value: Any) -> Any:
        """Take over one attribute, and return its value."""
        self.values[str(name)] = _checked(value)
        return value


class Filler(Collector):
    """Sets attributes from the texts of a layer; `fault` says which text has the wrong type."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self.fault = ""
        self._texts = texts

    def on_attributes(self, attributes: dict[str, Any]) -> None:
        """Write the values of the layer into a dictionary."""
        for name, value in list(attributes.items()):
            attributes[name] = self.on_attribute(name, value)

    def on_attribute(self, name: str, value: Any) -> Any:
        """Return the value of the layer, or the one of before where it has none."""
        if name not in self._texts:
            return value
        try:
            return _parsed(self._texts[name], _checked(value))
        except (ValueError, Error):
            self.fault = f"attribute {name!r}: {self._texts[name]!r} is no {type(value).__name__}"
            return value


def _checked(value: Any) -> Any:
    """Return a value that an IR can hold, arrays as lists; raises for others."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iufb":
            raise ArgumentTypeError(f"Unsupported NumPy array dtype: {value.dtype}")
        return value.tolist()
    if isinstance(value, (list, tuple)):
        for item in value:
            if not isinstance(item, (bool, str, int, float, np.number)):
                raise ArgumentTypeError(f"Unsupported attribute type in provided list: {type(item)}")
        return list(value)
    if not isinstance(value, _SCALARS):
        raise ArgumentTypeError(f"Unsupported attribute type: {type(value)}")
    return value


def _parsed(text: str, default: Any) -> Any:
    if isinstance(default, list):
        items = [item.strip() for item in text.split(",")] if text else []
        kind = _reader(default[0]) if default else str
        return [kind(item) for item in items]
    return _reader(default)(text)


def _reader(default: Any) -> Callable[[str], Any]:
    """Return the function that reads a text as a value of the type of another one."""
    if isinstance(default, bool):
        return _truth
    return type(default)


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text.lower() in ("true", "1")
