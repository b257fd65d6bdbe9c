"""Reader of a graph or a body: its layers and edges become a model."""

from __future__ import annotations

from dataclasses import replace

from lxml import etree

from ir_plugin.diagnostics import Findings
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import MAX_BODIES, Model, Node, Output
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.reader.bodies import has_bodies, read_bodies
from ir_plugin.reader.constants import attach_constant, attach_range, used_bytes
from ir_plugin.reader.document import written
from ir_plugin.reader.edges import read_edges
from ir_plugin.reader.layer_cache import LAYERS, LayerText, split_names, text_of
from ir_plugin.reader.layers import read_layer
from ir_plugin.reader.letter_case import report_letter_case
from ir_plugin.reader.reading import DanglingEdge, Reading
from ir_plugin.reader.rt_info import read_layer_info, report_info
from ir_plugin.reader.structure import report_structure
from ir_plugin.reader.texts import report_texts

_MAX_CACHED = 4
"""The deepest nesting of bodies whose layers are cached, as each enclosing layer's text repeats the body's."""


def read_graph(reading: Reading, element: etree._Element, name: str) -> Model:
    """Return the model of the element that holds `<layers>` and `<edges>`."""
    _report_repeated(reading, element)
    late: dict[Node, Findings] = {}
    elements = _read_layers(reading, element, late)
    nodes = {node.id: node for node in elements}
    edges = element.find("edges")
    if not elements:
        reading.constants.is_complete = False
    elif edges is not None:
        reading.damage.layers_without_id += _report_unexpected(reading, edges, "edge", nodes)
        read_edges(reading, edges, nodes)
        report_texts(reading, edges)
    elif any(node.inputs for node in elements):
        reading.damage.has_no_edges = True
        _report_absent(reading, element, "edges")
    model = Model(name, elements)
    for node, layer in elements.items():
        if node in late:
            reading.findings.extend(late[node])
            _complete_bodies(reading, node, layer)
        while not reading.strict and node.inputs and node.inputs[-1].source is None and _may_lack(reading, node):
            node.inputs.pop()
    report_structure(reading, model, element, elements)
    return model


def _read_layers(reading: Reading, element: etree._Element, late: dict[Node, Findings]) -> dict[Node, etree._Element]:
    """Return the layers with a unique id, and their elements; findings to report after the edges' go to `late`."""
    nodes: dict[str, Node] = {}
    elements: dict[Node, etree._Element] = {}
    layers = element.find("layers")
    if layers is None:
        _report_absent(reading, element, "layers")
        reading.damage.layers_without_id += 1
        return elements
    lost = 0
    for layer in layers.iterchildren("layer"):
        node = _read_layer(reading, layer, nodes, late)
        if node is None:
            lost += 1
            continue
        nodes[node.id] = node
        elements[node] = layer
    lost += _report_unexpected(reading, layers, "layer", nodes)
    report_texts(reading, layers)
    if lost:
        reading.damage.layers_without_id += lost
        reading.constants.is_complete = False
    return elements


def _read_layer(
    reading: Reading, layer: etree._Element, nodes: dict[str, Node], late: dict[Node, Findings]
) -> Node | None:
    """Return the node of a layer, from the cache if its text is known; None without a unique id."""
    text = text_of(layer, reading.definition, reading.strict) if len(reading.path) < _MAX_CACHED else None
    cached = None if text is None else LAYERS.get(text)
    if text is None or cached is None or text.id in nodes:
        return _read_new_layer(reading, layer, nodes, late, text)
    node = cached.new_node(text)
    reading.cached[node] = cached
    node.origin, node.path = reading.origin(layer), reading.path
    if isinstance(node.operation, Const):
        attach_range(reading, node, node.origin, cached.used)
    return node


def _read_new_layer(
    reading: Reading,
    layer: etree._Element,
    nodes: dict[str, Node],
    late: dict[Node, Findings],
    text: LayerText | None,
) -> Node | None:
    """Return the node of a layer, and keep what its text says, if it has one, for the next layer of this text."""
    before = reading.finding_count
    node = read_layer(reading, layer)
    if node is None or node.id in nodes:
        if node is not None:
            reading.damage.ports.add(nodes[node.id])
            _report_double_id(reading, node, layer, nodes[node.id])
        return None
    late[node] = _complete_layer(reading, node, layer)
    is_sound = reading.finding_count == before and not late[node]
    if text is not None and is_sound and not has_bodies(node.operation.type, layer):
        reading.cached[node] = LAYERS.add(text, node, used_bytes(node.operation))
    return node


def _report_repeated(reading: Reading, element: etree._Element) -> None:
    for name in ("layers", "edges") if reading.strict else ():
        for second in element.findall(name)[1:]:
            message = f"a second <{name}>; OpenVINO reads the first only"
            reading.report("IR107", message, second, help=f"move what it holds into the first <{name}>")


def _report_absent(reading: Reading, element: etree._Element, name: str) -> None:
    children = [str(child.tag) for child in element]
    near = next((child for child in children if did_you_mean(child, [name])), "")
    message = f"<{element.tag!s}> has no <{name}>"
    help = f"<{near}> is probably meant to be <{name}>" if near else f"write <{name}>"
    reading.report("IR110", message, element, help=help)


def _report_unexpected(reading: Reading, element: etree._Element, name: str, nodes: dict[str, Node]) -> int:
    """Report each child with another name than `name`, and return how many of them are meant as layers.

    A child that is plainly meant as a layer or an edge is an error, as the graph then lacks it.
    """
    if element.xpath(f"count({name})") == len(element):
        return 0
    lost = 0
    for child in [child for child in element if child.tag != name]:
        is_edge = child.get("to-layer") is not None
        is_layer = not is_edge and child.get("type") is not None and child.get("id") is not None
        lost += is_layer
        if is_edge:
            source, target = (nodes.get(str(child.get(end))) for end in ("from-layer", "to-layer"))
            reading.damage.dangling_edges.append(DanglingEdge(target, source))
            reading.damage.sources.update([] if source is None else [source])
        message = f"<{written(child)}> is not part of <{element.tag!s}>; OpenVINO ignores it"
        help = did_you_mean(str(child.tag), [name])
        if child.tag in ("layer", "edge"):
            help = f"move it into <{child.tag!s}s>"
        reading.report("IR107", message, child, help=help, severity="error" if is_edge or is_layer else None)
    return lost


def _report_double_id(reading: Reading, node: Node, layer: etree._Element, first: Node) -> None:
    line = first.span().line
    message = f'the layer id {node.id} already belongs to "{first.name}" in line {line}'
    reading.report("IR201", message, layer, attribute="id", layer=node.ref(), help="give every layer a unique id")


def _complete_layer(reading: Reading, node: Node, layer: etree._Element) -> Findings:
    """Complete a layer that has its ports by constant and runtime information, and return the findings."""
    reading = replace(reading, findings=Findings())
    type = node.operation.type if node.operation is not None else ""
    report_letter_case(reading, node, layer)
    if type == "Const":
        attach_constant(reading, node, layer)
    elif not type:
        reading.constants.is_complete = False
    if len(layer) > 2 or type in ("Parameter", "Result") or layer in reading.informed:
        read_layer_info(node, layer)
        report_info(reading, node, layer)
    if not node.outputs and type in ("Result", "Assign", "Parameter"):
        names = frozenset(split_names(str(layer.get("output_names", ""))))
        node.outputs.append(Output(node, 0, -1, names=names))
    return reading.findings


def _complete_bodies(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Read the bodies of a layer that has its edges."""
    if node.operation is None or not has_bodies(node.operation.type, layer):
        return
    if len(reading.path) >= MAX_BODIES:
        message = f"bodies are nested more than {MAX_BODIES} deep"
        reading.report("IR004", message, layer, layer=node.ref())
    else:
        read_bodies(reading, node, layer, read_graph)


def _may_lack(reading: Reading, node: Node) -> bool:
    """Return whether a layer may do without its last input."""
    definition = reading.registry.resolve(node.type, node.version)
    return definition is not None and len(node.inputs) > reading.catalogue.interface(definition).inputs[0]
