"""The extent of a part of a graph: which nodes it needs, and what it reads from outside."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from ir_plugin.model import Node, Output
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.tensors import Array


@dataclass
class Extent:
    """The nodes of a part, the tensors that become inputs, and the outside values that become constants."""

    nodes: set[Node] = field(default_factory=set)
    inputs: set[Output] = field(default_factory=set)
    constants: dict[Output, Array] = field(default_factory=dict)

    @property
    def parameters(self) -> set[Node]:
        """The Parameters of the model that the part has."""
        return {node for node in self.nodes if node.is_a(Parameter)}

    def add(self, part: Extent) -> None:
        """Add another part."""
        self.nodes |= part.nodes
        self.inputs |= part.inputs
        self.constants |= part.constants


def through_assigns(port: Output) -> Output:
    """Return the output that an output passes on: what an Assign reads, else itself."""
    while port.node.is_a(Assign):
        port = port.node.input(0).get_source_output()
    return port


def outside(order: Iterable[Node], cuts: Set[Output], parameters: Set[Node]) -> set[Node]:
    """Return the nodes that are computed from other Parameters than these, other than through `cuts`."""
    foreign: set[Node] = set()
    for node in order:
        if node.is_a(Parameter):
            is_foreign = node not in parameters
        else:
            sources = [port.source for port in node.inputs if port.source is not None]
            is_foreign = any(source.node in foreign and source not in cuts for source in sources)
        if is_foreign:
            foreign.add(node)
    return foreign


def upstream(ports: Iterable[Output], cuts: Set[Output], foreign: Set[Node]) -> Extent:
    """Return the nodes, inputs and constants that computing `ports` from `cuts` needs.

    A value of `foreign` nodes that inference knows becomes a constant, such as a length that a ShapeOf outside reads.
    """
    extent = Extent()
    seen: set[Output] = set()
    waiting = [through_assigns(port) for port in ports]
    while waiting:
        port = waiting.pop()
        if port in seen:
            continue
        seen.add(port)
        if port in cuts:
            extent.inputs.add(port)
            continue
        value = port.tensor_info.value if port.node in foreign else None
        if value is not None:
            extent.constants[port] = value
        elif port.node not in extent.nodes:
            extent.nodes.add(port.node)
            waiting += [through_assigns(source) for source in _sources(port.node)]
    return extent


def _sources(node: Node) -> list[Output]:
    return [port.source for port in node.inputs if port.source is not None]


def downstream(order: Iterable[Node], ports: Set[Output]) -> set[Node]:
    """Return the nodes that are computed from some outputs."""
    reached: set[Node] = set()
    for node in order:
        if any(source in ports or source.node in reached for source in _sources(node)):
            reached.add(node)
    return reached
