"""A pass that turns the state of loops and sequences into variables, so that a model runs step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.compiler.model_rewriter import add_nodes, build, constant, drop_unused, substitute
from ir_plugin.errors import require
from ir_plugin.model import Input, Node, Output
from ir_plugin.model.graph import Model as Graph
from ir_plugin.model.graph import SubGraph, SubGraphOutput
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.openvino.passes.cells import STATES, cell_of
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.loop import Loop
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.tensor_iterator import TensorIterator
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.sequence.lstm_sequence import LSTMSequence
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze1
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.tensors import ElementType


class LowLatency2(BuiltInPass, name="LowLatency2"):
    """Puts a ReadValue before and an Assign after each state that a TensorIterator, Loop or sequence carries on.

    A variable starts as zeros, or without `use_const_initializer` as the input that was the state before. A
    TensorIterator or sequence of a single step becomes the nodes of that step.
    """

    def __init__(self, use_const_initializer: bool = True) -> None:
        require(use_const_initializer, (bool, int, np.bool_), "a bool", "use_const_initializer")
        self._starts_as_zeros = bool(use_const_initializer)

    def transform(self, graph: Graph) -> bool:
        """Change a model."""
        for node in graph.ordered():
            if node.is_a(TensorIterator, Loop):
                self._loop(graph, node)
            elif node.is_a(*STATES.definitions):
                for index, state in enumerate(STATES[node.operation]):
                    self._remember(graph, node.inputs[state], node.outputs[state], f"{node.name}/variable_{index}")
                if _length(node.inputs[0], 1) == 1:
                    _unroll_sequence(node)
        drop_unused(graph)
        return True

    def _loop(self, graph: Graph, node: Node) -> None:
        """Turn the back edges of a loop into variables, unless they are already."""
        subgraph: SubGraph = node.operation.subgraphs["body"]
        results = {parameter: result for result, parameter in subgraph.back_edges}
        merged = [(number, entry) for number, entry in enumerate(_inputs(subgraph)) if entry[1] in results]
        sources = [node.inputs[external].source for _, (external, _) in merged]
        if any(source is not None and source.node.is_a(ReadValue) for source in sources):
            return
        for number, (external, parameter) in merged:
            output = _final_value(node, subgraph, results[parameter])
            name = f"{node.name}/{subgraph.body.parameters[parameter].name}/variable_{number}"
            self._remember(graph, node.inputs[external], output, name)
        if node.is_a(TensorIterator) and _iterations(node, subgraph) == 1:
            _unroll(graph, node, subgraph)

    def _remember(self, graph: Graph, state: Input, output: Output, variable: str) -> None:
        """Read an input from a variable, and assign an output to it."""
        start = state.get_source_output()
        if self._starts_as_zeros:
            zero = constant(np.zeros(1), start.element_type)
            start = build(Broadcast, [zero, build(ShapeOf, [start]).outputs[0]]).outputs[0]
        attributes: dict[str, Any] = {
            "variable_id": variable,
            "variable_type": start.element_type,
            "variable_shape": start.partial_shape,
        }
        state.replace_source_output(build(ReadValue, [start], **attributes).outputs[0])
        add_nodes(graph, [build(Assign, [output], variable_id=variable)])


def _inputs(subgraph: SubGraph) -> list[tuple[int, int]]:
    """Return the input of the layer and the parameter of the body for each entry of the port map."""
    return [(-1 if entry.external is None else entry.external, entry.parameter) for entry in subgraph.inputs]


def _length(port: Input, axis: int) -> int | None:
    dims = port.tensor_info.shape.dims
    return dims[axis].lower if dims is not None and len(dims) > axis and dims[axis].is_static else None


def _final_value(node: Node, subgraph: SubGraph, result: int) -> Output:
    """Return the output of a loop for a result of its body, a new one if there is none."""
    for entry in subgraph.outputs:
        if entry.result == result and entry.external is not None:
            return node.outputs[entry.external]
    index = len(node.outputs)
    output = Output(node, index, len(node.inputs) + index)
    output.tensor_info = subgraph.body.results[result].inputs[0].tensor_info
    node.outputs.append(output)
    subgraph.outputs.append(SubGraphOutput(index, result))
    return output


def _iterations(node: Node, subgraph: SubGraph) -> int | None:
    """Return the number of iterations of a TensorIterator, None if it is unknown."""
    for entry in subgraph.inputs:
        if entry.axis is not None and entry.external is not None:
            length = _length(node.inputs[entry.external], entry.axis)
            if length is None:
                return None
            start, end = (position + length + 1 if position < 0 else position for position in (entry.start, entry.end))
            if entry.stride < 0 and entry.end == 0 and entry.start < 0:
                start, end = length, 0
            return abs(end - start) // max(entry.part_size, abs(entry.stride))
    return None


def _unroll(graph: Graph, node: Node, subgraph: SubGraph) -> None:
    """Put the nodes of the body of a loop of one iteration in its place."""
    body = subgraph.body
    parameters, results = body.parameters, body.results
    for external, parameter in _inputs(subgraph):
        substitute(parameters[parameter].outputs[0], node.inputs[external].get_source_output())
    for entry in subgraph.outputs:
        if entry.external is None:
            continue
        output = node.outputs[entry.external]
        source = results[entry.result].inputs[0].get_source_output()
        name = node.name if len(node.outputs) == 1 else f"{node.name}.{entry.external}"
        for reader in list(output.readers):
            reader.replace_source_output(_same(source, name, output))
    add_nodes(graph, body.sinks)


def _same(source: Output, name: str, output: Output) -> Output:
    """Return the value of an output of a body under the names of an output of its loop."""
    axis = constant([1], ElementType.i64)
    widened = build(Unsqueeze, [source, axis])
    renamed = build(Squeeze1, [widened.outputs[0], axis], name).outputs[0]
    renamed.add_names(output.names)
    return renamed


def _unroll_sequence(node: Node) -> None:
    """Put a cell in the place of a sequence of one step."""
    states = len(STATES[node.operation])
    batch, first = constant([1], ElementType.i32), constant([0], ElementType.i32)
    sources = node.input_values()
    if node.is_a(LSTMSequence):
        sources = sources[:7]
    steps: list[Output] = [_squeezed(source, batch) for source in sources[: 1 + states]]
    steps += [_squeezed(source, first) for source in sources[2 + states :]]
    cell = cell_of(node, steps)
    outputs = [build(Unsqueeze, [cell.outputs[0], constant([1, 2], ElementType.i32)], f"{node.name}:0")]
    for index, output in enumerate(cell.outputs):
        outputs.append(build(Unsqueeze, [output, batch], f"{node.name}:{index + 1}"))
    for old, new in zip(node.outputs, outputs, strict=True):
        substitute(old, new.outputs[0])


def _squeezed(source: Output, axes: Output) -> Output:
    return build(Squeeze1, [source, axes]).outputs[0]
