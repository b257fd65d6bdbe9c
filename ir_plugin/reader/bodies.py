"""The bodies of If, Loop and TensorIterator, with their port maps and back edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from lxml import etree

from ir_plugin.model import Model, Node, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.reader.reading import Reading

GraphReader: TypeAlias = Callable[[Reading, etree._Element, str], Model]

_PARTS = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}


def read_bodies(reading: Reading, node: Node, layer: etree._Element, read_graph: GraphReader) -> None:
    """Read every body of a layer into its operation."""
    if node.operation is None:
        return
    for name, map_name in _PARTS.items():
        element = layer.find(name)
        if element is not None:
            body = read_graph(reading.inside(node.name), element, node.name)
            node.operation.subgraphs[name] = _SubGraphReader(reading, node, layer, body).read(layer.find(map_name))
    wanted = ("then_body", "else_body") if node.operation.type == "If" else ("body",)
    for name in wanted:
        if name not in node.operation.subgraphs:
            reading.report("IR210", f"the layer has no <{name}>", layer, layer=node.ref())


class _SubGraphReader:
    """Translates ids of ports and layers into positions."""

    def __init__(self, reading: Reading, node: Node, layer: etree._Element, body: Model) -> None:
        self.reading = reading
        self.node = node
        self.layer = layer
        self.body = body
        self.parameters = {found.id: position for position, found in enumerate(body.parameters)}
        self.results = {found.id: position for position, found in enumerate(body.results)}

    def read(self, port_map: etree._Element | None) -> SubGraph:
        inputs, outputs = [], []
        for entry in port_map if port_map is not None else ():
            if entry.tag == "input":
                made = self._input(entry)
                inputs += [] if made is None else [made]
            elif entry.tag == "output":
                found = self._output(entry)
                outputs += [] if found is None else [found]
        edges = [self._back_edge(edge) for edge in self.layer.iterfind("back_edges/edge")]
        return SubGraph(self.body, inputs, outputs, [edge for edge in edges if edge is not None])

    def _fault(self, entry: etree._Element, attribute: str, message: str, help: str = "") -> None:
        self.reading.report("IR210", message, entry, attribute=attribute, layer=self.node.ref(), help=help)

    def _number(self, entry: etree._Element, name: str, default: int | None = None) -> int | None:
        text = entry.get(name)
        if text is None:
            if default is None:
                self._fault(entry, name, f"<{entry.tag!s}> has no {name}")
            return default
        word = str(text).strip()
        if not (word.removeprefix("-").isascii() and word.removeprefix("-").isdigit() and len(word) < 20):
            self._fault(entry, name, f'{name} "{text}" is no number')
            return default
        return int(word)

    def _inner(self, entry: etree._Element, name: str, known: dict[str, int], what: str) -> int | None:
        id = self._number(entry, name)
        if id is None:
            return None
        if str(id) not in known:
            ids = ", ".join(known) or "none"
            self._fault(entry, name, f"{name} {id} is no {what} of the body", f"{what}s of the body have the ids {ids}")
            return None
        return known[str(id)]

    def _outer(self, entry: etree._Element, ports: list[int], direction: str) -> tuple[bool, int | None]:
        id = self._number(entry, "external_port_id")
        if id is None or id == -1:
            return id == -1, None
        if id not in ports:
            known = ", ".join(map(str, ports)) or "none"
            message = f"external_port_id {id} is no {direction} port of the layer"
            self._fault(entry, "external_port_id", message, f"its {direction} ports are {known}")
            return False, None
        return True, ports.index(id)

    def _slice(self, entry: etree._Element) -> tuple[int | None, int, int, int, int, str]:
        axis = None if entry.get("axis") is None else self._number(entry, "axis")
        start, end = self._number(entry, "start", 0), self._number(entry, "end", -1)
        stride, part = self._number(entry, "stride", 1), self._number(entry, "part_size", 1)
        return axis, start or 0, -1 if end is None else end, stride or 1, part or 1, str(entry.get("purpose", ""))

    def _input(self, entry: etree._Element) -> SubGraphInput | None:
        parameter = self._inner(entry, "internal_layer_id", self.parameters, "Parameter")
        valid, external = self._outer(entry, [port.port_id for port in self.node.inputs], "input")
        return None if parameter is None or not valid else SubGraphInput(external, parameter, *self._slice(entry))

    def _output(self, entry: etree._Element) -> SubGraphOutput | None:
        result = self._inner(entry, "internal_layer_id", self.results, "Result")
        valid, external = self._outer(entry, [port.port_id for port in self.node.outputs], "output")
        return None if result is None or not valid else SubGraphOutput(external, result, *self._slice(entry))

    def _back_edge(self, edge: etree._Element) -> tuple[int, int] | None:
        result = self._inner(edge, "from-layer", self.results, "Result")
        parameter = self._inner(edge, "to-layer", self.parameters, "Parameter")
        return None if result is None or parameter is None else (result, parameter)
