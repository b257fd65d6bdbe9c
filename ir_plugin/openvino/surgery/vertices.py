"""A graph as numbered vertices with edges both ways, for comparisons of structure.

A constant in half precision with the Convert that decompresses it is one vertex: the constant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ir_plugin.model import Model, Node, Output, SubGraph
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import ElementType

_HALVES = (ElementType.f16, ElementType.bf16)
_FULL = (ElementType.f32, ElementType.f64)


@dataclass
class Vertex:
    """A layer: its node, the constant whose values it has, the sources of its inputs and its readers."""

    node: Node
    constant: Node | None
    position: tuple[Any, ...] = ()
    """For a Parameter or Result of a body: how it is mapped to the ports of the layer."""
    inputs: list[tuple[int, int] | None] = field(default_factory=list)
    """The vertex and the output that each input reads."""
    readers: list[tuple[int, int, int]] = field(default_factory=list)
    """Own output, reading vertex, its input."""
    digest: bytes | None = None
    """The digest of a constant's values, once it is computed."""

    @property
    def type(self) -> str:
        """The type of the operation."""
        return "Constant" if self.constant is not None else self.node.get_type_name()

    @property
    def is_constant(self) -> bool:
        """Whether it is a constant."""
        return self.constant is not None


class VertexGraph:
    """The vertices of a model or of a body, producers first."""

    def __init__(self, model: Model, subgraph: SubGraph | None = None) -> None:
        self.model = model
        positions = {} if subgraph is None else _positions(subgraph)
        hidden = _decompressed(model.nodes)
        constants = {convert: const for const, convert in hidden.items()}
        nodes = [node for node in model.nodes if node not in hidden]
        vertices = [Vertex(node, constants.get(node, _constant(node)), positions.get(node, ())) for node in nodes]
        numbers = {node: number for number, node in enumerate(nodes)}
        _connect(vertices, numbers)
        self.vertices = _sorted(vertices)
        self.numbers = {vertex.node: number for number, vertex in enumerate(self.vertices)}

    def __len__(self) -> int:
        return len(self.vertices)

    def __getitem__(self, number: int) -> Vertex:
        return self.vertices[number]


def _constant(node: Node) -> Node | None:
    return node if node.is_a(Const) else None


def _decompressed(nodes: Sequence[Node]) -> dict[Node, Node]:
    """Return the Convert of each constant in half precision that only a Convert to f32 or f64 reads."""
    pairs: dict[Node, Node] = {}
    for node in nodes:
        source = node.inputs[0].source if node.is_a(Convert) and node.inputs else None
        if source is None or not source.node.is_a(Const) or len(source.readers) != 1:
            continue
        if source.node.operation.element_type in _HALVES and node.operation.destination_type in _FULL:
            pairs[source.node] = node
    return pairs


def _connect(vertices: Sequence[Vertex], numbers: Mapping[Node, int]) -> None:
    for number, vertex in enumerate(vertices):
        for port in vertex.node.inputs if vertex.constant is None else ():
            source = port.source
            if source is None or source.node not in numbers:
                vertex.inputs.append(None)
                continue
            producer = numbers[source.node]
            vertex.inputs.append((producer, source.index))
            vertices[producer].readers.append((source.index, number, port.index))


def _sorted(vertices: list[Vertex]) -> list[Vertex]:
    """Return the vertices producers first, those on cycles at the end, with their numbers changed accordingly."""
    missing = [sum(source is not None for source in vertex.inputs) for vertex in vertices]
    ready = deque(number for number, count in enumerate(missing) if not count)
    order: list[int] = []
    while ready:
        number = ready.popleft()
        order.append(number)
        for _, reader, _ in vertices[number].readers:
            missing[reader] -= 1
            if not missing[reader]:
                ready.append(reader)
    order += [number for number, count in enumerate(missing) if count > 0]
    new = {number: position for position, number in enumerate(order)}
    for vertex in vertices:
        vertex.inputs = [None if source is None else (new[source[0]], source[1]) for source in vertex.inputs]
        vertex.readers = [(port, new[reader], index) for port, reader, index in vertex.readers]
    return [vertices[number] for number in order]


def _positions(subgraph: SubGraph) -> dict[Node, tuple[Any, ...]]:
    """Return how each Parameter and Result of a body is mapped to the ports of its layer."""
    parameters, results = subgraph.body.parameters, subgraph.body.results
    positions: dict[Node, tuple[Any, ...]] = dict.fromkeys((*parameters, *results), ())
    for item in subgraph.inputs:
        if item.parameter < len(parameters):
            where = (item.external, item.axis, item.start, item.end, item.stride, item.part_size, item.purpose)
            positions[parameters[item.parameter]] += (("input", *where),)
    for entry in subgraph.outputs:
        if entry.result < len(results):
            where = (entry.external, entry.axis, entry.start, entry.end, entry.stride, entry.part_size, entry.purpose)
            positions[results[entry.result]] += (("output", *where),)
    for result, parameter in subgraph.back_edges:
        if result < len(results) and parameter < len(parameters):
            positions[results[result]] += (("fed back",),)
            positions[parameters[parameter]] += (("fed back",),)
    return {node: tuple(sorted(position, key=repr)) for node, position in positions.items()}


def output_of(vertex: Vertex, index: int) -> Output | None:
    """Return an output of a vertex."""
    outputs = vertex.node.outputs
    return outputs[index] if index < len(outputs) else None
