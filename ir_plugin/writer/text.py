"""Texts of attributes in the spelling of OpenVINO's writer, and the XML around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.model import Model, Node
from ir_plugin.operations.registry import Definition
from ir_plugin.schema.catalogue import standard
from ir_plugin.schema.interface import AttributeSpec
from ir_plugin.tensors import ElementType, PartialShape

_UPPER_CASE = frozenset(["approximation_mode", "eps_mode"])
"""Enumerations that OpenVINO writes in upper case."""
_LEFT_OUT = frozenset(["auto_broadcast_axis", "lowest", "out_of_range"])
"""Attributes that OpenVINO writes only if they differ from the default."""
_ESCAPES = {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_ESCAPED = re.compile('[&<"\t\n\r]')
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def text_of(value: Any) -> str:
    """Return an attribute's value as text."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, ElementType):
        return value.name
    if isinstance(value, PartialShape):
        return str(value)[1:-1]
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.17g}"
    if isinstance(value, (tuple, list, np.ndarray)):
        return ", ".join(map(text_of, value))
    return str(value)


def attribute_texts(node: Node) -> dict[str, str]:
    """Return the attributes of a layer as names and texts of a file, those in the original file first."""
    operation = node.operation
    if operation is None:
        return dict(node.attributes)
    own = operation.written_attributes()
    if own is not None:
        unread = {name: text for name, text in node.attributes.items() if name not in own}
        return unread | {name: text_of(value) for name, value in own.items() if not isinstance(value, Model)}
    specs = standard().interface(Definition(operation.type, operation.version, type(operation))).attributes
    texts: dict[str, str] = {}
    for name in [*node.attributes, *(name for name in specs if name not in node.attributes)]:
        spec = specs.get(name)
        if spec is None or spec.type == "extra":
            if name in node.attributes:
                texts[name] = node.attributes[name]
            continue
        value = getattr(operation, spec.python_name)
        is_always_written = spec.required or (spec.default is not None and spec.python_name not in _LEFT_OUT)
        if name in node.attributes or is_always_written or value != spec.absent:
            texts[name] = _spelled(spec, value, node.attributes.get(name, "").strip())
    return texts


def _spelled(spec: AttributeSpec, value: Any, written: str) -> str:
    if spec.type != "enumeration":
        return text_of(value)
    if written.lower() == value:
        return written
    spellings = [word for word in spec.spellings if word.lower() == value]
    if spec.name in _UPPER_CASE:
        spellings.reverse()
    return spellings[0] if spellings else str(value)


class Xml:
    """An XML document with an element per line, indented with tabs like OpenVINO's."""

    def __init__(self) -> None:
        self._lines = ['<?xml version="1.0"?>']
        self._open: list[str] = []

    def open(self, tag: str, attributes: Mapping[str, object] | None = None) -> None:
        """Begin an element with children."""
        self._line(f"<{tag}{_attributes(attributes)}>")
        self._open.append(tag)

    def close(self) -> None:
        """End the innermost open element."""
        tag = self._open.pop()
        self._line(f"</{tag}>")

    def leaf(self, tag: str, attributes: Mapping[str, object] | None = None) -> None:
        """Write an element without children."""
        self._line(f"<{tag}{_attributes(attributes)} />")

    def text(self, tag: str, text: object) -> None:
        """Write an element that holds text."""
        self._line(f"<{tag}>{_escape(str(text))}</{tag}>")

    def encode(self) -> bytes:
        """Return the document."""
        return ("\n".join(self._lines) + "\n").encode()

    def _line(self, text: str) -> None:
        self._lines.append("\t" * len(self._open) + text)


def _attributes(attributes: Mapping[str, object] | None) -> str:
    return "".join(f' {name}="{_escape(str(value))}"' for name, value in (attributes or {}).items())


def _escape(text: str) -> str:
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        raise Error(f"{text!r} cannot be written: XML has no way to hold the character {forbidden[0]!r}")
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)


def names_text(names: Iterable[str]) -> str:
    r"""Return tensor names as the text of a port: separated by commas, with `\,` for a comma within a name."""
    ordered = sorted(names, key=lambda name: (name.endswith("\\"), name))
    for name in ordered:
        if "\\," in name or (name.endswith("\\") and name != ordered[-1]):
            raise Error(f"the tensor name {name!r} cannot be written: its backslash would be read with a comma")
    return ",".join(name.replace(",", "\\,") for name in ordered)
