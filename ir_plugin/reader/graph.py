"""The layers and edges of a graph, or of a body, as a model."""

from __future__ import annotations

from lxml import etree

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import connect, order_of
from ir_plugin.reader.bodies import read_bodies
from ir_plugin.reader.constants import attach_constant
from ir_plugin.reader.layers import read_layer, report_unknown
from ir_plugin.reader.reading import Reading
from ir_plugin.reader.rt_info import read_layer_info

_EDGE = ("from-layer", "from-port", "to-layer", "to-port")
MAX_BODIES = 32
"""The deepest nesting of bodies that is read."""


def read_graph(reading: Reading, element: etree._Element, name: str) -> Model:
    """Return the model of the element that holds `<layers>` and `<edges>`."""
    nodes: dict[str, Node] = {}
    elements: dict[Node, etree._Element] = {}
    for layer in element.iterfind("layers/layer"):
        node = read_layer(reading, layer)
        if node is None:
            continue
        if node.id in nodes:
            _report_double_id(reading, node, layer, nodes[node.id])
            continue
        nodes[node.id] = node
        elements[node] = layer
    for edge in element.iterfind("edges/edge"):
        _read_edge(reading, edge, nodes)
    model = Model(name, nodes.values())
    for node, layer in elements.items():
        _complete(reading, node, layer)
    _report_structure(reading, model, element, elements)
    return model


def _complete(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Read what needs the edges: constants, bodies, runtime information, and the number of inputs."""
    if node.operation is not None and node.operation.type == "Const":
        attach_constant(reading, node, layer)
    if len(layer) > 2:
        read_layer_info(node, layer)
        if (node.operation is not None and layer.find("port_map") is not None) or layer.find("then_body") is not None:
            if len(reading.path) >= MAX_BODIES:
                message = f"bodies are nested more than {MAX_BODIES} deep"
                reading.report("IR004", message, layer, layer=node.ref())
                return
            read_bodies(reading, node, layer, read_graph)
    while node.inputs and node.inputs[-1].source is None and _may_end_at(reading, node, len(node.inputs) - 1):
        node.inputs.pop()
    if not node.outputs and node.operation is not None and node.operation.type in ("Result", "Assign"):
        node.outputs.append(Output(node, 0, -1))


def _may_end_at(reading: Reading, node: Node, count: int) -> bool:
    """Return whether a layer may have this many inputs; a declared input without an edge is then none at all."""
    definition = reading.registry.resolve(node.type, node.version)
    return definition is not None and count >= reading.catalogue.interface(definition).inputs[0]


def _report_double_id(reading: Reading, node: Node, layer: etree._Element, first: Node) -> None:
    line = first.span().line
    message = f'the layer id {node.id} is already that of "{first.name}" in line {line}'
    reading.report("IR201", message, layer, attribute="id", layer=node.ref(), help="give every layer an id of its own")


def _read_edge(reading: Reading, edge: etree._Element, nodes: dict[str, Node]) -> None:
    """Connect two layers, or report why the edge cannot."""
    if not _connected(reading, edge, nodes):
        reading.spoiled.add((str(edge.get("to-layer")), str(edge.get("to-port"))))


def _connected(reading: Reading, edge: etree._Element, nodes: dict[str, Node]) -> bool:
    numbers = []
    for name in _EDGE:
        text = str(edge.get(name, ""))
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            message = f'the edge\'s {name} "{text}" is no number' if text else f"the edge has no {name}"
            reading.report("IR213", message, edge, attribute=name)
            return False
        numbers.append(int(text))
    source, target = nodes.get(str(numbers[0])), nodes.get(str(numbers[2]))
    for name, node, number in (("from-layer", source, numbers[0]), ("to-layer", target, numbers[2])):
        if node is None:
            reading.report("IR204", f"{name} {number} is the id of no layer", edge, attribute=name)
    if source is None or target is None:
        return False
    output = next((port for port in source.outputs if port.port_id == numbers[1]), None)
    input = next((port for port in target.inputs if port.port_id == numbers[3]), None)
    if output is None:
        _report_port(reading, edge, source, "output", numbers[1], "from-port")
    if input is None:
        _report_port(reading, edge, target, "input", numbers[3], "to-port")
    if output is None or input is None:
        return False
    if input.source is not None:
        message = f'input port {input.port_id} of "{target.name}" is already fed by "{input.source.node.name}"'
        reading.report("IR206", message, edge, layer=target.ref(f"input port {input.port_id}"), help="remove one edge")
        return False
    connect(output, input)
    return True


def _report_port(
    reading: Reading, edge: etree._Element, node: Node, direction: str, number: int, attribute: str
) -> None:
    ports = node.inputs if direction == "input" else node.outputs
    known = ", ".join(str(port.port_id) for port in ports) or "none"
    message = f'"{node.name}" has no {direction} port {number}'
    help = f"its {direction} ports are {known}"
    reading.report("IR205", message, edge, attribute=attribute, layer=node.ref(), help=help)


def _report_structure(
    reading: Reading, model: Model, element: etree._Element, elements: dict[Node, etree._Element]
) -> None:
    order, cycle = order_of(model)
    if cycle:
        path = " -> ".join(f'"{node.name}"' for node in cycle)
        message = f"the layers {path} form a cycle"
        reading.report("IR208", message, elements[cycle[0]], layer=cycle[0].ref(), help="remove one of these edges")
    contributing = set(order)
    for node, layer in elements.items():
        if node in contributing:
            if node.operation is None:
                report_unknown(reading, node, layer)
            else:
                _report_unconnected(reading, node, layer)
        elif reading.strict and not cycle:
            message = "the layer does not contribute to any result; OpenVINO leaves it out"
            reading.report("IR209", message, layer, layer=node.ref())
    if reading.strict:
        _report_double_names(reading, elements)
    if not model.results and not model.sinks:
        _report_no_result(reading, element)


def _report_unconnected(reading: Reading, node: Node, layer: etree._Element) -> None:
    ports = layer.findall("input/port")
    for port in node.inputs:
        if port.source is None and (node.id, str(port.port_id)) not in reading.spoiled:
            message = f"input port {port.port_id} is not connected"
            where = node.ref(f"input port {port.port_id}")
            at = ports[port.index] if port.index < len(ports) else layer
            help = f'write an <edge> to to-layer="{node.id}" to-port="{port.port_id}"'
            reading.report("IR207", message, at, layer=where, help=help)


def _report_double_names(reading: Reading, elements: dict[Node, etree._Element]) -> None:
    first: dict[str, Node] = {}
    for node, layer in elements.items():
        present = first.setdefault(node.name, node)
        if present is not node and node.name:
            message = f'the name "{node.name}" is also that of the layer with id {present.id}'
            reading.report("IR202", message, layer, attribute="name", layer=node.ref())


def _report_no_result(reading: Reading, element: etree._Element) -> None:
    layers = element.find("layers")
    message = "the model has no Result layer" if layers is not None else "the model has no <layers>"
    children = [str(child.tag) for child in element]
    help = did_you_mean("layers", children) if layers is None else "add a Result for every output"
    reading.report("IR211", message, element if layers is None else layers, help=help)
