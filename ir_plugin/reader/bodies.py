"""The bodies of If, Loop and TensorIterator, with their port maps and back edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from lxml import etree

from ir_plugin.diagnostics import Finding
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Model, Node, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.reader.document import written
from ir_plugin.reader.numbers import signed_number
from ir_plugin.reader.port_maps import check_port_map
from ir_plugin.reader.reading import Damage, ElementOrigin, Reading
from ir_plugin.reader.texts import report_texts
from ir_plugin.reader.unknown import report_unknown
from ir_plugin.schema.values import shown

GraphReader: TypeAlias = Callable[[Reading, etree._Element, str], Model]

_PARTS = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}
_REQUIRED = {"If": ("then_body", "else_body"), "Loop": ("body",), "TensorIterator": ("body",)}
_PURPOSES = {"input": ("current_iteration",), "output": ("execution_condition",)}


def has_bodies(type: str, layer: etree._Element) -> bool:
    """Return whether a layer has bodies or must have them."""
    return type in _REQUIRED or any(child.tag in _PARTS for child in layer)


def read_bodies(reading: Reading, node: Node, layer: etree._Element, read_graph: GraphReader) -> None:
    """Read every body of a layer into its operation."""
    if node.operation is None:
        return
    required = _REQUIRED.get(node.operation.type, ())
    for name, map_name in _PARTS.items():
        element = layer.find(name)
        if element is not None:
            inside = reading.inside(node.name)
            before = reading.error_count
            body = read_graph(inside, element, node.name)
            report_texts(inside, element)
            is_sound = reading.error_count == before or _are_only_of_ports(
                reading.findings.errors[before:], inside.damage
            )
            reader = _SubGraphReader(reading, node, layer, body, is_sound)
            subgraph = node.operation.subgraphs[name] = reader.read(layer.find(map_name))
            subgraph.is_sound = is_sound and not reader.has_faults
            if is_sound and not reader.has_faults and node.operation.type in _REQUIRED:
                check_port_map(reading, node, layer, name, subgraph)
        elif name in required and not reading.strict:
            reading.report("IR210", f"the layer has no <{name}>", layer, layer=node.ref())


def _are_only_of_ports(errors: Sequence[Finding], damage: Damage) -> bool:
    """Return whether the errors of a body concern only what its ports declare, which port maps do not need."""
    parts = [error.layer.part if error.layer is not None else "" for error in errors]
    is_whole = not damage.is_any and not damage.ports
    return is_whole and all(
        error.code in ("IR105", "IR111") and " port " in part for error, part in zip(errors, parts, strict=True)
    )


class _SubGraphReader:
    """Reads a body's port map: ids of ports and layers become positions."""

    def __init__(self, reading: Reading, node: Node, layer: etree._Element, body: Model, is_sound: bool) -> None:
        self.reading = reading
        self.node = node
        self.layer = layer
        self.body = body
        self.has_faults = False
        self.is_sound = is_sound
        self.unknown: set[Node] = set()
        self.has_ports = node not in reading.damage.ports | reading.damage.lacking_ports
        self.parameters = {inner.id: position for position, inner in enumerate(body.parameters)}
        self.results = {inner.id: position for position, inner in enumerate(body.results)}
        self.inputs = {port.port_id: position for position, port in enumerate(node.inputs)}
        self.outputs = {port.port_id: position for position, port in enumerate(node.outputs)}

    def read(self, port_map: etree._Element | None) -> SubGraph:
        inputs, outputs = [], []
        for entry in port_map if port_map is not None else ():
            if entry.tag == "input":
                input = self._input(entry)
                inputs += [] if input is None else [input]
            elif entry.tag == "output":
                output = self._output(entry)
                outputs += [] if output is None else [output]
            else:
                message = f"<{written(entry)}> is not part of a port map; OpenVINO ignores it"
                self._fault(entry, "", message, did_you_mean(str(entry.tag), _PURPOSES))
        back_edges = self.layer.find("back_edges")
        edges = [self._back_edge(edge) for edge in (back_edges if back_edges is not None else ())]
        return SubGraph(self.body, inputs, outputs, [edge for edge in edges if edge is not None])

    def _fault(self, entry: etree._Element, attribute: str, message: str, help: str = "") -> None:
        self.has_faults = True
        self.reading.report("IR210", message, entry, attribute=attribute, layer=self.node.ref(), help=help)

    def _number(self, entry: etree._Element, name: str, default: int | None = None) -> int | None:
        text = entry.get(name)
        if text is None:
            if default is None:
                self._fault(entry, name, f"<{entry.tag!s}> has no {name}")
            return default
        number = signed_number(str(text))
        if number is None:
            self._fault(entry, name, f"{name} {shown(str(text))} is not a number")
            return default
        return number

    def _inner(self, entry: etree._Element, name: str, positions: dict[str, int], kind: str) -> int | None:
        id = self._number(entry, name)
        if id is None:
            return None
        if str(id) not in positions:
            self.has_faults = True
            if not self.is_sound or self._is_of_unknown_type(str(id)):
                return None
            ids = ", ".join(list(positions)[:16]) or "none"
            self._fault(
                entry, name, f"{name} {id} is not a {kind} of the body", f"{kind}s of the body have the ids {ids}"
            )
            return None
        return positions[str(id)]

    def _is_of_unknown_type(self, id: str) -> bool:
        """Report once a layer of unknown type that may be meant as a Parameter or a Result of the body."""
        node = next((node for node in self.body.nodes if node.id == id), None)
        if node is None or node.operation is not None or not isinstance(node.origin, ElementOrigin):
            return False
        if node not in self.unknown:
            self.unknown.add(node)
            report_unknown(self.reading, node, node.origin.element)
        return True

    def _outer(self, entry: etree._Element, ports: dict[int, int], direction: str) -> tuple[bool, int | None]:
        id = self._number(entry, "external_port_id")
        if id is None or id == -1:
            return id == -1, None
        if id not in ports:
            self.has_faults = True
            if not self.has_ports:
                return False, None
            listed = ", ".join(map(str, list(ports)[:16])) or "none"
            message = f"external_port_id {id} is not an {direction} port of the layer"
            self._fault(entry, "external_port_id", message, f"its {direction} ports are {listed}")
            return False, None
        return True, ports[id]

    def _slice(self, entry: etree._Element) -> tuple[int | None, int, int, int, int, str]:
        axis = None if entry.get("axis") is None else self._number(entry, "axis")
        if axis is not None and axis < 0 and entry.tag == "input":
            help = "count the axis from the first dimension"
            self._fault(entry, "axis", f"axis is {axis}; OpenVINO takes no negative axis of an input", help)
        start, end = self._number(entry, "start", 0), self._number(entry, "end", -1)
        stride, part = self._number(entry, "stride", 1), self._number(entry, "part_size", 1)
        if stride == 0:
            self._fault(entry, "stride", "stride is 0", "write the step from one slice to the next, 1 or -1 as a rule")
        if part is not None and part < 1:
            self._fault(entry, "part_size", f"part_size is {part}; it must be 1 or more")
        return axis, start or 0, -1 if end is None else end, stride or 1, part or 1, self._purpose(entry)

    def _purpose(self, entry: etree._Element) -> str:
        purpose = str(entry.get("purpose", ""))
        allowed = _PURPOSES[str(entry.tag)]
        if purpose and purpose not in allowed and self.node.operation.type == "Loop":
            message = f"purpose {shown(purpose)} is not known; OpenVINO ignores it"
            help = did_you_mean(purpose, allowed) or f"known is {allowed[0]}"
            self._fault(entry, "purpose", message, help)
        return purpose

    def _input(self, entry: etree._Element) -> SubGraphInput | None:
        parameter = self._inner(entry, "internal_layer_id", self.parameters, "Parameter")
        valid, external = self._outer(entry, self.inputs, "input")
        return None if parameter is None or not valid else SubGraphInput(external, parameter, *self._slice(entry))

    def _output(self, entry: etree._Element) -> SubGraphOutput | None:
        result = self._inner(entry, "internal_layer_id", self.results, "Result")
        valid, external = self._outer(entry, self.outputs, "output")
        return None if result is None or not valid else SubGraphOutput(external, result, *self._slice(entry))

    def _back_edge(self, edge: etree._Element) -> tuple[int, int] | None:
        if edge.tag != "edge":
            message = f"<{written(edge)}> is not part of <back_edges>; OpenVINO ignores it"
            self._fault(edge, "", message, did_you_mean(str(edge.tag), ["edge"]))
            return None
        result = self._inner(edge, "from-layer", self.results, "Result")
        if result is None:
            return None
        parameter = self._inner(edge, "to-layer", self.parameters, "Parameter")
        return None if parameter is None else (result, parameter)
