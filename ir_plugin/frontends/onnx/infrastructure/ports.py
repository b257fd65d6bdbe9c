"""Nodes that execute bodies: their inputs, port maps and results."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.model import Node, Output, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.opsets.basic import result
from ir_plugin.opsets.nodes import definition_of, new_node


class Inputs(list[Output]):
    """The inputs of a node, each output once."""

    def index_of(self, source: Output) -> int:
        """Return the index of the input that reads an output, a new one if there is none."""
        if source not in self:
            self.append(source)
        return self.index(source)

    def captured(self, body: Body) -> list[SubGraphInput]:
        """Return the port map of the outer values that a body reads."""
        first = len(body.parameters)
        pairs = enumerate(body.captured, first)
        return [SubGraphInput(self.index_of(source), position) for position, (source, _) in pairs]


def sub_graph_node(type: str, version: str, inputs: Sequence[Output], subgraphs: dict[str, SubGraph]) -> Node:
    """Return a node of an operation with bodies."""
    operation = definition_of(type, version).cls()
    operation.subgraphs = subgraphs
    return new_node(type, operation, inputs, None)


def source_of(node: Node) -> Output:
    """Return the output that a Result reads; raises if it has none."""
    source = node.inputs[0].source
    if source is None:
        raise OnnxReadError(f'the result "{node.name}" of the graph has no value')
    return source


def replace_result(body: Body, position: int, source: Output) -> None:
    """Let a Result of a body read another output."""
    old = body.results[position]
    source_of(old).readers.remove(old.inputs[0])
    body.results[position] = result(source, old.name)


def last_values(first: int, number: int, results: int = 0) -> list[SubGraphOutput]:
    """Return the port map of outputs that are the last values of results."""
    return [SubGraphOutput(first + index, results + index) for index in range(number)]
