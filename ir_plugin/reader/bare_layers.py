"""Layers without a net, as pages of the specification show them: the net in which each is checked by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from itertools import count
from typing import NamedTuple

from lxml import etree

from ir_plugin.operations.registry import Registry
from ir_plugin.reader.document import Document, new_parser
from ir_plugin.reader.dots import Elided, without_dots
from ir_plugin.reader.numbers import whole_number
from ir_plugin.reader.rewriting import Change, Rewriting
from ir_plugin.reader.source_map import as_utf8, read_tag
from ir_plugin.schema import Catalogue
from ir_plugin.tensors import ElementType

_OPEN_LENGTH = re.compile(r"\?|[A-Za-z_][\w +*/()-]{0,63}")
"""A length as pages write one that is not known."""
_FIRST_OUTPUT = 100
"""The id of the first output port in place of dots."""
_BEGIN, _END = b'<net name="bare" version="11"><layers>', b"</net>"


class BareInput(NamedTuple):
    """An input of a bare layer: its lengths, empty where they are not known, and its type."""

    shape: str
    element_type: str


class BareLayer(NamedTuple):
    """A bare layer: its id, name, version, and ports by id."""

    id: str
    name: str
    version: str
    inputs: dict[str, BareInput]
    outputs: tuple[str, ...]


class BareLayers(NamedTuple):
    """A document of bare layers in a net, and the layers."""

    document: Document
    layers: list[BareLayer]


def bare_layers(data: bytes, file: str, registry: Registry, catalogue: Catalogue) -> BareLayers | None:
    """Return the layers of a file that is nothing but layers, in a net of their own; None for another file.

    Findings in the document have the places of the file. Dots are left out; what a layer lacks and a page need not
    write is added: id, name, version, ports in place of dots.
    """
    original = as_utf8(data).removeprefix(b"\xef\xbb\xbf")
    text = without_dots(original)
    if text is None:
        return None
    source, elided = text
    try:
        root = etree.fromstring(b"<net>" + source + b"</net>", new_parser())
    except (etree.XMLSyntaxError, ValueError):
        ends = [Change(0, 0, _BEGIN), Change(len(source), len(source), b"</layers>" + _END)]
        return BareLayers(Document.of(Rewriting(source, ends, original), file), [])
    completion = _Completion(source, elided, root, registry, catalogue)
    changes = completion.changes()
    return BareLayers(Document.of(Rewriting(source, changes, original), file), completion.layers)


class _Completion:
    """Collects what bare layers lack."""

    def __init__(
        self, source: bytes, elided: Elided, root: etree._Element, registry: Registry, catalogue: Catalogue
    ) -> None:
        self._source, self._elided, self._root = source, elided, root
        self._registry, self._catalogue = registry, catalogue
        self._numbers = {element: number for number, element in enumerate(root.iter(), -1)}
        ids = [whole_number(str(layer.get("id", ""))) or 0 for layer in root.iter("layer")]
        self._new_ids = count(max(id for id in [*ids, 0] if id < 2**31) + 1)
        self._used: set[str] = set()
        self._changes: list[Change] = []
        self.layers: list[BareLayer] = []

    def changes(self) -> list[Change]:
        """Return the changes that make a net of the text."""
        for layer in self._root.iter("layer"):
            is_top = layer.getparent() is self._root
            self._complete(layer, is_top)
        for dim in self._root.iter("dim"):
            self._complete_dim(dim)
        end = len(self._source)
        ends, edges = neighbours(self.layers, self._new_ids, {})
        net = f"{ends}</layers><edges>{edges}</edges>".encode() + _END
        return [Change(0, 0, _BEGIN), *self._changes, Change(end, end, net)]

    def _complete(self, layer: etree._Element, is_top: bool) -> None:
        tag = read_tag(self._source, self._start(layer))
        id, name, type = str(layer.get("id", "")), layer.get("name"), str(layer.get("type", ""))
        added = ""
        if is_top and (not id or id in self._used):
            id = str(next(self._new_ids))
            added += f' id="{id}"' if layer.get("id") is None else ""
            if layer.get("id") is not None:
                self._changes.append(Change(*tag.attributes["id"], id.encode()))
        if name is None:
            name = f"{type.lower() or 'layer'}_{self._numbers[layer]}"
            added += f' name="{escape(name)}"'
        version = layer.get("version") or self._version(layer, type)
        if layer.get("version") is None:
            added += f' version="{version}"'
        end = tag.whole.end - (2 if self._source[tag.whole.end - 2 : tag.whole.end] == b"/>" else 1)
        self._changes.append(Change(end, end, added.encode()))
        if is_top:
            self._used.add(id)
            ports = [self._ports(layer, direction, type, version) for direction in ("input", "output")]
            self.layers.append(BareLayer(id, str(name), str(version), ports[0], tuple(ports[1])))

    def _version(self, layer: etree._Element, type: str) -> str:
        """Return the newest version of a type that fits the attributes and inputs of a layer; else the newest."""
        versions = self._registry.versions_of(type) if type else []
        written = {str(name) for data in layer.findall("data")[:1] for name in data.attrib}
        inputs = len(layer.findall("input/port"))
        for version in reversed(versions):
            definition = self._registry.resolve(type, version)
            interface = None if definition is None else self._catalogue.interface(definition)
            if interface is None or not written.issuperset(interface.required_attributes):
                continue
            if written.issubset(interface.attributes) and (not inputs or interface.inputs.allows(inputs)):
                return version
        return versions[-1] if versions else "opset1"

    def _ports(self, layer: etree._Element, direction: str, type: str, version: str) -> dict[str, BareInput]:
        """Return the ports of a layer by id, with those that dots stand for."""
        parent = layer.find(direction)
        written = [] if parent is None else parent.findall("port")
        ports: dict[str, BareInput] = {}
        for index, port in enumerate(written):
            id = port.get("id")
            if id is None:
                id = str(index if direction == "input" else index + len(layer.findall("input/port")))
                end = self._start(port) + len(b"<port")
                self._changes.append(Change(end, end, f' id="{id}"'.encode()))
            ports.setdefault(str(id), self._input(port))
        offset = self._elided.get(self._numbers[layer if parent is None else parent])
        if written or offset is None:
            return ports
        definition = self._registry.resolve(type, version)
        counts = None if definition is None else self._catalogue.interface(definition)
        least = 0 if counts is None else (counts.inputs if direction == "input" else counts.outputs).least
        first = 0 if direction == "input" else _FIRST_OUTPUT
        ports = {str(first + index): BareInput("", "dynamic") for index in range(least)}
        text = "".join(f'<port id="{id}"/>' for id in ports)
        text = f"<{direction}>{text}</{direction}>" if parent is None and ports else text
        self._changes.append(Change(offset, offset, text.encode()))
        return ports

    def _input(self, port: etree._Element) -> BareInput:
        element_type = ElementType.from_precision(str(port.get("precision", "")))
        dims = [(dim.text or "").strip() for dim in port.findall("dim")]
        lengths = [dim if whole_number(dim) is not None else "?" for dim in dims]
        return BareInput(",".join(lengths), "dynamic" if element_type is None else str(element_type.name))

    def _complete_dim(self, dim: etree._Element) -> None:
        """Write -1 for a length that is dots, a letter or a question mark."""
        text = (dim.text or "").strip()
        if not len(dim) and (_OPEN_LENGTH.fullmatch(text) or (not text and self._numbers[dim] in self._elided)):
            begin = read_tag(self._source, self._start(dim)).whole.end
            self._changes.append(Change(begin, self._source.find(b"<", begin), b"-1"))

    def _start(self, element: etree._Element) -> int:
        return self._elided.starts[self._numbers[element]]


def neighbours(layers: list[BareLayer], ids: Iterator[int], types: Mapping[tuple[str, str], str]) -> tuple[str, str]:
    """Return the Parameters and Results around layers, and their edges; `types` of inputs by layer and port."""
    ends: list[str] = []
    edges: list[str] = []
    for layer in layers:
        for port, (shape, declared) in layer.inputs.items():
            id, element_type = next(ids), types.get((layer.id, port), declared)
            name = escape(f"{layer.name}/input_{port}")
            precision = "" if element_type == "dynamic" else f' precision="{ElementType(element_type).precision}"'
            ends.append(
                f'<layer id="{id}" name="{name}" type="Parameter" version="opset1"><data shape="{shape or "..."}" '
                f'element_type="{element_type}"/><output><port id="0"{precision}/></output></layer>'
            )
            edges.append(f'<edge from-layer="{id}" from-port="0" to-layer="{layer.id}" to-port="{escape(port)}"/>')
        for port in layer.outputs:
            id = next(ids)
            name = escape(f"{layer.name}/output_{port}")
            ends.append(
                f'<layer id="{id}" name="{name}" type="Result" version="opset1"><input><port id="0"/></input></layer>'
            )
            edges.append(f'<edge from-layer="{layer.id}" from-port="{escape(port)}" to-layer="{id}" to-port="0"/>')
    return "".join(ends), "".join(edges)
