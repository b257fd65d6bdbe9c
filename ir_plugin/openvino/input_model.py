"""Loaded models before their conversion, and tensors and operations in them, as `openvino.frontend` has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ir_plugin.diagnostics.absent import absent
from ir_plugin.errors import InputError, require, wrong_type
from ir_plugin.frontends.ends import InputEnd
from ir_plugin.model import Node, Output
from ir_plugin.openvino.api import Model
from ir_plugin.openvino.conversion import converted
from ir_plugin.tensors import ElementType, PartialShape


class Place:
    """A tensor, or an operation, of a loaded model."""

    def __init__(self, model: Model, item: Output | Node) -> None:
        self._model = model
        self._item = item

    @property
    def port(self) -> Output:
        """The output of a tensor; raises for an operation."""
        if isinstance(self._item, Node):
            raise InputError(f'"{self._item.name}" is an operation; a tensor is needed')
        return self._item

    def get_names(self) -> list[str]:
        """Return the names of the tensor, or of the operation."""
        return [self._item.name] if isinstance(self._item, Node) else sorted(self._item.names)

    def is_input(self) -> bool:
        """Return whether it is an input of the model."""
        return self._item in self._model.inputs

    def is_output(self) -> bool:
        """Return whether it is an output of the model."""
        return self._item in [result.input_value(0) for result in self._model.results]

    def is_equal(self, another: Place) -> bool:
        """Return whether another place is the same tensor or operation."""
        return isinstance(another, Place) and self._item == another._item

    def is_equal_data(self, another: Place) -> bool:
        """Return whether another place has the same data."""
        return self.is_equal(another)

    def get_producing_operation(self) -> Place:
        """Return the operation that computes the tensor."""
        return Place(self._model, self.port.node)

    def get_consuming_operations(self) -> list[Place]:
        """Return the operations that read the tensor, or a tensor of the operation."""
        ports = self._item.outputs() if isinstance(self._item, Node) else [self._item]
        nodes = dict.fromkeys(reader.node for port in ports for reader in port.readers)
        return [Place(self._model, node) for node in nodes if node.get_type_name() != "Result"]

    def get_source_tensor(self, input_port_index: int = 0) -> Place:
        """Return the tensor that an input of the operation reads."""
        return Place(self._model, self._operation.input_value(input_port_index))

    def get_target_tensor(self, output_port_index: int = 0) -> Place:
        """Return a tensor that the operation computes."""
        return Place(self._model, self._operation.output(output_port_index))

    @property
    def _operation(self) -> Node:
        if not isinstance(self._item, Node):
            raise wrong_type("self", "the place of an operation", self._item)
        return self._item

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("Place", name, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.is_equal(other)

    def __hash__(self) -> int:
        return hash(self._item)


class InputModel:
    """A loaded model, whose ends, shapes and types can be changed before it is converted."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._model = converted(source, (), ())
        self._ends: dict[str, InputEnd] = {}
        self._outputs: list[str] = []
        self._names: list[tuple[str, str, bool]] = []

    def get_inputs(self) -> list[Place]:
        """Return the inputs."""
        return [Place(self._model, port) for port in self._model.inputs]

    def get_outputs(self) -> list[Place]:
        """Return the tensors that are outputs."""
        return [Place(self._model, result.input_value(0)) for result in self._model.results]

    def get_place_by_tensor_name(self, tensor_name: str) -> Place | None:
        """Return the tensor with a name, or None."""
        require(tensor_name, str, "the name of a tensor", "tensor_name")
        ports = (port for node in self._model.get_ops() if node.get_type_name() != "Result" for port in node.outputs)
        return next((Place(self._model, port) for port in ports if tensor_name in port.names), None)

    def get_place_by_operation_name(self, operation_name: str) -> Place | None:
        """Return the operation with a name, or None."""
        require(operation_name, str, "the name of an operation", "operation_name")
        nodes = (node for node in self._model.get_ops() if node.name == operation_name)
        return next((Place(self._model, node) for node in nodes), None)

    def get_partial_shape(self, place: Place) -> PartialShape:
        """Return the shape of a tensor."""
        end = self._ends.get(_name(place))
        return place.port.partial_shape if end is None or end.shape is None else end.shape

    def get_element_type(self, place: Place) -> ElementType:
        """Return the element type of a tensor."""
        end = self._ends.get(_name(place))
        return place.port.element_type if end is None or end.element_type is None else end.element_type

    def set_partial_shape(self, place: Place, shape: Any) -> None:
        """Change the shape of an input; for an inner tensor, whose shape is inferred, this has no effect."""
        self._change(place, shape=PartialShape(shape))

    def set_element_type(self, place: Place, type: Any) -> None:
        """Change the element type of an input; for an inner tensor, whose type is inferred, this has no effect."""
        self._change(place, element_type=ElementType(type))

    def _change(self, place: Place, **changes: Any) -> None:
        name = _name(place)
        if place.is_input() or name in self._ends:
            self._ends[name] = self._ends.get(name, InputEnd(name))._replace(**changes)

    def override_all_inputs(self, inputs: Sequence[Place]) -> None:
        """Make tensors the inputs of the model."""
        require(inputs, (list, tuple), "a list of places", "inputs")
        self._ends = {name: self._ends.get(name, InputEnd(name)) for name in map(_name, inputs)}

    def override_all_outputs(self, outputs: Sequence[Place]) -> None:
        """Make tensors the outputs of the model."""
        require(outputs, (list, tuple), "a list of places", "outputs")
        self._outputs = [_name(place) for place in outputs]

    def extract_subgraph(self, inputs: Sequence[Place], outputs: Sequence[Place]) -> None:
        """Keep the part of the model that computes tensors from others."""
        self.override_all_inputs(inputs)
        self.override_all_outputs(outputs)

    def add_name_for_tensor(self, place: Place, new_name: str) -> None:
        """Add a name of a tensor."""
        self._rename(place, new_name, is_only=False)

    def set_name_for_tensor(self, place: Place, new_name: str) -> None:
        """Replace the names of a tensor by one."""
        self._rename(place, new_name, is_only=True)

    def _rename(self, place: Place, new_name: str, *, is_only: bool) -> None:
        require(new_name, str, "a name", "new_name")
        self._names.append((_name(place), new_name, is_only))

    def convert(self) -> Model:
        """Return the model with all changes."""
        model = converted(self._source, list(self._ends.values()), self._outputs)
        ports = [(port, port.names) for node in model.get_ops() for port in node.outputs]
        for name, new_name, is_only in self._names:
            for port in (port for port, names in ports if name in names):
                port.set_names({new_name} | (set() if is_only else port.names))
        return model

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("InputModel", name, self)


def _name(place: Place) -> str:
    """Return a name of a tensor; raises for an operation, and for a tensor without names."""
    require(place, Place, "a place", "place")
    return place.port.any_name
