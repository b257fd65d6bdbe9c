"""`Model` with the interface of OpenVINO's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ir_plugin import model as graph
from ir_plugin.diagnostics.absent import absent
from ir_plugin.errors import InputError, PositionError, require
from ir_plugin.executor import Interpreter
from ir_plugin.model import Node, Output
from ir_plugin.model.graph import all_nodes, clone
from ir_plugin.model.traversal import postorder, preorder
from ir_plugin.model.type_info import FriendlyName
from ir_plugin.model.variables import Variable
from ir_plugin.openvino.api import editing
from ir_plugin.openvino.api.building import MODEL_NUMBERS, assembled
from ir_plugin.openvino.api.exported import restorable, restored
from ir_plugin.openvino.api.feeding import fitting
from ir_plugin.openvino.api.html import model_table
from ir_plugin.openvino.api.lookup import find_port, single_key
from ir_plugin.openvino.api.rt_info import Path, find, has, put
from ir_plugin.openvino.api.states import variables_of
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.openvino.properties.any import OVAny
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import ElementType, PartialShape, Shape


class Model(FriendlyName, graph.Model):
    """A model of an IR, or built of nodes: its inputs, outputs, nodes and shapes.

    `Model(results, parameters, name)` builds one; sinks may precede the parameters, variables may follow them.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        is_graph = len(arguments) == 1 and not named and isinstance(arguments[0], graph.Model)
        read = arguments[0] if is_graph else assembled(arguments, named)
        super().__init__(read.name, read.nodes, read.version)
        self._number = next(MODEL_NUMBERS)
        self.rt_info = read.rt_info
        self.weights = read.weights
        self._late: list[Node] = []
        """Results that `add_outputs` added since an edge changed; OpenVINO lists them after all other nodes."""
        self._late_edges: list[tuple[Node, list[Output | None]]] = []
        """What each node read when they were added."""
        self.added_variables = read.added_variables
        is_stateful = any(node.is_a(ReadValue, Assign) for node in all_nodes(read))
        self._initial_variables = variables_of(read) if is_stateful else []
        self._update_results()

    def _update_results(self) -> None:
        """Copy the type, shape and, unless they have their own, tensor names of their sources to the Results."""
        for result in self.results:
            source = result.inputs[0].source if result.inputs else None
            if source is not None and result.outputs:
                port = result.outputs[0]
                if not port.names:
                    port.take_names(source)
                port.tensor_info = source.tensor_info

    @property
    def inputs(self) -> list[Output]:
        """The outputs of the Parameter layers."""
        return [node.outputs[0] for node in self.parameters]

    @property
    def outputs(self) -> list[Output]:
        """The outputs of the Result layers, with the tensor names of their sources."""
        return [node.outputs[0] for node in self.results]

    def input(
        self, key: int | str | Output | None = None, *, index: int | None = None, tensor_name: str | None = None
    ) -> Output:
        """Return the input of this index or name, or the only one."""
        return find_port(self.inputs, single_key(key, index, tensor_name), "input")

    def output(
        self, key: int | str | Output | None = None, *, index: int | None = None, tensor_name: str | None = None
    ) -> Output:
        """Return the output of this index or name, or the only one."""
        return find_port(self.outputs, single_key(key, index, tensor_name), "output")

    def get_parameters(self) -> list[Node]:
        """Return the Parameter layers."""
        return self.parameters

    def get_results(self) -> list[Node]:
        """Return the Result layers."""
        return self.results

    @property
    def result(self) -> Node:
        """The only Result layer."""
        return self.get_result()

    def get_result(self) -> Node:
        """Return the only Result layer."""
        return self.output().node

    def get_sinks(self) -> list[Node]:
        """Return the Assign layers."""
        return self.sinks

    def get_ops(self) -> list[Node]:
        """Return all nodes that contribute to a result."""
        return preorder(self)

    def get_ordered_ops(self) -> list[Node]:
        """Return all nodes that contribute to a result, in topological order."""
        self.ordered()
        order = postorder(self)
        late, present = dict.fromkeys(self._unchanged_late()), set(order)
        return [node for node in order if node not in late] + [node for node in late if node in present]

    def _unchanged_late(self) -> list[Node]:
        """Return the late Results, none of them once an edge has changed."""
        is_changed = any([port.source for port in node.inputs] != sources for node, sources in self._late_edges)
        return [] if is_changed else self._late

    def get_parameter_index(self, parameter: Node) -> int:
        """Return the position of a Parameter among the inputs, or -1."""
        require(parameter, Node, "a Parameter", "parameter")
        return self.parameters.index(parameter) if parameter in self.parameters else -1

    def get_result_index(self, result: Node | Output) -> int:
        """Return the position of a Result, or of its source, among the outputs, or -1."""
        require(result, (Node, Output), "a Result, or an output,", "result")
        for position, node in enumerate(self.results):
            if result in (node, node.outputs[0], node.inputs[0].source):
                return position
        return -1

    def get_sink_index(self, sink: Node | Output) -> int:
        """Return the position of an Assign, or of its output, among the sinks, or -1."""
        require(sink, (Node, Output), "an Assign, or its output,", "sink")
        node = sink.node if isinstance(sink, Output) else sink
        return self.sinks.index(node) if node in self.sinks else -1

    @property
    def variables(self) -> list[Variable]:
        """The variables that the model keeps between inferences."""
        return self.get_variables()

    def get_variables(self) -> list[Variable]:
        """Return the variables that the model keeps between inferences.

        One that layers read or assign when the model is built or read stays until it is removed.
        """
        variables = [*self._initial_variables, *variables_of(self), *self.added_variables]
        return list({variable.info.variable_id: variable for variable in variables}.values())

    def add_variables(self, variables: Sequence[Variable]) -> None:
        """Add variables; one with the id of a variable of the model takes its place."""
        require(variables, (list, tuple), "a list of Variables", "variables")
        for variable in variables:
            require(variable, Variable, "a Variable", "variables")
        self.added_variables = [*self.added_variables, *variables]

    def remove_variable(self, variable: Variable) -> None:
        """Remove a variable that no layer of the model reads or assigns."""
        require(variable, Variable, "a Variable", "variable")
        id = variable.info.variable_id
        if any(used.info.variable_id == id for used in variables_of(self)):
            raise InputError(f"the variable {id!r} is read or assigned in the model; remove these layers first")
        self.added_variables, self._initial_variables = (
            [variable for variable in variables if variable.info.variable_id != id]
            for variables in (self.added_variables, self._initial_variables)
        )

    def get_variable_by_id(self, variable_id: str) -> Variable | None:
        """Return the variable with an id, or None."""
        require(variable_id, str, "the id of a variable", "variable_id")
        return next((variable for variable in self.variables if variable.info.variable_id == variable_id), None)

    def get_name(self) -> str:
        """Return a name that no other model of this process has; the friendly name is the file's."""
        return f"Model{self._number}"

    def is_dynamic(self) -> bool:
        """Return whether a node has an output of dynamic shape."""
        return any(port.partial_shape.is_dynamic for node in self.ordered() for port in node.outputs)

    @property
    def dynamic(self) -> bool:
        """Whether a node has an output of dynamic shape."""
        return self.is_dynamic()

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return len(self.results)

    def get_output_op(self, index: int) -> Node:
        """Return the Result layer of an output."""
        return self.output(index).node

    def get_output_element_type(self, index: int) -> ElementType:
        """Return the element type of an output."""
        return self.output(index).element_type

    def get_output_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of an output."""
        return self.output(index).partial_shape

    def get_output_shape(self, index: int) -> Shape:
        """Return the static shape of an output."""
        return self.output(index).shape

    def get_rt_info(self, path: Path | None = None) -> Any:
        """Return the runtime information as a dictionary, or the value under a path of names as an `OVAny`."""
        return self.rt_info if path is None else OVAny(find(self.rt_info, path))

    def has_rt_info(self, path: Path) -> bool:
        """Return whether there is runtime information under a path of names."""
        return has(self.rt_info, path)

    def set_rt_info(self, value: Any, path: Path) -> None:
        """Write runtime information under a path of names."""
        put(self.rt_info, value, path)

    def reshape(
        self,
        shapes: Any = None,
        variables_shapes: Mapping[str, Any] | None = None,
        *,
        partial_shape: Any = None,
        partial_shapes: Any = None,
    ) -> None:
        """Change the partial shapes of the inputs, and infer all others again.

        `shapes` is one shape for the only input, or a dictionary by index, name or port; a shape is a `PartialShape`,
        text such as `"1,3,?,8..16"`, or a list with -1, `(8, 16)` or a `Dimension` for unknown lengths.
        A layer that does not fit raises `ValidationError`, and the model stays unchanged. The last two arguments are
        OpenVINO's names of the first.
        """
        shapes = next((value for value in (shapes, partial_shape, partial_shapes) if value is not None), None)
        editing.reshape(
            self, editing.shapes_by_node(self.parameters, shapes), editing.variable_shapes(self, variables_shapes)
        )
        self._update_results()

    def validate_nodes_and_infer_types(self) -> None:
        """Infer all types and shapes again, after changes of parameters."""
        editing.infer(self, "the model does not fit together any more")
        self._update_results()

    def add_outputs(self, outputs: Any) -> list[Output]:
        """Return outputs added for a tensor name, a layer name, `(layer name, port number)`, a port, or several.

        A port that is an output already is not added again.
        """
        ports = editing.find_outputs(self, outputs)
        present = set(self.results)
        added = [editing.add_result(self, port) for port in ports]
        self._late = [*self._unchanged_late(), *(node for node in dict.fromkeys(added) if node not in present)]
        self._late_edges = [(node, [port.source for port in node.inputs]) for node in postorder(self)]
        return [node.outputs[0] for node in added]

    def add_parameters(self, parameters: Sequence[Node]) -> None:
        """Append Parameters to the model's inputs."""
        editing.add_nodes(self, parameters, Parameter)

    def add_results(self, results: Sequence[Node]) -> None:
        """Append Results to the model's outputs; the Parameters that they depend on must be in the model."""
        editing.add_nodes(self, results, Result)

    def add_sinks(self, sinks: Sequence[Node]) -> None:
        """Add Assigns."""
        editing.add_nodes(self, sinks, Assign)

    def replace_parameter(self, parameter_index: int, parameter: Node) -> None:
        """Put another Parameter in the place of one; what read that one reads it."""
        editing.replace_parameter(self, self.inputs[self._index(parameter_index)].node, parameter)

    def _index(self, index: int) -> int:
        require(index, int, "the index of a Parameter", "parameter_index")
        if not 0 <= index < len(self.inputs):
            raise PositionError(f"the model has no Parameter {index}; it has {len(self.inputs)}")
        return index

    def remove_result(self, result: Node) -> None:
        """Remove an output; layers that only it needs are not computed any more."""
        editing.remove_node(self, result, Result)

    def remove_sink(self, sink: Node) -> None:
        """Remove an Assign."""
        editing.remove_node(self, sink, Assign)

    def remove_parameter(self, parameter: Node) -> None:
        """Remove an input without readers."""
        require(parameter, Node, "a Parameter", "parameter")
        readers = [reader.node.name for port in parameter.outputs for reader in port.readers]
        if readers and parameter in self.parameters:
            raise InputError(f'the input "{parameter.name}" is read by {", ".join(map(repr, readers))}')
        editing.remove_node(self, parameter, Parameter)

    def evaluate(
        self, output_tensors: Sequence[Tensor], input_tensors: Sequence[Tensor], evaluation_context: Any = None
    ) -> bool:
        """Run layer by layer on input tensors, write the outputs into tensors, and return True."""
        del evaluation_context
        for argument, tensors in (("output_tensors", output_tensors), ("input_tensors", input_tensors)):
            require(tensors, (list, tuple), "a list of tensors", argument)
        if len(input_tensors) != len(self.inputs):
            raise InputError(f"{len(input_tensors)} tensors are given for inputs; the model has {len(self.inputs)}")
        ports = enumerate(zip(self.inputs, input_tensors, strict=True))
        arrays = [fitting(port, tensor, position) for position, (port, tensor) in ports]
        if len(output_tensors) != len(self.outputs):
            raise PositionError(
                f"{len(output_tensors)} tensors are given for outputs; the model has {len(self.outputs)}"
            )
        results, _ = Interpreter(self).run(arrays, {})
        for tensor, array, port in zip(output_tensors, results, self.outputs, strict=True):
            type = port.element_type if port.element_type.is_static else ElementType.from_dtype(array.dtype)
            tensor.copy_from(Tensor.of(array, type))
        return True

    def clone(self) -> Model:
        """Return an independent copy that shares only constants."""
        return Model(clone(self))

    def _get_raw_address(self) -> int:
        """Return a number that no other living model has."""
        return hash(self)

    def __copy__(self) -> Model:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Model:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, restorable(self)

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing, as memory is freed with the last reference."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("Model", name, self)

    def _repr_html_(self) -> str:
        return model_table(self, self.inputs, self.outputs)

    def __repr__(self) -> str:
        inputs, outputs = (",\n".join(map(_as_const, ports)) for ports in (self.inputs, self.outputs))
        return f"<Model: '{self.name}'\ninputs[\n{inputs}\n]\noutputs[\n{outputs}\n]>"


def _restored(data: bytes, operations: tuple[type[Operation], ...]) -> Model:
    """Return a model that was pickled, by value."""
    return Model(restored(data, operations))


def _as_const(port: Output) -> str:
    return repr(port).replace("<Output:", "<ConstOutput:", 1)
