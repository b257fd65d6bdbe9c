"""Layers of equal texts, which are parsed and validated once in a process."""

from __future__ import annotations

import re
from collections.abc import Hashable
from threading import Lock
from typing import Any, NamedTuple

from ir_plugin.model import Input, Node, Output
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.operations.registry import Definition
from ir_plugin.reader.regular import Header, is_plain
from ir_plugin.reader.regular_layer import LayerParts

_NAMES = re.compile(r' names="([^"]*)"')
_NO_NAMES = ' names=""'
OUTPUT_NAMES = ' output_names=""'
"""The first text in the content of a Result that has separate tensor names."""
_OFFSET = ' offset="'
_OFFSET_DIGITS = 18
_NO_ATTRIBUTES = frozenset(["is_compiled", "subgraphs", "load", "load_packed", "backing"])
"""Fields of an operation that its layer does not write."""
_MOST_TEMPLATES = 4096
_MOST_CHARACTERS = 2**22

Key = tuple[type, str, str, bool, str]


class Content(NamedTuple):
    """The text of a layer after its start tag, without its tensor names and its offset, which similar layers vary."""

    text: str
    names: list[str]
    offset: str


def content_of(header: Header, text: str, is_constant: bool) -> Content | None:
    """Return the content of a layer, None if the parser has to read it for its names or its offset."""
    offset = ""
    if is_constant:
        before, _, behind = text.partition(_OFFSET)
        offset, _, behind = behind.partition('"')
        text = f"{before}{_OFFSET}{behind}"
        if not (offset.isascii() and offset.isdigit() and len(offset) <= _OFFSET_DIGITS):
            return None
    names: list[str] = []
    if " names=" in text:
        parts = _NAMES.split(text)
        names, text = parts[1::2], _NO_NAMES.join(parts[::2])
    if header.output_names is not None:
        names, text = [header.output_names, *names], f"{OUTPUT_NAMES}{text}"
    return Content(text, names, offset) if not names or ("'" not in text and all(map(is_plain, names))) else None


class LayerTemplate:
    """What a layer holds apart from id, name, tensor names and its offset in the weights."""

    __slots__ = (
        "_attributes", "_definition", "_info", "_inputs", "_named", "_outputs", "_port_info", "_type", "_values",
        "_version", "bounds", "inferred", "input_positions", "is_inferred_alike", "output_positions", "used",
    )  # fmt: skip

    def __init__(self, definition: Definition, type: str, version: str, parts: LayerParts, used: int) -> None:
        self._definition = definition
        self._type, self._version = type, version
        self._attributes, self._values, self._inputs, self._outputs, self._named = parts
        self._info: dict[str, Any] = {}
        self._port_info: list[tuple[int, dict[str, Any]]] = []
        self.input_positions = {str(id): index for index, (id, _) in enumerate(self._inputs)}
        """The positions of the inputs by the ids that edges name."""
        self.output_positions = {str(id): index for index, (id, _) in enumerate(self._outputs)}
        self.used = used
        """The number of bytes that a constant's values occupy."""
        self.is_inferred_alike = not definition.cls.wants_inference
        """Whether inputs of equal types, shapes and values give equal outputs."""
        self.inferred: dict[tuple[Hashable, ...], Any] = {}
        """What was inferred, by the types and shapes of the inputs; `validation.reuse` fills it."""
        self.bounds: dict[tuple[Any, ...], list[Any]] = {}
        """The inferred bounds of the outputs, by the bytes of the inputs' bounds; `validation.reuse` fills it."""

    @staticmethod
    def of(node: Node, definition: Definition, used: int) -> LayerTemplate:
        """Return the template of a node that the parser has read."""
        parts = LayerParts(
            dict(node.attributes),
            {name: value for name, value in vars(node.operation).items() if name not in _NO_ATTRIBUTES},
            [(port.port_id, port.declared) for port in node.inputs],
            [(port.port_id, port.declared) for port in node.outputs],
            [bool(port.names) for port in node.outputs],
        )
        template = LayerTemplate(definition, node.type, node.version, parts, used)
        template._info = copied(plain_info(node.rt_info))
        template._port_info = [(port.index, copied(plain_info(port.rt_info))) for port in node.outputs if port.rt_info]
        return template

    def new_node(self, id: str, name: str, content: Content) -> Node:
        """Build a node; its mutable parts are copies."""
        node = Node.of(id, name, self._type, self._version)
        node.attributes = attributes = dict(self._attributes)
        values = dict(self._values)
        if content.offset:
            attributes["offset"], values["offset"] = content.offset, int(content.offset)
        self._definition.cls.attach(node, values)
        for index, (port_id, declared) in enumerate(self._inputs):
            node.inputs.append(Input(node, index, port_id, declared))
        names = iter(content.names)
        for index, (port_id, declared) in enumerate(self._outputs):
            own = split_names(next(names)) if self._named[index] else ()
            node.outputs.append(Output(node, index, port_id, declared, own))
        if self._info:
            node.rt_info = RTMap(copied(self._info))
        for index, info in self._port_info:
            node.outputs[index].rt_info = RTMap(copied(info))
        return node

    def fits(self, node: Node, content: Content) -> bool:
        """Return whether the content and the template hold all that the parser read into a node."""
        named = [port.get_names() for port in node.outputs if port.names]
        return named == [set(split_names(names)) for names in content.names] and (
            content.offset == node.attributes.get("offset", "") if content.offset else True
        )


class TemplateCache:
    """The templates of a process by their texts; all are dropped when they have become too many."""

    def __init__(self) -> None:
        self._templates: dict[Key, LayerTemplate] = {}
        self._characters = 0
        self._lock = Lock()

    def get(self, key: Key) -> LayerTemplate | None:
        """Return the template of a text, or None."""
        return self._templates.get(key)

    def add(self, key: Key, template: LayerTemplate) -> None:
        """Keep the template of a text."""
        with self._lock:
            self._characters += len(key[-1])
            if len(self._templates) == _MOST_TEMPLATES or self._characters > _MOST_CHARACTERS:
                self._templates, self._characters = {}, len(key[-1])
            self._templates[key] = template


TEMPLATES = TemplateCache()


def copied(info: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of nested dictionaries of texts."""
    return {name: copied(value) if isinstance(value, dict) else value for name, value in info.items()}


def split_names(text: str) -> list[str]:
    r"""Return the tensor names of a port, separated by commas; a comma within a name is written `\,`."""
    if "\\" not in text:
        return [name for name in text.split(",") if name]
    names, name = [], ""
    letters = iter(text)
    for letter in letters:
        if letter == ",":
            names.append(name)
            name = ""
        elif letter == "\\":
            following = next(letters, "")
            name += following if following == "," else letter + following
        else:
            name += letter
    return [name for name in (*names, name) if name]
