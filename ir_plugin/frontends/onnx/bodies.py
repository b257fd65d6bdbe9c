"""Graphs of attributes as bodies: a value of an outer graph becomes a parameter, an outer constant a constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.scope import Scope
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.opsets.basic import parameter, result
from ir_plugin.opsets.nodes import new_node
from ir_plugin.tensors import TensorInfo


@dataclass
class Body:
    """A body: its parameters (those of the graph first), its results, and the outer values it reads."""

    parameters: list[Node]
    results: list[Node] = field(default_factory=list)
    captured: list[tuple[Output, Node]] = field(default_factory=list)
    """Each value of an outer graph with the parameter that stands for it, in the order of these parameters."""
    name: str = ""

    @property
    def model(self) -> Model:
        """The graph of the body; its parameters are those of the ONNX graph and then those of captured values."""
        parameters = [*self.parameters, *(node for _, node in self.captured)]
        return graph_of(self.name, parameters, self.results)


class BodyScope(Scope):
    """The names of a body; names of the graphs around it are captured."""

    def __init__(self, node: OnnxNode, name: str, body: Body) -> None:
        parent = node.scope
        path = f"{parent.path}/{node.name}" if parent.path else node.name
        super().__init__(parent.source, parent, f"{path}/{name}", parent.arguments, parent.opsets)
        self._parent = parent
        self._body = body

    def outer(self, name: str) -> Output | None:
        """Return the parameter or the constant for a value of the graph around the body."""
        value = self._parent.value(name)
        if value is not None:
            inner = self._twin(value, name)
            self.define(name, inner)
            return inner
        self.define(name, None)
        return None

    def _twin(self, value: Output, name: str) -> Output:
        if value.node.type == "Const":
            return new_node("Constant", value.node.operation, [], name).outputs[0]
        for captured, node in self._body.captured:
            if captured == value:
                return node.outputs[0]
        inner = parameter(value.known.shape, value.known.element_type, name)
        self._body.captured.append((value, inner))
        return inner.outputs[0]


def body_of(node: OnnxNode, name: str, parameters: Sequence[TensorInfo]) -> Body:
    """Return the graph of an attribute as a body with parameters of these types and shapes."""
    graph: Any = node.attributes.graph(name)
    if len(graph.input) != len(parameters):
        raise OnnxReadError(
            f"the graph {name!r} has {len(graph.input)} inputs; there are {len(parameters)} values for them"
        )
    nodes = [
        parameter(info.shape, info.element_type, value.name)
        for value, info in zip(graph.input, parameters, strict=True)
    ]
    body = Body(nodes, name=graph.name or name)
    scope = BodyScope(node, name, body)
    scope.add_initializers(graph)
    for made in nodes:
        scope.define(made.name, made.outputs[0])
    scope.translate(graph.node)
    for value in graph.output:
        source = scope.value(value.name)
        if source is None:
            raise OnnxReadError(f"the result {value.name!r} of the graph {name!r} is an absent value")
        body.results.append(result(source, f"{value.name}/sink_port_0"))
    return body


def graph_of(name: str, parameters: Sequence[Node], results: Sequence[Node]) -> Model:
    """Return the graph between parameters and results, its nodes in order."""
    graph = Model(name, [*parameters, *results])
    ends = {*parameters, *results}
    graph.nodes = [*parameters, *(node for node in order_of(graph)[0] if node not in ends), *results]
    return graph
