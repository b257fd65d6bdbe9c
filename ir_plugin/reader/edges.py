"""Edges of a graph: each connects an output to an input, or is reported, once for each fault."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from ir_plugin.model import Input, Node, Output
from ir_plugin.model.graph import connect
from ir_plugin.reader.exchanged import exchanged_by_ports
from ir_plugin.reader.numbers import whole_number
from ir_plugin.reader.reading import DanglingEdge, ElementOrigin, Reading
from ir_plugin.schema.values import shown

_EDGE = ("from-layer", "from-port", "to-layer", "to-port")
_Ends = tuple[int, int, int, int]
_FEW = 8
_LONGEST = 20
"""Digits of one number that cannot be an id."""


def read_edges(reading: Reading, edges: etree._Element, nodes: dict[str, Node]) -> None:
    """Connect the layers of a graph."""
    reader = _EdgeReader(reading, nodes, edges)
    for edge in edges.iterchildren("edge"):
        reader.read(edge)
    reader.report()


class _EdgeReader:
    def __init__(self, reading: Reading, nodes: dict[str, Node], edges: etree._Element) -> None:
        self._reading = reading
        self._edges = edges
        self._nodes = nodes
        self._absent: dict[int, list[tuple[etree._Element, str]]] = {}
        self._refused: list[tuple[etree._Element, _Ends]] = []
        self._sources: set[int] = set()
        self._missing_ports: set[tuple[Node, str, int]] = set()
        self._inputs: dict[Node, dict[int, Input]] = {}
        self._outputs: dict[Node, dict[int, Output]] = {}

    def read(self, edge: etree._Element) -> None:
        """Connect two layers, or record the edge as refused."""
        numbers = self._numbers(edge)
        if numbers is None:
            return
        source, _, output, input = self._ends(numbers)
        if output is None or input is None:
            self._refused.append((edge, numbers))
        elif input.source is not None:
            message = f'input port {input.port_id} of "{input.node.name}" is already fed by "{_name(input)}"'
            where = input.node.ref(f"input port {input.port_id}")
            self._note_stray(DanglingEdge(input.node, source))
            self._reading.report("IR206", message, edge, layer=where, help="remove one edge, or correct its to-port")
        else:
            connect(output, input)

    def _ends(self, numbers: _Ends) -> tuple[Node | None, Node | None, Output | None, Input | None]:
        """Return the layers and ports that an edge names, None for those that do not exist."""
        source, target = self._nodes.get(str(numbers[0])), self._nodes.get(str(numbers[2]))
        output = None if source is None else self._output(source, numbers[1])
        return source, target, output, None if target is None else self._input(target, numbers[3])

    def report(self) -> None:
        """Report the refused edges; two layers whose ids are exchanged are one fault."""
        if self._refused and self._reading.strict:
            self._exchange()
        self._sources = {numbers[0] for _, numbers in self._refused}
        for edge, numbers in self._refused:
            source, target, output, input = self._ends(numbers)
            if output is None or input is None:
                self._refuse(edge, numbers, source, target, output, input)
        self._report_absent_layers()

    def _exchange(self) -> None:
        """Report two layers with exchanged ids, if any, and connect them with their ids restored."""
        edges = [numbers for edge in self._edges.iterfind("edge") if (numbers := self._parse(edge)) is not None]
        pair = exchanged_by_ports(
            self._nodes, edges, [ends for _, ends in self._refused if not self._lacks_ports(ends)]
        )
        if pair is None:
            return
        first, second = pair
        message = (
            f'edges name ports that "{first.name}" and "{second.name}" do not have, unless their ids are exchanged'
        )
        help = f'write id="{second.id}" here, and id="{first.id}" in line {second.span().line}'
        element = first.origin.element if isinstance(first.origin, ElementOrigin) else self._edges
        self._reading.report("IR205", message, element, attribute="id", layer=first.ref(), help=help)
        first.id, second.id = second.id, first.id
        self._nodes |= {first.id: first, second.id: second}
        self._reconnect(first, second, edges)

    def _lacks_ports(self, ends: _Ends) -> bool:
        """Return whether the ports of a layer at one of the ends are wrong themselves."""
        return not self._reading.damage.ports.isdisjoint(filter(None, self._ends(ends)[:2]))

    def _reconnect(self, first: Node, second: Node, edges: list[_Ends]) -> None:
        for node in (first, second):
            for port in node.inputs:
                if port.source is not None:
                    port.source.readers.remove(port)
                    port.source = None
            for output_port in node.outputs:
                for reader in output_port.readers:
                    reader.source = None
                output_port.readers.clear()
        for numbers in edges:
            _, _, source, target = self._ends(numbers)
            if source is not None and target is not None and target.source is None:
                connect(source, target)

    def _report_absent_layers(self) -> None:
        """Report each absent layer that edges name, unless a layer with a wrong id explains it."""
        if len(self._absent) <= self._reading.damage.layers_without_id:
            return
        for number, references in self._absent.items():
            edge, attribute = references[0]
            because = f"{len(references)} edges name it" if len(references) > 1 else ""
            message = f"{attribute} {number} is the id of no layer"
            help = self._absent_help(number, references)
            self._reading.report("IR204", message, edge, attribute=attribute, because=because, help=help)

    def _absent_help(self, number: int, references: Sequence[tuple[etree._Element, str]]) -> str:
        """Return the layers that edges to an absent one may mean: those with free ports for all of them."""
        nodes = self._nodes.values() if len(self._absent) <= _FEW else ()
        meant = [node for node in nodes if all(self._may_mean(node, *item) for item in references)]
        attribute, others = references[0][1], references[1:]
        if len(meant) == 1 and not others:
            return f'write {attribute}="{meant[0].id}", the id of "{meant[0].name}"'
        if len(meant) == 1:
            return f'write id="{number}" for the layer "{meant[0].name}" in line {meant[0].span().line}'
        listed = ", ".join(f'"{node.name}" ({node.id})' for node in meant[:_FEW])
        more = ", …" if len(meant) > _FEW else ""
        id = f"the id of {listed}{more}" if meant else "the id of a layer of this graph"
        return f"write {id}, or delete the {'edges' if others else 'edge'}"

    def _may_mean(self, node: Node, edge: etree._Element, attribute: str) -> bool:
        """Return whether a layer has a free port for an edge whose other end fits it."""
        numbers = self._parse(edge)
        if numbers is None or node in self._ends(numbers):
            return False
        if attribute == "to-layer":
            output, input = self._ends(numbers)[2], self._input(node, numbers[3])
            is_free = input is not None and input.source is None
        else:
            output, input = self._output(node, numbers[1]), self._ends(numbers)[3]
            is_free = output is not None and not output.readers
        return is_free and (output is None or input is None or output.declared.fits(input.declared))

    @staticmethod
    def _parse(edge: etree._Element) -> _Ends | None:
        get = edge.get
        texts = get("from-layer", ""), get("from-port", ""), get("to-layer", ""), get("to-port", "")
        joined = "".join(texts)
        if joined.isascii() and joined.isdigit() and "" not in texts and len(joined) < _LONGEST:
            return int(texts[0]), int(texts[1]), int(texts[2]), int(texts[3])
        a, b, c, d = map(whole_number, texts)
        return None if a is None or b is None or c is None or d is None else (a, b, c, d)

    def _numbers(self, edge: etree._Element) -> _Ends | None:
        """Return the four numbers of an edge, or report the first that is missing or not a number."""
        numbers = self._parse(edge)
        for name in _EDGE if numbers is None else ():
            text = str(edge.get(name, ""))
            if whole_number(text) is None:
                message = f"the edge's {name} {shown(text)} is not a number" if text else f"the edge has no {name}"
                source, target = (self._nodes.get(str(edge.get(name, ""))) for name in ("from-layer", "to-layer"))
                self._note_stray(DanglingEdge(target, source, whole_number(str(edge.get("to-port", "")))))
                help = f'write the id of a {name.partition("-")[2]} as a whole number, such as {name}="1"'
                self._reading.report("IR213", message, edge, attribute=name, help=help)
                break
        return numbers

    def _input(self, node: Node, id: int) -> Input | None:
        ports = node.inputs
        if id < len(ports) and ports[id].port_id == id:
            return ports[id]
        if len(ports) <= _FEW:
            return next((port for port in ports if port.port_id == id), None)
        if node not in self._inputs:
            self._inputs[node] = {port.port_id: port for port in ports}
        return self._inputs[node].get(id)

    def _output(self, node: Node, id: int) -> Output | None:
        ports = node.outputs
        if len(ports) == 1:
            return ports[0] if ports[0].port_id == id else None
        if len(ports) <= _FEW:
            return next((port for port in ports if port.port_id == id), None)
        if node not in self._outputs:
            self._outputs[node] = {port.port_id: port for port in ports}
        return self._outputs[node].get(id)

    def _refuse(
        self,
        edge: etree._Element,
        numbers: _Ends,
        source: Node | None,
        target: Node | None,
        output: Output | None,
        input: Input | None,
    ) -> None:
        for node, name, number in ((source, "from-layer", numbers[0]), (target, "to-layer", numbers[2])):
            if node is None:
                self._absent.setdefault(number, []).append((edge, name))
        if source is not None and target is not None and self._is_reversed(numbers, source, target):
            help = "from and to are probably exchanged"
            self._report_port(edge, source, "output", numbers[1], "from-port", help)
            self._note_stray(DanglingEdge(source, target))
            return
        if source is not None and output is None:
            self._report_port(edge, source, "output", numbers[1], "from-port")
        if target is not None and input is None:
            self._report_port(edge, target, "input", numbers[3], "to-port")
        if input is not None:
            self._reading.damage.faulty_inputs.add(input)
        if input is not None or self._is_lost(numbers, target):
            self._reading.damage.sources.update([] if source is None else [source])
            if target is None:
                self._reading.damage.absent.setdefault(numbers[2], set()).add(numbers[3])
        else:
            self._note_stray(DanglingEdge(target, source, numbers[3]))

    def _is_lost(self, numbers: _Ends, target: Node | None) -> bool:
        """Return whether an edge leads to a layer that the file lacks, rather than to a mistyped id."""
        return target is None and (self._reading.damage.layers_without_id > 0 or numbers[2] in self._sources)

    def _note_stray(self, stray: DanglingEdge) -> None:
        self._reading.damage.dangling_edges.append(stray)
        self._reading.damage.sources.update([] if stray.source is None else [stray.source])

    def _is_reversed(self, numbers: _Ends, source: Node, target: Node) -> bool:
        """Return whether an edge without valid ends would connect two ports in the reverse direction."""
        ends = self._output(source, numbers[1]), self._input(target, numbers[3])
        swapped = self._output(target, numbers[3]), self._input(source, numbers[1])
        return ends == (None, None) and None not in swapped

    def _report_port(
        self, edge: etree._Element, node: Node, direction: str, number: int, attribute: str, help: str = ""
    ) -> None:
        if node in self._reading.damage.ports or (node, direction, number) in self._missing_ports:
            return
        self._missing_ports.add((node, direction, number))
        self._reading.damage.lacking_ports.add(node)
        ports = node.inputs if direction == "input" else node.outputs
        ids = [port.port_id for port in ports if port.port_id >= 0]
        listed = ", ".join(map(str, ids[:_FEW])) or "none"
        more = ", …" if len(ids) > _FEW else ""
        message = f'"{node.name}" has no {direction} port {number}'
        help = help or f"its {direction} ports are {listed}{more}"
        self._reading.report("IR205", message, edge, attribute=attribute, layer=node.ref(), help=help)


def _name(input: Input) -> str:
    return input.source.node.name if input.source is not None else ""
