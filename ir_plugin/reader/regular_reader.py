"""Reader of an IR in the form that OpenVINO writes: only layers in another form are parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple, NoReturn

from lxml import etree

from ir_plugin.model import Model, Node
from ir_plugin.model.graph import connect
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Definition
from ir_plugin.reader.constants import attach_range, is_sound, used_bytes
from ir_plugin.reader.coverage import report_weights
from ir_plugin.reader.document import new_parser
from ir_plugin.reader.graph import complete_layer
from ir_plugin.reader.layers import read_layer
from ir_plugin.reader.letter_case import EXACT_TYPES
from ir_plugin.reader.reading import ElementOrigin, Reading
from ir_plugin.reader.regular import Ends, GraphText, Header, LayerText, RegularText, header_of, split_bodies
from ir_plugin.reader.regular_layer import of_end, read_parts
from ir_plugin.reader.structure import report_structure
from ir_plugin.reader.templates import OUTPUT_NAMES, TEMPLATES, Content, Key, LayerTemplate, content_of
from ir_plugin.reader.tensor_names import name_tensors
from ir_plugin.reader.texts import report_unexpected_parts
from ir_plugin.tensors import ElementType

_TYPE = re.compile(r'type="([^"]*)" version="([^"]*)"')
_MARKUP = ("<!", "<?", "xmlns")
"""What no text that OpenVINO writes has, and what a text could hide layers in."""


class IrregularError(Exception):
    """A text in another form, or with a finding, which the whole document is then read for."""


@dataclass(frozen=True)
class RegularReading(Reading):
    """The state of reading a regular text, in which the first finding raises `IrregularError`."""

    positions: dict[etree._Element, int] = field(default_factory=dict)
    """The position in the document of each layer that is parsed by itself."""

    def report(self, code: str, *_: object, **__: object) -> NoReturn:
        """Raise, so that the whole document is read."""
        raise IrregularError(code)

    def origin(self, element: etree._Element) -> ElementOrigin:
        """Return the place of a layer in the document, which is parsed when it is asked for."""
        return ElementOrigin(self.document, self.positions[element])


class Read(NamedTuple):
    """A model, the templates of its layers, and the element that holds the model's runtime information."""

    model: Model
    templates: dict[Node, LayerTemplate]
    root: etree._Element


def read_regular(reading: RegularReading, text: RegularText) -> Read | None:
    """Read a text; return None if there is a finding."""
    try:
        reader = _RegularReader(reading, _State())
        model, root = reader.read(text), _parsed(f"<net>{text.graph.tail}")
        if root.find("layers") is not None or root.find("edges") is not None:
            return None
        if reading.strict:
            report_unexpected_parts(reading, root)
    except IrregularError:
        return None
    return None if len(reading.findings) else Read(model, reader.state.templates, root)


class _State:
    """What the readers of a model and of its bodies share."""

    def __init__(self) -> None:
        self.templates: dict[Node, LayerTemplate] = {}
        """The templates of all layers."""
        self.definitions: dict[tuple[str, str], Definition | None] = {}
        self.new_texts: dict[LayerText, tuple[Key, Content]] = {}
        """The layers that the parser has to read, but others of the same text need not be."""


class _RegularReader:
    """Reads the layers and edges of one graph."""

    def __init__(self, reading: RegularReading, state: _State) -> None:
        self._reading, self.state = reading, state
        self._layers: dict[str, tuple[Node, LayerTemplate]] = {}

    def read(self, text: RegularText) -> Model:
        """Return the model without weights and runtime information."""
        model = self.read_graph(text.name, text.graph)
        report_weights(self._reading)
        model.version = text.version
        name_tensors(self._reading, model)
        return model

    def read_graph(self, name: str, text: GraphText) -> Model:
        """Return a model or a body."""
        reading = self._reading
        read = [self._read_layer(layer) for layer in text.layers]
        parsed = [layer.text for layer, each in zip(text.layers, read, strict=True) if each is None]
        reading.prepare({(match[1], match[2]) for match in map(_TYPE.search, parsed) if match is not None})
        for layer, each in zip(text.layers, read, strict=True):
            node, template = each or self._read_layer(layer) or self._parse(layer)
            if node.id in self._layers:
                raise IrregularError("IR201")
            self._layers[node.id] = node, template
        self._connect(text.edges)
        nodes = [node for node, _ in self._layers.values()]
        if not nodes or any(port.source is None for node in nodes for port in node.inputs):
            raise IrregularError("IR207")
        self.state.templates.update(self._layers.values())
        model = Model(name, nodes)
        element = _parsed("<net><layers/></net>")
        report_structure(reading, model, element, dict.fromkeys(nodes, element))
        return model

    def _read_layer(self, layer: LayerText) -> tuple[Node, LayerTemplate] | None:
        """Return the node of a layer and the template of its text, None if the parser has to read it."""
        parts = header_of(layer.text)
        if parts is None:
            return None
        header, text = parts
        definition = self._definition(header.type, header.version)
        if definition is None or not definition.cls.is_built_in:
            return None
        content = content_of(header, text, definition.cls is Const)
        if content is None:
            return None
        key = definition.cls, header.type, header.version, self._reading.strict, content.text
        template = TEMPLATES.get(key)
        if template is None:
            template = self._new_template(definition, header, content)
            if template is None:
                self.state.new_texts[layer] = key, content
                return None
            TEMPLATES.add(key, template)
        node = template.new_node(header.id, header.name, content)
        origin = node.origin = ElementOrigin(self._reading.document, layer.position)
        node.path = self._reading.path
        if definition.cls is Const:
            attach_range(self._reading, node, origin, template.used)
        return node, template

    def _new_template(self, definition: Definition, header: Header, content: Content) -> LayerTemplate | None:
        """Return the template of a layer that its schema surely accepts, None for another one."""
        text = content.text.removeprefix(OUTPUT_NAMES)
        if content.offset:
            text = text.replace(' offset="', f' offset="{content.offset}"', 1)
        parts = read_parts(text, self._reading.catalogue.interface(definition))
        is_result = definition.cls.type == "Result"
        is_exact = EXACT_TYPES.get(header.type.lower(), header.type) == header.type
        if parts is None or not is_exact or (header.output_names is not None and not is_result):
            return None
        if not parts.outputs and definition.cls.type in ("Result", "Assign", "Parameter"):
            parts = of_end(parts, header.output_names is not None)
        used = 0
        if definition.cls is Const:
            constant = Const(**parts.values)
            if header.type != "Const" or not is_sound(constant):
                return None
            used = used_bytes(constant)
        return LayerTemplate(definition, header.type, header.version, parts, used)

    def _definition(self, type: str, version: str) -> Definition | None:
        definitions = self.state.definitions
        if (type, version) not in definitions:
            definitions[type, version] = self._reading.registry.resolve(type, version)
        return definitions[type, version]

    def _parse(self, layer: LayerText) -> tuple[Node, LayerTemplate]:
        """Return the node of a layer as the parser and the schema have it, and keep it as a template if it is one."""
        element, bodies = _parsed_layer(layer)
        self._reading.positions[element] = layer.position
        node = read_layer(self._reading, element)
        definition = None if node is None else self._definition(node.type, node.version)
        if node is None or definition is None:
            raise IrregularError("IR501")

        def read_body(inside: Reading, body: etree._Element, name: str) -> Model:
            text = bodies.get(str(body.tag))
            if text is None:
                raise IrregularError("IR110")
            reading = replace(self._reading, path=inside.path, damage=inside.damage)
            return _RegularReader(reading, self.state).read_graph(name, text)

        complete_layer(self._reading, node, element, read_body)
        if len(self._reading.findings) or self._reading.without_precision:
            raise IrregularError("IR103")
        template = LayerTemplate.of(node, definition, used_bytes(node.operation))
        if layer in self.state.new_texts:
            key, content = self.state.new_texts[layer]
            if template.fits(node, content) and _is_general(node.operation):
                TEMPLATES.add(key, template)
        return node, template

    def _connect(self, edges: list[Ends]) -> None:
        layers = self._layers
        try:
            for source, output, target, input in edges:
                producer, produced = layers[source]
                consumer, consumed = layers[target]
                port = consumer.inputs[consumed.input_positions[input]]
                if port.source is not None:
                    raise IrregularError("IR206")
                connect(producer.outputs[produced.output_positions[output]], port)
        except KeyError:
            raise IrregularError("IR204") from None


def _is_general(operation: Operation) -> bool:
    """Return whether layers of the same text are read alike, whatever is in the weights and in their bodies."""
    if isinstance(operation, Const):
        return operation.element_type is not ElementType.string and operation.size == used_bytes(operation)
    return not operation.subgraphs


def _parsed_layer(layer: LayerText) -> tuple[etree._Element, dict[str, GraphText]]:
    """Return the element of a layer without its bodies, and the texts of these by their tags."""
    parts = split_bodies(layer)
    if parts is None:
        raise IrregularError("IR002")
    text, bodies = parts
    element = _parsed(f"<layer {text}")
    if element.find(".//layer") is not None:
        raise IrregularError("IR002")
    return element, bodies


def _parsed(text: str) -> etree._Element:
    """Return the element of a part of the text."""
    if any(word in text for word in _MARKUP):
        raise IrregularError("IR002")
    try:
        return etree.fromstring(text, new_parser())
    except (etree.XMLSyntaxError, ValueError):
        raise IrregularError("IR002") from None
