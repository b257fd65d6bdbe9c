"""String elements: text in which bytes that are not UTF-8 are kept as surrogates (PEP 383)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ir_plugin.errors import PackingError
from ir_plugin.tensors.element_type import Array


def from_bytes(data: bytes) -> str:
    """Return bytes decoded as text."""
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return text encoded as bytes."""
    return text.encode("utf-8", "surrogateescape")


def string_array(items: Iterable[str | bytes], shape: tuple[int, ...]) -> Array:
    """Return texts and bytes as an object array; raises for text that cannot be encoded."""
    texts = [from_bytes(item) if isinstance(item, bytes) else _checked(item) for item in items]
    array = np.empty(len(texts), np.object_)
    array[:] = texts
    return array.reshape(shape)


def _checked(text: str) -> str:
    try:
        to_bytes(text)
    except UnicodeError as fault:
        raise PackingError(f"the strings are not UTF-8 text: {fault}") from None
    return text


def readable(array: Array) -> Array:
    """Return strings in NumPy's text dtype, with U+FFFD for bytes that are not UTF-8."""
    return _mapped(array, lambda text: to_bytes(text).decode("utf-8", "replace"), np.str_)


def encoded(array: Array) -> Array:
    """Return strings in NumPy's bytes dtype."""
    return _mapped(array, to_bytes, np.bytes_)


def _mapped(array: Array, convert: Any, dtype: Any) -> Array:
    return np.array([convert(text) for text in array.reshape(-1).tolist()], dtype).reshape(array.shape)
