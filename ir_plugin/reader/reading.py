"""The shared state of the reader: the document, the registry, the findings and the current path."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lxml import etree

from ir_plugin.diagnostics import Finding, Findings, LayerRef, Severity, Span
from ir_plugin.model import Declared, Input, Node
from ir_plugin.operations.registry import Definition, Registry
from ir_plugin.reader.document import Document
from ir_plugin.reader.layer_cache import CachedLayer
from ir_plugin.reader.weights import Weights
from ir_plugin.schema import Catalogue


class ConstantRange(NamedTuple):
    """The range of a constant in the weights: `size` bytes at `offset`."""

    offset: int
    size: int
    node: Node
    origin: ElementOrigin
    used: int
    """The number of bytes that hold values."""

    @property
    def data(self) -> etree._Element:
        """The element that declares the range."""
        element = self.origin.element
        data = element.find("data")
        return element if data is None else data

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.offset + self.size

    @property
    def used_end(self) -> int:
        """The offset after the last byte that holds a value."""
        return self.offset + self.used


@dataclass
class Constants:
    """The constants of a file, also of bodies, by whether their bytes exist."""

    in_bounds: list[ConstantRange] = field(default_factory=list)
    out_of_bounds: list[ConstantRange] = field(default_factory=list)
    without_weights: list[ConstantRange] = field(default_factory=list)
    """The constants of a model without weights."""
    is_complete: bool = True
    """Whether the range of every constant is known, so that all other bytes are unused."""


class DanglingEdge(NamedTuple):
    """An edge that leads nowhere: its layers and the port it names, None where they are unknown."""

    target: Node | None = None
    source: Node | None = None
    port: int | None = None


@dataclass
class Damage:
    """The faults already reported for a graph, which suppress findings that only follow from them."""

    layers_without_id: int = 0
    """The number of layers without a unique id, whose edges seem to lead nowhere."""
    ports: set[Node] = field(default_factory=set)
    """Layers with a wrong number of ports, or a port without a unique id."""
    lacking_ports: set[Node] = field(default_factory=set)
    """Layers without a port that an edge names."""
    dangling_edges: list[DanglingEdge] = field(default_factory=list)
    """The edges that lead nowhere, each of which explains an input without an edge."""
    absent: dict[int, set[int]] = field(default_factory=dict)
    """The ports that edges name at each layer that is not there, although other edges come from it."""
    sources: set[Node] = field(default_factory=set)
    """Layers whose outputs faulty edges read."""
    faulty_inputs: set[Input] = field(default_factory=set)
    """Inputs whose edge is faulty."""
    untyped_layers: set[Node] = field(default_factory=set)
    """Layers without type or version."""
    mistyped: int = 0
    """The number of layers that fit another type than their own."""
    has_no_edges: bool = False

    @property
    def is_any(self) -> bool:
        """Whether layers or edges are missing or faulty."""
        return bool(
            self.layers_without_id
            or self.dangling_edges
            or self.faulty_inputs
            or self.untyped_layers
            or self.mistyped
            or self.has_no_edges
        )


@dataclass(frozen=True)
class Reading:
    """The state of a run of the reader; `path` names the layers around the current body."""

    document: Document
    weights: Weights
    registry: Registry
    catalogue: Catalogue
    findings: Findings
    strict: bool = True
    """Whether layers are validated against their schemas; otherwise they are read as leniently as in OpenVINO."""
    path: tuple[str, ...] = ()
    constants: Constants = field(default_factory=Constants)
    damage: Damage = field(default_factory=Damage)
    declared: dict[tuple[object, ...], Declared] = field(default_factory=dict)
    """The declared types and shapes of ports, by their texts."""
    without_precision: list[tuple[etree._Element, LayerRef]] = field(default_factory=list)
    """Output ports without a precision, and their layers."""
    informed: set[etree._Element] = field(default_factory=set)
    """The layers with runtime information in their ports."""
    fitting: dict[tuple[object, ...], list[str]] = field(default_factory=dict)
    """The types that layers fit, by their ports and attributes."""
    definitions: dict[tuple[str, str], Definition | None] = field(default_factory=dict)
    """The definitions of types and versions."""
    prepared: set[Definition] = field(default_factory=set)
    """The definitions whose schemas are compiled."""
    cached: dict[Node, CachedLayer] = field(default_factory=dict)
    """What the cache holds of layers."""
    refused: set[Node] = field(default_factory=set)
    """The layers that their schemas refuse with an error."""

    def inside(self, name: str) -> Reading:
        """Return the state for reading a body of the layer `name`."""
        return replace(self, path=(*self.path, name), damage=Damage())

    @property
    def finding_count(self) -> int:
        """The number of findings so far, of ports without a precision too."""
        return len(self.findings) + len(self.without_precision)

    def definition(self, type: str, version: str) -> Definition | None:
        """Return the definition of a type in a version, or None."""
        key = type, version
        if key not in self.definitions:
            self.definitions[key] = self.registry.resolve(type, version)
        return self.definitions[key]

    def refusals(self, definition: Definition, layer: etree._Element) -> list[etree._LogEntry]:
        """Return the schema errors of a layer, empty for a valid one; the schemas of all layers are compiled once."""
        if self.catalogue.surely_accepts(definition, layer):
            return []
        if definition not in self.prepared:
            names = {(str(each.get("type", "")), str(each.get("version", ""))) for each in self.document.layers}
            definitions = [each for name in names if (each := self.definition(*name)) is not None]
            self.catalogue.prepare(definitions)
            self.prepared.update(definitions)
        return self.catalogue.refusals(definition, layer)

    def report(
        self,
        code: str,
        message: str,
        element: etree._Element,
        *,
        attribute: str = "",
        text: bool = False,
        name: bool = False,
        layer: LayerRef | None = None,
        label: str = "",
        declared: str = "",
        because: str = "",
        help: str = "",
        severity: Severity | None = None,
    ) -> None:
        """Add a finding at an element, at the value (or `name`) of one of its attributes, or at its text."""
        self.findings.add(
            Finding.of(
                code,
                message,
                span=self.document.span(element, attribute, text, name),
                layer=layer,
                label=label,
                declared=declared,
                because=because,
                help=help,
                severity=severity,
            )
        )

    def origin(self, element: etree._Element) -> ElementOrigin:
        """Return the place of a layer in the document."""
        return ElementOrigin(self.document, self.document.positions[element])

    def ref(self, element: etree._Element, part: str = "") -> LayerRef:
        """Return the reference to the layer of an element."""
        id, name, type, version = (str(element.get(word, "")) for word in ("id", "name", "type", "version"))
        return LayerRef(id, name, type, version, part, self.path)

    @property
    def error_count(self) -> int:
        """The number of errors so far."""
        return self.findings.error_count


class ElementOrigin:
    """The place of a layer in a document: its position among all layers."""

    __slots__ = ("_position", "document")

    def __init__(self, document: Document, position: int) -> None:
        self.document = document
        self._position = position

    @property
    def element(self) -> etree._Element:
        """The element of the layer."""
        return self.document.layers[self._position]

    def span(self, attribute: str = "") -> Span:
        """Return the span of the layer, or of one of its attributes."""
        data = self.element.find("data")
        if attribute and data is not None and data.get(attribute) is not None:
            return self.document.span(data, attribute)
        own = attribute if attribute and self.element.get(attribute) is not None else ""
        return self.document.span(self.element, own)

    def note(self) -> str:
        """Return nothing, as a layer of an IR has its own name there."""
        return ""

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the span of a port, of one of its dimensions, or of one of its attributes."""
        ports = self.element.findall(f"{direction}/port")
        if index >= len(ports):
            return self.span()
        dims = ports[index].findall("dim")
        if dimension is not None and dimension < len(dims):
            return self.document.span(dims[dimension], text=True)
        present = attribute if attribute and ports[index].get(attribute) is not None else ""
        return self.document.span(ports[index], present)
