"""The limits of a file that is read: what it may ask of time and memory."""

from __future__ import annotations

from typing import NamedTuple

MAX_DEPTH = 256
"""The deepest nesting of elements, which is also libxml2's limit."""

MAX_ATTRIBUTES = 1000
"""The most attributes of an element, as libxml2 looks each up among all others."""


class Limits(NamedTuple):
    """The most that a file may hold; `ir-plugin check` has an option for each."""

    bytes: int = 2**31
    """The bytes of the XML or of the ONNX model, without external data."""
    layers: int = 2**20
    """The layers of an IR or nodes of an ONNX model, also in bodies."""
    elements: int | None = None
    """The elements of the output of a layer, as far as they are certain; None without a limit."""


DEFAULT_LIMITS = Limits()
MAX_CHECKED_ELEMENTS = 2**32
"""The elements beyond which `ir-plugin check` reports a tensor: with f32, as many bytes as MEMORY_LIMIT allows."""
