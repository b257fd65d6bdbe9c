"""The ranges in which random inputs stay that a model uses as indices, lengths or axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ir_plugin.model import Model, Node, Output, SubGraph
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import TensorInfo

Tensors: TypeAlias = Mapping[Output, TensorInfo]


def index_ranges(model: Model, tensors: Tensors) -> dict[Node, Range]:
    """Return the range of each parameter that layers, also of bodies, use as indices, lengths or axes.

    `tensors` holds the inferred tensor of every output, for the shapes of one run.
    """
    ranges = _Ranges(tensors)
    ranges.add_model(model, {})
    return {node: ranges.of[node.outputs[0]] for node in model.parameters if node.outputs[0] in ranges.of}


class _Ranges:
    """Ranges of outputs, collected from their consumers in reverse topological order."""

    def __init__(self, tensors: Tensors) -> None:
        self.of: dict[Output, Range] = {}
        self._tensors = tensors

    def add_model(self, model: Model, results: Mapping[int, Range]) -> None:
        """Add the ranges of a model's outputs; `results` holds the ranges that its results need, by position."""
        for position, needed in results.items():
            self._narrow(model.results[position], 0, needed)
        for node in reversed(model.ordered()):
            self._add(node)

    def _add(self, node: Node) -> None:
        if node.operation is None:
            return
        inputs = known_inputs(node, self._tensors)
        self._narrow_inputs(node, node.operation.input_ranges(inputs))
        for needed in [self.of[port] for port in node.outputs if port in self.of]:
            self._narrow_inputs(node, node.operation.ranges_for(needed, inputs))
        for subgraph in node.operation.subgraphs.values():
            self._add_body(node, subgraph)

    def _add_body(self, node: Node, subgraph: SubGraph) -> None:
        results = {
            entry.result: self.of[node.outputs[entry.external]]
            for entry in subgraph.outputs
            if entry.external is not None and node.outputs[entry.external] in self.of
        }
        self.add_model(subgraph.body, results)
        parameters = subgraph.body.parameters
        for entry in subgraph.inputs:
            needed = self.of.get(parameters[entry.parameter].outputs[0])
            if needed is not None and entry.external is not None:
                self._narrow(node, entry.external, needed)

    def _narrow_inputs(self, node: Node, ranges: Ranges) -> None:
        for position, needed in ranges.items():
            self._narrow(node, position, needed)

    def _narrow(self, node: Node, position: int, needed: Range) -> None:
        source = node.inputs[position].source if position < len(node.inputs) else None
        if source is not None:
            self.of[source] = needed.meet(self.of.get(source))


def known_inputs(node: Node, tensors: Tensors) -> KnownInputs:
    """Return the known types, shapes and values of a node's inputs: from `tensors`, else from the model."""
    sources = [port.source for port in node.inputs]
    return KnownInputs([None if port is None else tensors.get(port, port.tensor_info) for port in sources])
