"""Layers that repeat another one but for id, name and tensor names, which are neither validated nor parsed again."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lxml import etree

from ir_plugin.model import Declared, Input, Node, Output
from ir_plugin.operations.registry import Definition
from ir_plugin.reader.document import Document

_NAMES = re.compile(rb' names="[^"]*"')
_MANDATORY = 4
"""The attributes of a layer: id, name, type and version."""
_LONG = 10
"""Digits of ids that a schema may refuse."""
_UNIQUE = ("Const", "If", "Loop", "Parameter", "Result", "TensorIterator")
"""Types whose layers hold what no other has, or too much to compare."""

Key = tuple[type, bytes]
Ports = tuple[tuple[int, Declared], ...]


class LayerContent(NamedTuple):
    """What a layer without findings holds, apart from id, name and tensor names."""

    attributes: dict[str, str]
    values: dict[str, Any]
    inputs: Ports
    outputs: Ports

    @classmethod
    def of(cls, node: Node, values: dict[str, Any]) -> LayerContent:
        """Return the content of a layer that was read."""
        inputs = tuple((port.port_id, port.declared) for port in node.inputs)
        outputs = tuple((port.port_id, port.declared) for port in node.outputs)
        return cls(node.attributes, values, inputs, outputs)

    def write_to(self, node: Node, definition: Definition, element: etree._Element) -> None:
        """Give a node the content, and the tensor names of its own element."""
        node.attributes = dict(self.attributes)
        definition.cls.attach(node, dict(self.values))
        for index, (id, declared) in enumerate(self.inputs):
            node.inputs.append(Input(node, index, id, declared))
        for index, (id, declared) in enumerate(self.outputs):
            node.outputs.append(Output(node, index, id, declared))
        if self.outputs:
            for output, port in zip(node.outputs, element.iterfind("output/port"), strict=True):
                if names := port.get("names"):
                    output.names = split_names(str(names))


def key_of(element: etree._Element, definition: Definition, document: Document) -> Key | None:
    """Return what equal layers have in common, None for a layer that is not compared with others."""
    is_plain = len(element.attrib) == _MANDATORY and len(str(element.get("id"))) < _LONG
    if definition.type in _UNIQUE or not is_plain or document.may_have_namespaces:
        return None
    text = etree.tostring(element, with_tail=False)
    content = text[text.index(b">") :]
    return definition.cls, _NAMES.sub(b" names", content) if b" names=" in content else content


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
