"""What every part of the reader shares: the document, the registry, the findings so far, and where it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lxml import etree

from ir_plugin.diagnostics import Finding, Findings, LayerRef, Severity, Span
from ir_plugin.model import Declared, Input, Node
from ir_plugin.operations.registry import Registry
from ir_plugin.reader.document import Document
from ir_plugin.reader.weights import Weights
from ir_plugin.schema import Catalogue


@dataclass(frozen=True)
class Placed:
    """A constant in the weights: `size` bytes at `offset`, and the element that says so."""

    offset: int
    size: int
    node: Node
    data: etree._Element
    used: int
    """How many of its bytes hold values."""

    @property
    def end(self) -> int:
        """The byte behind the last one."""
        return self.offset + self.size

    @property
    def used_end(self) -> int:
        """The byte behind the last one that holds a value."""
        return self.offset + self.used


@dataclass
class Constants:
    """The constants of a whole file, bodies included, by whether their bytes are there."""

    inside: list[Placed] = field(default_factory=list)
    outside: list[Placed] = field(default_factory=list)
    homeless: list[Placed] = field(default_factory=list)
    """Those of a model that has no weights."""
    is_complete: bool = True
    """Whether every constant could be placed, so that bytes of no constant are bytes that nothing uses."""


@dataclass
class Damage:
    """What is already known to be wrong with one graph, so that nothing is reported that only follows from it."""

    lost_layers: int = 0
    """Layers without an id of their own: edges name ids that seem to be missing."""
    ports: set[Node] = field(default_factory=set)
    """Layers with a wrong number of ports, or a port without an id of its own."""
    strange: set[Node] = field(default_factory=set)
    """Layers of which edges name a port that they do not have."""
    strays: list[Node | None] = field(default_factory=list)
    """Where edges that end nowhere were meant to end: a layer, or None where that is not known."""
    spoiled: set[Input] = field(default_factory=set)
    """Inputs of which the edge was found to be wrong."""
    nameless: set[Node] = field(default_factory=set)
    """Layers without type or version."""
    mistyped: int = 0
    """Layers that fit another type than their own."""
    has_no_edges: bool = False

    @property
    def is_any(self) -> bool:
        """Whether layers or edges are missing that the file was meant to have."""
        return bool(
            self.lost_layers or self.strays or self.spoiled or self.nameless or self.mistyped or self.has_no_edges
        )


@dataclass(frozen=True)
class Reading:
    """One run of the reader; bodies are read with a longer `path`."""

    document: Document
    weights: Weights
    registry: Registry
    catalogue: Catalogue
    findings: Findings
    strict: bool = True
    """Whether layers are held against their schemas; otherwise they are read as OpenVINO would read them."""
    path: tuple[str, ...] = ()
    constants: Constants = field(default_factory=Constants)
    damage: Damage = field(default_factory=Damage)
    declared: dict[tuple[object, ...], Declared] = field(default_factory=dict)
    """What ports declare, by their texts."""
    silent: list[tuple[etree._Element, LayerRef]] = field(default_factory=list)
    """Output ports without a precision, and their layers."""
    fitting: dict[tuple[object, ...], list[str]] = field(default_factory=dict)
    """Types that layers would fit, by the numbers of their ports and their attributes."""
    refused: set[Node] = field(default_factory=set)
    """Layers that their schema refuses with an error."""

    def inside(self, name: str) -> Reading:
        """Return the reading of a body of the layer of this name."""
        return replace(self, path=(*self.path, name), damage=Damage())

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
        """Add a finding at an element, at the value (or the `name`) of one of its attributes, or at its text."""
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

    def ref(self, element: etree._Element, part: str = "") -> LayerRef:
        """Return the reference to a layer, from its element."""
        id, name, type, version = (str(element.get(word, "")) for word in ("id", "name", "type", "version"))
        return LayerRef(id, name, type, version, part, self.path)

    @property
    def error_count(self) -> int:
        """How many errors there are so far."""
        return self.findings.error_count


class ElementOrigin:
    """The place of a layer in a document."""

    __slots__ = ("document", "element")

    def __init__(self, document: Document, element: etree._Element) -> None:
        self.document = document
        self.element = element

    def span(self, attribute: str = "") -> Span:
        """Return the place of the layer, or of one of its attributes."""
        data = self.element.find("data")
        if attribute and data is not None and data.get(attribute) is not None:
            return self.document.span(data, attribute)
        own = attribute if attribute and self.element.get(attribute) is not None else ""
        return self.document.span(self.element, own)

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the place of a port, of one of its dimensions, or of one of its attributes."""
        ports = self.element.findall(f"{direction}/port")
        if index >= len(ports):
            return self.span()
        dims = ports[index].findall("dim")
        if dimension is not None and dimension < len(dims):
            return self.document.span(dims[dimension], text=True)
        known = attribute if attribute and ports[index].get(attribute) is not None else ""
        return self.document.span(ports[index], known)
