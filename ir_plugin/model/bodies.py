"""Nodes that execute bodies: If, Loop and TensorIterator, built step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require, shown
from ir_plugin.model.descriptions import (
    InputDescription,
    OutputDescription,
    input_descriptions,
    output_descriptions,
    set_input_descriptions,
    set_output_descriptions,
)
from ir_plugin.model.edge_changes import EDGE_CHANGES
from ir_plugin.model.graph import Model, SubGraph, SubGraphInput, SubGraphOutput, connect
from ir_plugin.model.hooks import HOOKS
from ir_plugin.model.node import Input, Node, Output, as_output


class SubGraphNode(Node):
    """A node with bodies; its outputs are inferred as soon as bodies and port maps suffice."""

    __slots__ = ()

    def _subgraph(self, name: str) -> SubGraph:
        """Return the entry of a body, a new one without a body where there is none."""
        subgraphs: dict[str, SubGraph] = self.operation.subgraphs
        return subgraphs.setdefault(name, SubGraph(Model(), [], [], []))

    def _body(self, name: str) -> Model:
        subgraph = self.operation.subgraphs.get(name)
        if subgraph is None or not subgraph.body.results:
            raise InputError(f'"{self.name}" ({self.get_type_name()}) has no {name} yet; set it first')
        if not isinstance(subgraph.body, HOOKS.api().Model):
            subgraph.body = HOOKS.api().Model(subgraph.body)
        body: Model = subgraph.body
        return body

    def _set_body(self, name: str, body: Model, argument: str) -> None:
        require(body, Model, "a Model", argument)
        with self._edit():
            self._subgraph(name).body = body

    @contextmanager
    def _edit(self) -> Iterator[None]:
        """Infer the outputs after an edit; an edit that does not fit raises, and changes nothing."""
        counts = len(self.inputs), len(self.outputs)
        before = {name: _copied(subgraph) for name, subgraph in self.operation.subgraphs.items()}
        is_done = False
        try:
            yield
            if self._is_complete():
                HOOKS.builders().update_outputs(self)
            is_done = True
        finally:
            if is_done:
                EDGE_CHANGES.advance()
            else:
                self._restore(counts, before)

    def _restore(self, counts: tuple[int, int], subgraphs: dict[str, SubGraph]) -> None:
        """Remove the ports beyond these numbers, and put these bodies back."""
        for port in self.inputs[counts[0] :]:
            if port.source is not None:
                port.source.readers.remove(port)
        del self.inputs[counts[0] :], self.outputs[counts[1] :]
        self.operation.subgraphs = subgraphs

    def _is_complete(self) -> bool:
        """Return whether there is a body, so that the outputs can be inferred."""
        return bool(self._subgraph("body").body.results)

    def _add_input(self, value: Any, argument: str) -> int:
        """Return the index of a new input that reads an output."""
        port = Input(self, len(self.inputs), len(self.inputs))
        source = as_output(value, argument)
        self.inputs.append(port)
        connect(source, port)
        return port.index

    def _add_output(self) -> Output:
        port = Output(self, len(self.outputs), len(self.inputs) + len(self.outputs))
        self.outputs.append(port)
        return port

    def _parameter_index(self, name: str, parameter: Node, argument: str) -> int:
        require(parameter, Node, "a Parameter of the body", argument)
        parameters = self._body(name).parameters
        if parameter not in parameters:
            raise InputError(f'argument {argument!r}: "{parameter.name}" is not a Parameter of the {name}')
        position = parameters.index(parameter)
        if any(entry.parameter == position for entry in self._subgraph(name).inputs):
            raise InputError(
                f'argument {argument!r}: the Parameter "{parameter.name}" of the {name} has a value already'
            )
        return position

    def _result_index(self, name: str, value: Any, argument: str) -> int:
        """Return the position of the Result that is, or reads, an output."""
        require(value, (Node, Output), "a Result, or an output of the body", argument)
        for position, result in enumerate(self._body(name).results):
            ports = [port.source for port in result.inputs]
            if (
                value is result
                or value in [*ports, *result.outputs]
                or value in [p.node for p in ports if p is not None]
            ):
                return position
        shown = value.name if isinstance(value, Node) else value.node.name
        raise InputError(f'argument {argument!r}: "{shown}" is not a result of the {name}')


def _copied(subgraph: SubGraph) -> SubGraph:
    """Return a copy with copied lists and the same body."""
    return SubGraph(subgraph.body, list(subgraph.inputs), list(subgraph.outputs), list(subgraph.back_edges))


class if_op(SubGraphNode, layer="If"):
    """If: one of two bodies, selected by a condition."""

    __slots__ = ()

    def __init__(self, execution_condition: Node | Output | None = None) -> None:
        """Build the node; the condition is its first input."""
        HOOKS.builders().initialize(self, self._layer, 8, [] if execution_condition is None else [execution_condition])

    def _is_complete(self) -> bool:
        subgraphs = self.operation.subgraphs
        bodies = [subgraphs[name] for name in ("then_body", "else_body") if name in subgraphs]
        numbers = [len(entry.outputs) for entry in bodies if entry.body.results]
        return len(numbers) == 2 and numbers == [len(self.outputs)] * 2 and bool(self.inputs)

    def set_then_body(self, body: Model) -> None:
        """Set the body that is executed where the condition is true."""
        self._set_body("then_body", body, "body")

    def set_else_body(self, body: Model) -> None:
        """Set the body that is executed where the condition is false."""
        self._set_body("else_body", body, "body")

    def get_then_body(self) -> Model:
        """Return the body that is executed where the condition is true."""
        return self._body("then_body")

    def get_else_body(self) -> Model:
        """Return the body that is executed where the condition is false."""
        return self._body("else_body")

    def set_input(self, value: Output, then_parameter: Node | None, else_parameter: Node | None) -> None:
        """Let a Parameter of each body, or of one of them, read an output."""
        parameters = {"then_body": then_parameter, "else_body": else_parameter}
        if then_parameter is None and else_parameter is None:
            raise InputError("set_input needs a Parameter of the then_body, of the else_body, or of both")
        with self._edit():
            positions = {
                name: self._parameter_index(name, parameter, name.replace("body", "parameter"))
                for name, parameter in parameters.items()
                if parameter is not None
            }
            index = self._add_input(value, "value")
            for name, position in positions.items():
                self._subgraph(name).inputs.append(SubGraphInput(index, position))

    def set_output(self, then_result: Node, else_result: Node) -> Output:
        """Return a new output that gives a Result of either body."""
        results = {"then_body": then_result, "else_body": else_result}
        with self._edit():
            port = self._add_output()
            for name, result in results.items():
                position = self._result_index(name, result, name.replace("body", "result"))
                self._subgraph(name).outputs.append(SubGraphOutput(port.index, position))
        return port

    def get_function(self, index: int) -> Model:
        """Return the then_body for 0, the else_body for 1."""
        return self._body(_name(index))

    def set_function(self, index: int, func: Model) -> None:
        """Set the then_body for 0, the else_body for 1."""
        self._set_body(_name(index), func, "func")

    def get_input_descriptions(self, index: int) -> list[InputDescription]:
        """Return which Parameters of a body read which inputs."""
        return input_descriptions(self._subgraph(_name(index)))

    def set_input_descriptions(self, index: int, inputs: Sequence[InputDescription]) -> None:
        """Set which Parameters of a body read which inputs."""
        set_input_descriptions(self._subgraph(_name(index)), inputs)

    def get_output_descriptions(self, index: int) -> list[OutputDescription]:
        """Return which Results of a body give which outputs."""
        return output_descriptions(self._subgraph(_name(index)))

    def set_output_descriptions(self, index: int, outputs: Sequence[OutputDescription]) -> None:
        """Set which Results of a body give which outputs."""
        set_output_descriptions(self._subgraph(_name(index)), outputs)


def _name(index: int) -> str:
    if index not in (0, 1):
        raise InputError(f"an If has the bodies 0 (then) and 1 (else), not {shown(index)}")
    return ("then_body", "else_body")[index]


class IterationNode(SubGraphNode):
    """A node that executes its body repeatedly."""

    __slots__ = ()

    def get_function(self) -> Model:
        """Return the body."""
        return self._body("body")

    def set_function(self, func: Model) -> None:
        """Set the body."""
        self._set_body("body", func, "func")

    def set_invariant_input(self, body_parameter: Node, value: Output) -> None:
        """Let a Parameter of the body read a whole output in every iteration."""
        with self._edit():
            position = self._parameter_index("body", body_parameter, "body_parameter")
            self._subgraph("body").inputs.append(SubGraphInput(self._add_input(value, "value"), position))

    def set_merged_input(self, body_parameter: Node, initial_value: Output, successive_value: Output) -> None:
        """Let a Parameter read an output in the first iteration, then a result of the iteration before."""
        with self._edit():
            position = self._parameter_index("body", body_parameter, "body_parameter")
            result = self._result_index("body", successive_value, "successive_value")
            subgraph = self._subgraph("body")
            subgraph.inputs.append(SubGraphInput(self._add_input(initial_value, "initial_value"), position))
            subgraph.back_edges.append((result, position))

    def set_sliced_input(
        self, parameter: Node, value: Output, start: int, stride: int, part_size: int, end: int, axis: int
    ) -> None:
        """Let a Parameter read a slice of an output in each iteration."""
        with self._edit():
            position = self._parameter_index("body", parameter, "parameter")
            index = self._add_input(value, "value")
            entry = SubGraphInput(index, position, axis, start, end, stride, part_size)
            self._subgraph("body").inputs.append(_integral(entry))

    def get_iter_value(self, body_value: Output, iteration: int = -1) -> Output:
        """Return a new output that gives a result after the last iteration.

        `iteration` is part of the description only: an IR cannot hold it, and OpenVINO's CPU gives the last value.
        """
        with self._edit():
            position = self._result_index("body", body_value, "body_value")
            port = self._add_output()
            self._subgraph("body").outputs.append(SubGraphOutput(port.index, position, iteration=iteration))
        return port

    def get_concatenated_slices(
        self, value: Output, start: int, stride: int, part_size: int, end: int, axis: int
    ) -> Output:
        """Return a new output that joins a result of all iterations along an axis."""
        with self._edit():
            position = self._result_index("body", value, "value")
            port = self._add_output()
            entry = SubGraphOutput(port.index, position, axis, start, end, stride, part_size)
            self._subgraph("body").outputs.append(_integral(entry))
        return port

    def get_num_iterations(self) -> int:
        """Return the number of iterations, -1 where it is not known before the run."""
        number: int = HOOKS.builders().iteration_count(self) if self._is_complete() else -1
        return number

    def get_input_descriptions(self) -> list[InputDescription]:
        """Return which Parameters of the body read which inputs."""
        return input_descriptions(self._subgraph("body"))

    def set_input_descriptions(self, inputs: Sequence[InputDescription]) -> None:
        """Set which Parameters of the body read which inputs."""
        set_input_descriptions(self._subgraph("body"), inputs)

    def get_output_descriptions(self) -> list[OutputDescription]:
        """Return which Results of the body give which outputs."""
        return output_descriptions(self._subgraph("body"))

    def set_output_descriptions(self, outputs: Sequence[OutputDescription]) -> None:
        """Set which Results of the body give which outputs."""
        set_output_descriptions(self._subgraph("body"), outputs)


def _integral(entry: Any) -> Any:
    for name in ("axis", "start", "end", "stride", "part_size"):
        require(getattr(entry, name), int, "an integer", name)
    if entry.stride == 0 or entry.part_size < 1:
        raise InputError(
            f"a slice has a stride other than 0 and a part_size of 1 or more, not {entry.stride} and {entry.part_size}"
        )
    return entry


class loop(IterationNode, layer="Loop"):
    """Loop: a body that is executed while a condition holds."""

    __slots__ = ()

    def __init__(
        self, trip_count: Node | Output | None = None, execution_condition: Node | Output | None = None
    ) -> None:
        """Build the node; the number of iterations and the first condition are its first inputs."""
        if (trip_count is None) != (execution_condition is None):
            raise ArgumentTypeError("a loop is built of trip_count and execution_condition, or of neither")
        inputs = [port for port in (trip_count, execution_condition) if port is not None]
        HOOKS.builders().initialize(self, self._layer, 5, inputs)

    def _is_complete(self) -> bool:
        subgraph = self._subgraph("body")
        _, condition = self.get_special_body_ports()
        return len(self.inputs) > 1 and 0 <= condition < len(subgraph.body.results)

    def get_special_body_ports(self) -> list[int]:
        """Return the positions of the Parameter with the iteration number and of the condition's Result, or -1."""
        subgraph = self._subgraph("body")
        counters = [entry.parameter for entry in subgraph.inputs if entry.purpose == "current_iteration"]
        conditions = [entry.result for entry in subgraph.outputs if entry.purpose == "execution_condition"]
        return [(counters or [-1])[0], (conditions or [-1])[0]]

    def set_special_body_ports(self, special_body_ports: Sequence[int]) -> None:
        """Set the positions of the Parameter with the iteration number, -1 for none, and of the condition's Result."""
        require(special_body_ports, (list, tuple), "a list of two positions", "special_body_ports")
        if len(special_body_ports) != 2 or not all(isinstance(item, int) for item in special_body_ports):
            raise ArgumentTypeError(f"special_body_ports are two positions, -1 for none, not {special_body_ports!r}")
        counter, condition = special_body_ports
        subgraph = self._subgraph("body")
        bounds = (len(subgraph.body.parameters), len(subgraph.body.results))
        if subgraph.body.results and not (counter < bounds[0] and condition < bounds[1]):
            raise InputError(
                f"special_body_ports {list(special_body_ports)} are outside the body, which has {bounds[0]} Parameters "
                f"and {bounds[1]} Results"
            )
        with self._edit():
            subgraph = self._subgraph("body")
            subgraph.inputs = [entry for entry in subgraph.inputs if entry.purpose != "current_iteration"]
            subgraph.outputs = [entry for entry in subgraph.outputs if entry.purpose != "execution_condition"]
            if counter >= 0:
                subgraph.inputs.append(replace(SubGraphInput(None, counter), purpose="current_iteration"))
            if condition >= 0:
                subgraph.outputs.append(replace(SubGraphOutput(None, condition), purpose="execution_condition"))


class tensor_iterator(IterationNode, layer="TensorIterator"):
    """TensorIterator: a body that is executed for each slice of its inputs."""

    __slots__ = ()

    def __init__(self) -> None:
        """Build the node, without inputs and body."""
        HOOKS.builders().initialize(self, self._layer, 1, [])

    def get_body(self) -> Model:
        """Return the body."""
        return self._body("body")

    def set_body(self, body: Model) -> None:
        """Set the body."""
        self._set_body("body", body, "body")
