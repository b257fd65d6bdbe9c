"""Findings for a graph as a whole: missing connections, cycles, no result, repeated names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from lxml import etree

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.reader.reading import DanglingEdge, Reading
from ir_plugin.reader.unknown import report_unknown

_MAX_CYCLES = 16
_SHOWN = 8
_FEW = 4
_MAX_DANGLING_EDGES = 64


def report_structure(
    reading: Reading, model: Model, element: etree._Element, elements: dict[Node, etree._Element]
) -> None:
    """Report what is wrong with the graph as a whole."""
    contributing = set(order := _open_cycles(reading, model, elements))
    has_ends = bool(model.results or model.sinks)
    possible_results = set() if has_ends else _possible_results(model)
    if reading.strict and len(contributing) < len(elements) and _is_cut(reading, order):
        model.cut_off = [node for node in elements if node not in contributing]
        order = _open_cycles(reading, model, elements)
    unconnected = _unconnected(reading, elements, order, possible_results)
    unexplained = _unexplained(reading, unconnected)
    for port in unexplained:
        _report_input(reading, port, elements)
    if not has_ends and not possible_results:
        _report_no_result(reading, element)
    if reading.strict:
        if len(contributing) < len(elements):
            readers = _lost_readers(reading, unconnected, unexplained)
            _report_idle(reading, elements, contributing, possible_results, readers)
        _report_repeated_names(reading, elements)


def _is_cut(reading: Reading, order: Sequence[Node]) -> bool:
    """Return whether faults may cut layers off from the results."""
    return reading.damage.is_any or any(port.source is None for node in order for port in node.inputs)


def _unconnected(
    reading: Reading, elements: dict[Node, etree._Element], order: Sequence[Node], possible_results: set[Node]
) -> list[Input]:
    """Report layers of unknown operations, and return the inputs without an edge."""
    checked = set(order)
    unconnected: list[Input] = []
    for node in elements if possible_results else order:
        if node.operation is None:
            if (node in checked or node in possible_results) and node not in reading.damage.untyped_layers:
                report_unknown(reading, node, elements[node])
            if node not in checked:
                continue
        unconnected += [port for port in node.inputs if port.source is None]
    return unconnected


def _possible_results(model: Model) -> set[Node]:
    """Return the layers of unknown type that may be meant as the results of a model without results."""
    return {node for node in model.nodes if node.operation is None and not any(port.readers for port in node.outputs)}


def _open_cycles(reading: Reading, model: Model, elements: dict[Node, etree._Element]) -> list[Node]:
    """Report each cycle, remove one of its edges so that the rest can be checked, and return the order."""
    order, cycle = order_of(model)
    positions = {node: position for position, node in enumerate(elements)} if cycle else {}
    for _ in range(_MAX_CYCLES if cycle else 0):
        _report_cycle(reading, cycle, elements, positions)
        consumer, producer = cycle[-2], cycle[-1]
        for port in consumer.inputs:
            if port.source is not None and port.source.node is producer:
                port.source.readers.remove(port)
                port.source = None
                reading.damage.faulty_inputs.add(port)
                reading.damage.sources.add(producer)
        order, cycle = order_of(model)
        if not cycle:
            break
    return order


def _report_cycle(
    reading: Reading, cycle: list[Node], elements: dict[Node, etree._Element], positions: dict[Node, int]
) -> None:
    loop = cycle[:0:-1]
    first = min(range(len(loop)), key=lambda index: positions[loop[index]])
    path = [*loop[first:], *loop[: first + 1]]
    start = path[0]
    message = f"the layers {shown_path(path)} form a cycle"
    because = f"the edges are {_edges(path, elements[start])}"
    help = "remove one of these edges"
    reading.report("IR208", message, elements[start], layer=start.ref(), because=because, help=help)


def _edges(path: Sequence[Node], layer: etree._Element) -> str:
    """Return the edges along a path as layer:port pairs with their lines in the file."""
    net = next(layer.iterancestors("net", "body", "then_body", "else_body"), layer)
    names = ("from-layer", "from-port", "to-layer", "to-port")
    lines = {tuple(edge.get(name) for name in names): edge.sourceline for edge in net.iterfind("edges/edge")}
    texts = []
    for producer, consumer in pairwise(path):
        for port in consumer.inputs:
            if port.source is not None and port.source.node is producer:
                ends = (producer.id, str(port.source.port_id), consumer.id, str(port.port_id))
                where = f" (line {lines[ends]})" if lines.get(ends) else ""
                texts.append(f"{ends[0]}:{ends[1]} -> {ends[2]}:{ends[3]}{where}")
    more = ", …" if len(texts) > 2 * _SHOWN else ""
    return ", ".join(texts[: 2 * _SHOWN]) + more


def shown_path(path: Sequence[Node]) -> str:
    """Return the names of nodes along a path, the middle of a long one left out."""
    names = [f'"{node.name}"' for node in path]
    if len(names) > 2 * _SHOWN:
        left_out = len(names) - 2 * _SHOWN
        names = [*names[:_SHOWN], f"({left_out} more)", *names[-_SHOWN:]]
    return " -> ".join(names)


def _unexplained(reading: Reading, ports: Sequence[Input]) -> list[Input]:
    """Return the inputs without an edge that no faulty edge explains.

    A faulty edge explains an input of the layer that it should lead to, or else the only input that it fits.
    """
    damage = reading.damage
    if not ports or damage.has_no_edges:
        return []
    remaining = dict.fromkeys(
        port for port in ports if port not in damage.faulty_inputs and port.node not in damage.ports
    )
    for stray in damage.dangling_edges[:_MAX_DANGLING_EDGES]:
        own = [port for port in remaining if port.node is stray.target]
        fitting = [] if stray.target in damage.ports else [port for port in remaining if _fits(stray, port)]
        explained = own[:1] or (fitting if len(fitting) == 1 else [])
        for port in explained:
            del remaining[port]
    isolated = _isolated(reading, remaining) if damage.absent else set()
    remaining = dict.fromkeys(port for port in remaining if port.node not in isolated)
    return list(remaining) if len(damage.dangling_edges) <= _MAX_DANGLING_EDGES else []


def _isolated(reading: Reading, ports: Iterable[Input]) -> set[Node]:
    """Return the layers without any edge that have the ports of a layer that is not there: their ids are mistyped."""
    absent = [sorted(ids) for ids in reading.damage.absent.values()]
    isolated: set[Node] = set()
    for node in dict.fromkeys(port.node for port in ports):
        ids = sorted(port.port_id for port in node.inputs if port.source is None)
        if len(ids) == len(node.inputs) and not any(port.readers for port in node.outputs) and ids in absent:
            absent.remove(ids)
            isolated.add(node)
    return isolated


def _fits(stray: DanglingEdge, port: Input) -> bool:
    """Return whether an edge that leads nowhere may be meant for an input."""
    if stray.target is None and stray.port not in (None, port.port_id):
        return False
    return stray.source is None or any(output.declared.fits(port.declared) for output in stray.source.outputs)


def _report_input(reading: Reading, port: Input, elements: dict[Node, etree._Element]) -> None:
    node, layer = port.node, elements[port.node]
    ports = layer.findall("input/port")
    element = ports[port.index] if port.index < len(ports) else layer
    message = f"input port {port.port_id} is not connected"
    sources = _possible_sources(port, elements)
    edge = f'to-layer="{node.id}" to-port="{port.port_id}"'
    if len(sources) == 1:
        edge = f'from-layer="{sources[0].node.id}" from-port="{sources[0].port_id}" {edge}'
    help = f"write <edge {edge}/>"
    if len(sources) > 1:
        listed = ", ".join(f'"{source.node.name}" ({source.node.id}:{source.port_id})' for source in sources[:_FEW])
        help += f" from one of {listed}" + (", …" if len(sources) > _FEW else "")
    definition = reading.registry.resolve(node.type, node.version)
    if definition is not None and port.index >= reading.catalogue.interface(definition).inputs[0]:
        help += ", or remove the port, which is optional"
    reading.report("IR207", message, element, layer=node.ref(f"input port {port.port_id}"), help=help)


def _possible_sources(port: Input, nodes: Iterable[Node]) -> list[Output]:
    """Return the outputs that declare what an unconnected input does: those that nothing reads, else all."""
    if port.declared.shape is None and port.declared.element_type is None:
        return []
    outputs = [output for node in nodes if node is not port.node for output in node.outputs if output.port_id >= 0]
    fitting = [output for output in outputs if _declares(output, port)]
    return [output for output in fitting if not output.readers] or fitting


def _declares(output: Output, port: Input) -> bool:
    mine, theirs = port.declared, output.declared
    types = mine.element_type is None or theirs.element_type is None or mine.element_type is theirs.element_type
    shapes = mine.shape is None or theirs.shape is None or mine.shape == theirs.shape
    return types and shapes and (theirs.shape is not None or theirs.element_type is not None)


def _report_idle(
    reading: Reading,
    elements: dict[Node, etree._Element],
    contributing: set[Node],
    possible_results: set[Node],
    readers: Sequence[Input],
) -> None:
    """Report the last layers that contribute to no result, except constants, which OpenVINO itself writes."""
    damage = reading.damage
    if damage.has_no_edges or damage.mistyped:
        return
    if not any(node.get_type_name() in ("Result", "Assign") for node in elements):
        return
    idle = [node for node in elements if node not in contributing and node not in possible_results]
    last = [node for node in idle if not any(port.readers for port in node.outputs)] or idle
    last = _without_lost_readers(reading, last, readers)
    last = [node for node in last if node.get_type_name() not in ("Constant", "Result", "Assign")]
    for node in filter(_is_meant_as_end, last):
        report_unknown(reading, node, elements[node])
    last = [node for node in last if not _is_meant_as_end(node)]
    for node in last:
        message = "the layer does not contribute to any result; OpenVINO leaves it out"
        help = did_you_mean(node.type, reading.registry.types()) if node.operation is None else ""
        remaining = len(idle) - len(last) if node is last[-1] and not damage.is_any and not readers else 0
        because = f"{remaining} more lead to nothing else" if remaining else ""
        reading.report("IR209", message, elements[node], layer=node.ref(), because=because, help=help)


def _lost_readers(reading: Reading, unconnected: Sequence[Input], unexplained: Sequence[Input]) -> list[Input]:
    """Return the inputs whose producers are not known, so that a layer without readers may be one of them."""
    damage = reading.damage
    if any(stray.source is None for stray in damage.dangling_edges):
        return list(unconnected)
    return [*unexplained, *(port for port in unconnected if port in damage.faulty_inputs)]


def _without_lost_readers(reading: Reading, last: list[Node], readers: Sequence[Input]) -> list[Node]:
    """Return the layers that no faulty edge reads, and that no input without an edge may be meant to read."""
    damage = reading.damage
    remaining = dict.fromkeys(node for node in last if node not in damage.sources and node not in damage.untyped_layers)
    for port in readers[:_MAX_DANGLING_EDGES]:
        fitting = (node for node in remaining if any(output.declared.fits(port.declared) for output in node.outputs))
        remaining.pop(next(fitting, port.node), None)
    return list(remaining) if len(readers) <= _MAX_DANGLING_EDGES else []


def _is_meant_as_end(node: Node) -> bool:
    """Return whether a layer of unknown type is meant as a Result or an Assign, so that the model lacks one."""
    return node.operation is None and (not node.outputs or bool(did_you_mean(node.type, ("Result", "Assign"))))


def _report_repeated_names(reading: Reading, elements: dict[Node, etree._Element]) -> None:
    first: dict[str, Node] = {}
    for node, layer in elements.items():
        present = first.setdefault(node.name, node)
        if present is not node and node.name:
            message = f"this name also belongs to the layer with id {present.id}"
            reading.report("IR202", message, layer, attribute="name", layer=node.ref())


def _report_no_result(reading: Reading, element: etree._Element) -> None:
    layers = element.find("layers")
    damage = reading.damage
    if (
        layers is None
        or damage.layers_without_id
        or damage.mistyped
        or any(stray.target is None for stray in damage.dangling_edges)
    ):
        return
    reading.report("IR211", "the model has no Result layer", layers, help="add a Result for every output")
