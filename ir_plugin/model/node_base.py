"""What a node is apart from its ports: its name and type, its attributes, and the types and shapes at its ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.diagnostics import LayerRef, Span
from ir_plugin.errors import AbsentError, ArgumentTypeError, InputError, PositionError, is_index, shown
from ir_plugin.model.attribute_access import plain_attribute
from ir_plugin.model.descriptor_tensor import DescriptorTensor
from ir_plugin.model.ports import Port, PortType
from ir_plugin.model.python_origin import Origin
from ir_plugin.model.type_info import DiscreteTypeInfo, FriendlyName, RuntimeInfo
from ir_plugin.tensors import UNBOUNDED, ElementType, PartialShape, Shape

_RARE = frozenset(["auto_broadcast_axis", "coordinates", "lowest", "out_of_range"])
"""Attributes that are shown only if they were written."""


class NodeBase(FriendlyName, RuntimeInfo):
    """The fields of a node, and the methods that read them and the tensors at its ports."""

    __slots__ = (
        "attributes", "id", "inputs", "is_detached", "name", "operation", "origin", "outputs", "path", "rt_info",
        "type", "version",
    )  # fmt: skip

    id: str
    name: str
    type: str
    version: str
    operation: Any
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    attributes: dict[str, str]
    rt_info: dict[str, Any]
    origin: Origin | None
    path: tuple[str, ...]
    is_detached: bool
    """Whether the inputs are left out of the readers of what they read, as nothing reads this node."""

    def ref(self, part: str = "") -> LayerRef:
        """Return the reference that findings carry."""
        built = self.origin.note() if self.origin is not None else ""
        return LayerRef(self.id, self.name, self.type, self.version, part, self.path, built)

    def span(self, attribute: str = "") -> Span:
        """Return the span in the file, empty if it is unknown."""
        return self.origin.span(attribute) if self.origin is not None else Span()

    def get_name(self) -> str:
        """Return a name that is unique in the model: the type and the id."""
        return f"{self.get_type_name()}_{self.id}"

    def get_type_name(self) -> str:
        """Return the operation's type, `Constant` for a Const as in OpenVINO."""
        type_name = self.operation.type if self.operation is not None else self.type
        return "Constant" if type_name == "Const" else str(type_name)

    def is_a(self, *definitions: Any) -> bool:
        """Return whether the node has one of these operations, of any version; one of unknown type has none of them."""
        return self.operation is not None and bool(self.operation.is_a(*definitions))

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the operation's type and the opset that introduced it."""
        return DiscreteTypeInfo(
            self.get_type_name(), self.operation.version if self.operation is not None else self.version
        )

    @property
    def type_info(self) -> DiscreteTypeInfo:
        """The operation's type and the opset that introduced it."""
        return self.get_type_info()

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes as OpenVINO shows them: types by name, shapes and lists as lists, -1 for unknown."""
        if self.operation is None:
            return dict(self.attributes)
        values = self.operation.shown_attributes([port.tensor_info for port in self.inputs])
        return {
            name: plain_attribute(value)
            for name, value in values.items()
            if name not in _RARE or name in self.attributes
        }

    def get_input_size(self) -> int:
        """Return the number of inputs."""
        return len(self.inputs)

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return len(self.outputs)

    def get_input_element_type(self, index: int) -> ElementType:
        """Return the element type of one input."""
        return self._port(index, self.inputs, "input").element_type

    def get_input_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of one input."""
        return self._port(index, self.inputs, "input").partial_shape

    def get_input_shape(self, index: int) -> Shape:
        """Return the static shape of one input."""
        return self._port(index, self.inputs, "input").shape

    def get_input_tensor(self, index: int) -> DescriptorTensor:
        """Return names, type and shape of the tensor that one input reads."""
        return self._port(index, self.inputs, "input").get_tensor()

    def get_output_element_type(self, index: int) -> ElementType:
        """Return the element type of one output."""
        return self._port(index, self.outputs, "output").element_type

    def get_output_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of one output."""
        return self._port(index, self.outputs, "output").partial_shape

    def get_output_shape(self, index: int) -> Shape:
        """Return the static shape of one output."""
        return self._port(index, self.outputs, "output").shape

    def get_output_tensor(self, index: int) -> DescriptorTensor:
        """Return names, type and shape of one output."""
        return self._port(index, self.outputs, "output").get_tensor()

    @property
    def element_type(self) -> ElementType:
        """The element type of the only output."""
        return self.get_element_type()

    def get_element_type(self) -> ElementType:
        """Return the element type of the only output."""
        return self._only().element_type

    @property
    def partial_shape(self) -> PartialShape:
        """The shape of the only output."""
        return self.get_partial_shape()

    def get_partial_shape(self) -> PartialShape:
        """Return the shape of the only output."""
        return self._only().partial_shape

    @property
    def shape(self) -> Shape:
        """The static shape of the only output."""
        return self._only().shape

    def get_variable_id(self) -> str:
        """Return the variable that a ReadValue or Assign belongs to."""
        if not hasattr(self.operation, "variable_id"):
            raise self._lacks("get_variable_id", "a ReadValue or Assign")
        return str(self.operation.variable_id)

    def _port(self, index: Any, ports: Sequence[PortType], kind: str) -> PortType:
        """Return a port; raises unless the index is a nonnegative integer and the port exists."""
        if is_index(index, len(ports)):
            return ports[int(index)]
        fault = PositionError if is_index(index, UNBOUNDED) else ArgumentTypeError
        raise fault(f'"{self.name}" has no {kind} {shown(index)}; it has {len(ports)}')

    def _only(self) -> Port:
        if len(self.outputs) != 1:
            raise InputError(f'"{self.name}" has {len(self.outputs)} outputs; name one of them')
        return self.outputs[0]

    def _of(self, type: str, name: str) -> Any:
        if self.operation is None or self.get_type_name() != type:
            raise self._lacks(name, f"a {type}")
        return self.operation

    def _lacks(self, name: str, owner: str) -> AbsentError:
        return AbsentError(f'"{self.name}" ({self.get_type_name()}) has no {name}; only {owner} has it')
