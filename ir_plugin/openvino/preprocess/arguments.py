"""Converts and checks the arguments of preprocessing calls: layouts, element types, lengths and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from ir_plugin.errors import ArgumentTypeError, wrong_type
from ir_plugin.tensors import ElementType, Layout

_SCALARS = (int, float, np.number, np.bool_)
_TEXTS = (str, bytes, Mapping)


def as_layout(value: Any, name: str) -> Layout:
    """Return a layout, or the layout that a text spells."""
    if isinstance(value, str):
        return Layout(value)
    if not isinstance(value, Layout):
        raise wrong_type(name, "a layout, or its text,", value)
    return value


def as_type(value: Any) -> ElementType:
    """Return an element type; a NumPy dtype or a text is refused, as OpenVINO refuses it."""
    if not isinstance(value, ElementType):
        raise wrong_type("type", "an element type, such as Type.f32,", value)
    return value


def as_length(value: Any, name: str) -> int:
    """Return a whole number that is not negative."""
    if not isinstance(value, SupportsIndex) or index(value) < 0:
        raise ArgumentTypeError(f"argument {name!r}: a whole number from 0 is needed, not {value!r}")
    return index(value)


def as_integers(value: Any, name: str) -> tuple[int, ...]:
    """Return a sequence of whole numbers."""
    items = _items(value, name)
    if not all(isinstance(item, SupportsIndex) for item in items):
        raise ArgumentTypeError(f"argument {name!r}: a list of whole numbers is needed, not {value!r}")
    return tuple(map(index, items))


def as_floats(value: Any, name: str) -> tuple[float, ...]:
    """Return one number, or a sequence of numbers, rounded to f32."""
    items = [value] if isinstance(value, _SCALARS) else _items(value, name)
    if not all(isinstance(item, _SCALARS) for item in items):
        raise ArgumentTypeError(f"argument {name!r}: a number or a list of numbers is needed, not {value!r}")
    with np.errstate(over="ignore"):
        return tuple(float(np.float32(item)) for item in items)


def _items(value: Any, name: str) -> list[Any]:
    if isinstance(value, _TEXTS) or not isinstance(value, Iterable):
        raise wrong_type(name, "a list of numbers", value)
    return list(value)


def listed(values: Iterable[float]) -> str:
    """Return numbers as the description of a step shows them: `(1,2.5)`."""
    texts = ",".join(f"{value:g}" for value in values)
    return f"({texts})" if texts else ""
