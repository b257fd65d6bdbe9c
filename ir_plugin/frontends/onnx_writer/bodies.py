"""Layers with bodies as If and Loop, and variables as inputs and outputs of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import MAX_I64, Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.model import Node, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.operations.condition.if_ import If
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.loop import Loop
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.slices import count
from ir_plugin.operations.infrastructure.tensor_iterator import TensorIterator
from ir_plugin.tensors import ElementType

BOOLEAN = ElementType.boolean


@writes(If)
def if_(layer: Layer) -> list[str]:
    """Return If, whose graphs read the values around them."""
    outputs = [layer.fresh("If") for _ in layer.node.outputs]
    graphs = {}
    for name, branch in (("then_body", "then_branch"), ("else_body", "else_branch")):
        subgraph = layer.operation.subgraphs[name]
        body = _Body(layer, name, subgraph)
        for entry in subgraph.inputs:
            if entry.external is not None:
                body.bind(entry.parameter, layer.inputs[entry.external])
        body.write()
        by_port = {entry.external: entry.result for entry in subgraph.outputs}
        graphs[branch] = body.graph([], [body.result(by_port[port]) for port in range(len(outputs))])
    layer.add(
        "If", [layer.reshape(layer.inputs[0])], outputs, [port.element_type for port in layer.node.outputs], **graphs
    )
    return outputs


class _Body:
    """The graph of a body while it is written."""

    def __init__(self, layer: Layer, name: str, subgraph: SubGraph) -> None:
        self.subgraph = subgraph
        self.name = name
        self.scope = layer.scope.inner(f"{layer.node.name}/{name}/")
        self.layer = Layer(self.scope.graph, layer.node, layer.inputs)
        self.scope.graph.prefix = f"{layer.node.name}/{name}"
        self.parameters: list[Node] = subgraph.body.parameters
        self.results: list[Node] = subgraph.body.results

    def bind(self, position: int, value: str) -> None:
        """Make a value of the graph, or of those around it, the value of a parameter."""
        self.scope.values[self.parameters[position].outputs[0]] = value

    def write(self) -> None:
        """Write the layers."""
        self.scope.write(self.subgraph.body.ordered())
        self.scope.graph.prefix = f"{self.layer.node.name}/{self.name}"

    def result(self, position: int) -> str:
        """Return the value of a result."""
        source = self.results[position].inputs[0].source
        if source is None:
            raise NotExpressibleError(f"result {position} of {self.name} has no value")
        value: str = self.scope.value_of(source)
        return value

    def graph(self, inputs: Sequence[str], outputs: Sequence[str], scalars: int = 0) -> Any:
        """Return the `GraphProto` with these inputs, of which the first are scalars, and outputs of own names."""
        from onnx import GraphProto

        proto = GraphProto(name=self.name)
        types = self.scope.graph.document.types
        for position, value in enumerate(inputs):
            proto.input.append(self.layer.graph.value_proto(value, types[value], position < scalars))
        for value in outputs:
            name = self.layer.fresh("Identity")
            self.layer.add("Identity", [value], [name], [types[value]])
            proto.output.append(self.layer.graph.value_proto(name, types[value]))
        proto.node.extend(self.scope.graph.nodes)
        return proto


@writes(Loop, TensorIterator)
def loop(layer: Layer) -> list[str]:
    """Return Loop: states by back edges, slices by the number of the iteration, joined results as scans."""
    writer = _LoopWriter(layer)
    return writer.write()


class _LoopWriter:
    """Writes one Loop or TensorIterator."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.subgraph: SubGraph = layer.operation.subgraph
        self.is_loop = isinstance(layer.operation, Loop)
        self.body = _Body(layer, "body", self.subgraph)
        self.entries = {entry.parameter: entry for entry in self.subgraph.inputs}
        self.states = [(result, parameter) for result, parameter in self.subgraph.back_edges]
        self.iteration = self._inner("iteration", i64)
        self.condition = self._inner("condition", BOOLEAN)

    def _inner(self, name: str, element_type: ElementType) -> str:
        value = self.body.layer.fresh(name)
        self.layer.graph.document.types[value] = element_type
        return value

    def write(self) -> list[str]:
        """Return the outputs."""
        layer, inner = self.layer, self.body.layer
        limit, begins = self._limits()
        initial = [layer.inputs[self._external(self.entries.get(parameter))] for _, parameter in self.states]
        variables = [self._inner("state", layer.type_of(value)) for value in initial]
        for (_, parameter), variable in zip(self.states, variables, strict=True):
            self.body.bind(parameter, variable)
        for parameter, entry in self.entries.items():
            if parameter not in [target for _, target in self.states]:
                self.body.bind(parameter, self._value(entry))
        self.body.write()
        others = [entry for entry in self._outputs() if entry.axis is None and entry.result not in dict(self.states)]
        extra = [self.body.result(entry.result) for entry in others]
        extra_inputs = [self._inner("last", inner.type_of(value)) for value in extra]
        scans = [entry for entry in self._outputs() if entry.axis is not None]
        goes_on = self._condition()
        results = [goes_on, *(self.body.result(result) for result, _ in self.states), *extra]
        results += [self.body.result(entry.result) for entry in scans]
        graph = self.body.graph([self.iteration, self.condition, *variables, *extra_inputs], results, scalars=2)
        starts = [*initial, *(self._start(entry, value) for entry, value in zip(others, extra, strict=True))]
        names = [layer.fresh("Loop") for _ in results[1:]]
        layer.add("Loop", [limit, begins, *starts], names, [inner.type_of(value) for value in results[1:]], body=graph)
        return self._ordered(names, others, scans)

    def _outputs(self) -> list[SubGraphOutput]:
        return [entry for entry in self.subgraph.outputs if entry.external is not None and entry.external >= 0]

    def _ordered(self, names: list[str], others: list[SubGraphOutput], scans: list[SubGraphOutput]) -> list[str]:
        """Return the layer's outputs in their order, scans joined along their axes."""
        by_port: dict[int | None, str] = {}
        count_of_states = len(self.states)
        for entry in self._outputs():
            results = [result for result, _ in self.states]
            if entry.axis is None and entry.result in results:
                by_port[entry.external] = names[results.index(entry.result)]
        for entry, name in zip(others, names[count_of_states:], strict=False):
            by_port[entry.external] = name
        for entry, name in zip(scans, names[count_of_states + len(others) :], strict=True):
            by_port[entry.external] = self._joined(entry, name)
        return [by_port[port] for port in range(len(self.layer.node.outputs))]

    def _external(self, entry: SubGraphInput | None) -> int:
        if entry is None or entry.external is None:
            raise NotExpressibleError("a parameter of the body has no value")
        return entry.external

    def _limits(self) -> tuple[str, str]:
        """Return the number of iterations and the first condition, either of which may be absent."""
        layer = self.layer
        if not self.is_loop:
            return layer.reshape(layer.vector(self._slices())), ""
        begins, trip_count = layer.reshape(layer.inputs[1]), layer.value(0)
        if trip_count is not None:
            number = int(trip_count.reshape(-1)[0])
            return "" if number < 0 else layer.constant(np.int64(number)), begins
        trips = layer.reshape(layer.cast(layer.inputs[0], i64))
        is_open = layer.emit("Less", trips, layer.constant(0))
        return layer.emit("Where", is_open, layer.constant(np.int64(MAX_I64)), trips), begins

    def _slices(self) -> int | str:
        """Return how many slices the sliced inputs have; 1 without any."""
        sliced = [entry for entry in self.subgraph.inputs if entry.axis is not None]
        if not sliced:
            return 1
        entry, layer = sliced[0], self.layer
        position = self._external(entry)
        length = layer.dim(position, layer.axis(entry.axis or 0, position))
        if isinstance(length, int):
            return count(length, entry)
        if (entry.start, entry.end) not in ((0, -1), (-1, 0)):
            raise NotExpressibleError("slices of an open length begin or end inside it")
        rest = layer.arithmetic("Sub", length, entry.part_size)
        return layer.arithmetic("Add", layer.arithmetic("Div", rest, abs(entry.stride)), 1)

    def _value(self, entry: SubGraphInput) -> str:
        """Return the value of a parameter without a back edge, inside the body."""
        inner = self.body.layer
        if entry.purpose == "current_iteration" or entry.external is None:
            parameter = self.body.parameters[entry.parameter].outputs[0]
            rank = parameter.partial_shape.rank
            number = self.iteration if rank.is_dynamic or rank == 0 else inner.reshape(self.iteration, *[1] * int(rank))
            return inner.cast(number, parameter.element_type) if parameter.element_type.is_static else number
        value = self.layer.inputs[entry.external]
        if entry.axis is None:
            return value
        axis = self.layer.axis(entry.axis, entry.external)
        first: int | str = entry.start
        if entry.start < 0:
            first = self.layer.arithmetic("Add", self.layer.dim(entry.external, axis), entry.start)
        if entry.stride < 0:
            first = self.layer.arithmetic("Sub", first, entry.part_size - 1)
        step = inner.emit("Mul", inner.reshape(self.iteration, 1), inner.list_of(entry.stride))
        start = inner.emit("Add", self.layer.vector(first), step)
        return inner.slice(value, axis, start, inner.emit("Add", start, inner.list_of(entry.part_size)))

    def _condition(self) -> str:
        """Return whether another iteration follows, inside the body."""
        if not self.is_loop:
            return self.condition
        inner = self.body.layer
        return inner.reshape(self.body.result(self.layer.operation.condition_result()))

    def _start(self, entry: SubGraphOutput, value: str) -> str:
        """Return the value that a result without a back edge has before the first iteration, which nothing reads."""
        info = self.body.results[entry.result].inputs[0].tensor_info
        element_type = self.layer.type_of(value)
        if element_type is ElementType.string or element_type.item is not None or not info.shape.is_static:
            raise NotExpressibleError("a result without a back edge has no value before the first iteration")
        shape = self.layer.list_of(*(dim.get_length() for dim in info.shape))
        return self.layer.emit("Expand", self.layer.like(0, value), shape)

    def _joined(self, entry: SubGraphOutput, value: str) -> str:
        """Return stacked results joined along the entry's axis, in reverse for a negative stride."""
        layer = self.layer
        shape = self.body.results[entry.result].inputs[0].tensor_info.shape
        if shape.dims is None or entry.axis is None:
            raise NotExpressibleError("the rank of a joined result is not known")
        rank = len(shape)
        axis = entry.axis + (rank if entry.axis < 0 else 0)
        if entry.stride < 0:
            value = layer.slice(value, 0, -1, -MAX_I64, -1)
        moved = layer.transpose(value, [*range(1, axis + 1), 0, *range(axis + 1, rank + 1)])
        if shape[axis] == 1:
            return layer.squeeze(moved, axis + 1)
        parts: list[int | str] = [
            dim.get_length() if dim.is_static else layer.length(moved, at + (at > axis)) for at, dim in enumerate(shape)
        ]
        inner = shape[axis].get_length() if shape[axis].is_static else layer.length(moved, axis + 1)
        parts[axis] = layer.arithmetic("Mul", layer.length(moved, axis), inner)
        return layer.emit("Reshape", moved, layer.vector(*parts), allowzero=1)


@writes(ReadValue)
def read_value(layer: Layer) -> str:
    """Return an input of the model, which takes the place of the variable: `past.` and its name."""
    info, variable = layer.output_info(), layer.operation.variable_id
    start = f"zeros of the shape {list(info.shape.get_min_shape())}" if info.shape.dims is not None else "zeros"
    source = layer.node.sources[0] if layer.node.inputs else None
    if source is not None:
        start = f'what the layer "{source.node.name}" computes'
    name: str = layer.scope.state_input(variable, info, f'The variable "{variable}", which starts as {start}.')
    return name


@writes(Assign)
def assign(layer: Layer) -> str:
    """Return the new value, which becomes an output of the model: `present.` and the variable's name."""
    layer.scope.state_output(layer.operation.variable_id, layer.inputs[0], layer.info())
    return layer.inputs[0]
