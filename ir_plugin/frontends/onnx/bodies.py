"""Graphs of attributes as bodies: a value of an outer graph becomes a parameter, an outer constant a constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.opsets.basic import parameter
from ir_plugin.opsets.nodes import new_node


@dataclass
class Body:
    """A body: the parameters of its ONNX graph, its results, and the outer values that it captures."""

    parameters: list[Node]
    results: list[Node] = field(default_factory=list)
    captured: list[tuple[Output, Node]] = field(default_factory=list)
    """Each value of an outer graph with the parameter that stands for it, in the order of these parameters."""
    name: str = ""

    @property
    def model(self) -> Model:
        """The graph of the body; parameters of the ONNX graph come first, then one for each captured value."""
        parameters = [*self.parameters, *(node for _, node in self.captured)]
        return graph_of(self.name, parameters, self.results)

    def twin(self, value: Output, name: str) -> Output:
        """Return the body's value for an outer value: the parameter that captures it, or a copy of a constant."""
        if value.node.type == "Const":
            return new_node("Constant", value.node.operation, [], name).outputs[0]
        for captured, node in self.captured:
            if captured == value:
                return node.outputs[0]
        inner = parameter(value.tensor_info.shape, value.tensor_info.element_type, name)
        self.captured.append((value, inner))
        return inner.outputs[0]


def graph_of(name: str, parameters: Sequence[Node], results: Sequence[Node]) -> Model:
    """Return the graph between parameters and results, its nodes in order."""
    graph = Model(name, [*parameters, *results])
    ends = {*parameters, *results}
    graph.nodes = [*parameters, *(node for node in order_of(graph)[0] if node not in ends), *results]
    return graph
