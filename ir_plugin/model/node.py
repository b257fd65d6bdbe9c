"""Nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt

from ir_plugin.diagnostics import LayerRef, Span
from ir_plugin.diagnostics.absent import absent
from ir_plugin.errors import AbsentError, ArgumentTypeError, InputError, PositionError, is_index, require
from ir_plugin.model import constant_data
from ir_plugin.model.attribute_access import accessor, plain_attribute
from ir_plugin.model.changing import Changing
from ir_plugin.model.descriptor_tensor import DescriptorTensor
from ir_plugin.model.operators import Arithmetic
from ir_plugin.model.pickling import node_arguments, restore_node
from ir_plugin.model.ports import (
    NOTHING_DECLARED,
    UNKNOWN,
    ConstOutput,
    Declared,
    Input,
    Output,
    Ports,
)
from ir_plugin.model.python_origin import PythonOrigin
from ir_plugin.model.type_info import DiscreteTypeInfo, RTMap, plain_info
from ir_plugin.tensors import UNBOUNDED, Array, ElementType, Layout, PartialShape, Shape, Strides, TensorInfo, frozen

__all__ = [
    "NOTHING_DECLARED",
    "UNKNOWN",
    "ConstOutput",
    "Declared",
    "DescriptorTensor",
    "Input",
    "Node",
    "Origin",
    "Output",
    "Ports",
]

_CONST_ATTRIBUTES = ("element_type", "shape")
_RARE = frozenset(["auto_broadcast_axis", "lowest", "out_of_range"])
"""Attributes that are shown only if they were written."""
_C_NAMES = {"f32": "float", "f64": "double"}


class Origin(Protocol):
    """The location in the file that a node was read from."""

    def span(self, attribute: str = "") -> Span:
        """Return the span of the layer, or of one of its attributes."""

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the span of a port (`input` or `output`), or of one of its dimensions or attributes."""


_numbers = count(1)


def new_id() -> str:
    """Return an id that no other node built in this process has."""
    return str(next(_numbers))


class Node(Arithmetic, Changing):
    """One layer: its operation with attributes, inputs and outputs.

    `operation` is the instance that infers and evaluates (None for an unknown type); `type`, `version` and the
    texts `attributes` are those of the file.
    """

    __slots__ = (
        "attributes", "id", "inputs", "is_detached", "name", "operation", "origin", "outputs", "path", "rt_info",
        "type", "version",
    )  # fmt: skip

    def __init_subclass__(cls, layer: str = "", since: str = "", **keywords: Any) -> None:
        """Register the class of nodes of a type, or only of the definition of one opset."""
        super().__init_subclass__(**keywords)
        if layer:
            _CLASSES[layer, since] = cls

    def __init__(self, id: str, name: str, type: str, version: str, operation: Any = None) -> None:
        self.initialize(id, name, type, version, operation)

    @staticmethod
    def of(id: str, name: str, type: str, version: str, operation: Any = None) -> Node:
        """Return a node without ports, of the class that its type has."""
        cls = _CLASSES.get((type, ""), _CLASSES.get((type, version), Node))
        node = cls.__new__(cls)
        node.initialize(id, name, type, version, operation)
        return node

    def initialize(self, id: str, name: str, type: str, version: str, operation: Any) -> None:
        """Set the fields of a node without ports."""
        self.id = id
        self.name = name
        self.type = type
        self.version = version
        self.operation = operation
        self.inputs: Ports[Input] = Ports()
        self.outputs: Ports[Output] = Ports()
        self.attributes: dict[str, str] = {}
        self.rt_info: dict[str, Any] = RTMap()
        self.origin: Origin | None = None
        self.path: tuple[str, ...] = ()
        self.is_detached = False
        """Whether the inputs are left out of the readers of what they read, as nothing reads this node."""

    def unconnected(self, operation: Any) -> Node:
        """Return a node of the same type and name with an operation, without ports."""
        return Node.of(self.id, self.name, self.type, self.version, operation)

    def ref(self, part: str = "") -> LayerRef:
        """Return the reference that findings carry."""
        built = str(self.origin) if isinstance(self.origin, PythonOrigin) else ""
        return LayerRef(self.id, self.name, self.type, self.version, part, self.path, built)

    def span(self, attribute: str = "") -> Span:
        """Return the span in the file, empty if it is unknown."""
        return self.origin.span(attribute) if self.origin is not None else Span()

    def input(self, index: int = 0) -> Input:
        """Return one input."""
        return self.inputs[self._position(index, self.inputs, "input")]

    def output(self, index: int = 0) -> Output:
        """Return one output."""
        return self.outputs[self._position(index, self.outputs, "output")]

    def _position(self, index: Any, ports: Sequence[Input | Output], kind: str) -> int:
        """Return the index of a port; raises unless it is a nonnegative integer and the port exists."""
        if is_index(index, len(ports)):
            return int(index)
        fault = PositionError if is_index(index, UNBOUNDED) else ArgumentTypeError
        raise fault(f'"{self.name}" has no {kind} {index!r}; it has {len(ports)}')

    def input_value(self, index: int) -> Output:
        """Return the output that an input reads."""
        return self.input(index).get_source_output()

    def input_values(self) -> list[Output]:
        """Return the outputs that the inputs read."""
        return [port.get_source_output() for port in self.inputs]

    def get_friendly_name(self) -> str:
        """Return the layer's name."""
        return self.name

    def set_friendly_name(self, name: str) -> None:
        """Change the layer's name."""
        require(name, str, "a name", "name")
        self.name = name

    @property
    def friendly_name(self) -> str:
        """The layer's name."""
        return self.name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        self.set_friendly_name(name)

    def get_name(self) -> str:
        """Return a name that is unique in the model: the type and the id."""
        return f"{self.get_type_name()}_{self.id}"

    def get_type_name(self) -> str:
        """Return the operation's type, `Constant` for a Const as in OpenVINO."""
        type_name = self.operation.type if self.operation is not None else self.type
        return "Constant" if type_name == "Const" else str(type_name)

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
        if self.operation.type == "Const":
            return {name: plain_attribute(getattr(self.operation, name)) for name in _CONST_ATTRIBUTES}
        values = self.operation.shown_attributes([port.tensor_info for port in self.inputs])
        return {
            name: plain_attribute(value)
            for name, value in values.items()
            if name not in _RARE or name in self.attributes
        }

    def get_rt_info(self) -> dict[str, Any]:
        """Return the runtime information."""
        return self.rt_info

    def set_rt_info(self, value: Any, name: str) -> None:
        """Write one entry of the runtime information."""
        require(name, str, "a name", "name")
        self.rt_info[name] = value

    def get_input_size(self) -> int:
        """Return the number of inputs."""
        return len(self.inputs)

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return len(self.outputs)

    def get_input_element_type(self, index: int) -> ElementType:
        """Return the element type of one input."""
        return self.input(index).element_type

    def get_input_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of one input."""
        return self.input(index).partial_shape

    def get_input_shape(self, index: int) -> Shape:
        """Return the static shape of one input."""
        return self.input(index).shape

    def get_input_tensor(self, index: int) -> DescriptorTensor:
        """Return names, type and shape of the tensor that one input reads."""
        return self.input(index).get_tensor()

    def get_output_element_type(self, index: int) -> ElementType:
        """Return the element type of one output."""
        return self.output(index).element_type

    def get_output_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of one output."""
        return self.output(index).partial_shape

    def get_output_shape(self, index: int) -> Shape:
        """Return the static shape of one output."""
        return self.output(index).shape

    def get_output_tensor(self, index: int) -> DescriptorTensor:
        """Return names, type and shape of one output."""
        return self.output(index).get_tensor()

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

    def set_partial_shape(self, shape: PartialShape) -> None:
        """Change the shape of a Parameter; `Model.validate_nodes_and_infer_types` then infers the other shapes."""
        operation = self._of("Parameter", "set_partial_shape")
        operation.shape = frozen(shape)
        self.outputs[0].tensor_info = TensorInfo(operation.element_type, operation.shape)

    def set_element_type(self, element_type: ElementType) -> None:
        """Change the type of a Parameter; `Model.validate_nodes_and_infer_types` then infers the other types."""
        operation = self._of("Parameter", "set_element_type")
        operation.element_type = ElementType(element_type)
        self.outputs[0].tensor_info = TensorInfo(operation.element_type, operation.shape)

    @property
    def layout(self) -> Layout:
        """The layout of a Parameter or Result."""
        return self.get_layout()

    @layout.setter
    def layout(self, layout: Layout | str) -> None:
        self.set_layout(layout)

    def get_layout(self) -> Layout:
        """Return the layout of a Parameter or Result."""
        port = self._end("layout")
        entry = plain_info(port.rt_info).get("layout", {})
        return Layout(entry.get("layout", "") if isinstance(entry, Mapping) else str(entry))

    def set_layout(self, layout: Layout | str) -> None:
        """Set the layout of a Parameter or Result."""
        parsed = layout if isinstance(layout, Layout) else Layout(layout)
        port = self._end("set_layout")
        if not parsed.fits(port.partial_shape.ndim):
            raise InputError(f'the layout {parsed} does not fit the shape {port.partial_shape} of "{self.name}"')
        if parsed.empty:
            port.rt_info.pop("layout", None)
        else:
            port.rt_info["layout"] = {"version": "0", "layout": str(parsed)}

    def get_variable_id(self) -> str:
        """Return the variable that a ReadValue or Assign belongs to."""
        if self.get_type_name() not in ("ReadValue", "Assign"):
            raise self._lacks("get_variable_id", "a ReadValue or Assign")
        return str(self.operation.variable_id)

    @property
    def data(self) -> Array:
        """The memory of a Constant, read-only, as `Tensor.data` shows it: low-bit types packed, f8 as bytes."""
        return self.get_data()

    def get_data(self, *, dtype: npt.DTypeLike | None = None, copy: bool = False) -> Array:
        """Return the memory of a Constant, or its values converted to a dtype."""
        return constant_data.data(self._of("Const", "data"), dtype, copy)

    def get_vector(self) -> Array:
        """Return the values of a Constant as a 1-D array."""
        return constant_data.vector(self._of("Const", "get_vector"))

    def get_value_strings(self) -> list[str]:
        """Return the values of a Constant as texts."""
        return constant_data.texts(self._of("Const", "get_value_strings"))

    @property
    def tensor_view(self) -> Any:
        """A tensor of the values of a Constant, which shares their memory unless they are packed."""
        return self.get_tensor_view()

    def get_tensor_view(self) -> Any:
        """Return a tensor of the values of a Constant, which shares their memory unless they are packed."""
        return constant_data.tensor_view(self._of("Const", "tensor_view"))

    @property
    def strides(self) -> Strides:
        """The distances between neighbouring elements of a Constant, in bytes."""
        return Strides(self.get_tensor_view().strides)

    def get_strides(self) -> Any:
        """Return the strides of a Constant in bytes, or the attribute `strides` of another node."""
        read = None if self.get_type_name() == "Constant" else accessor(self, "get_strides")
        return self.strides if read is None else read()

    def get_byte_size(self) -> int:
        """Return the number of bytes of the values of a Constant."""
        return constant_data.byte_size(self._of("Const", "get_byte_size"))

    def _only(self) -> Output:
        if len(self.outputs) != 1:
            raise InputError(f'"{self.name}" has {len(self.outputs)} outputs; name one of them')
        return self.outputs[0]

    def _of(self, type: str, name: str) -> Any:
        if self.operation is None or self.operation.type != type:
            raise self._lacks(name, "a Constant" if type == "Const" else f"a {type}")
        return self.operation

    def _end(self, name: str) -> Output:
        if self.get_type_name() not in ("Parameter", "Result"):
            raise self._lacks(name, "a Parameter or Result")
        source = self.inputs[0].source if self.inputs else None
        return self.outputs[0] if source is None else source

    def _lacks(self, name: str, owner: str) -> AbsentError:
        return AbsentError(f'"{self.name}" ({self.get_type_name()}) has no {name}; only {owner} has it')

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            access = accessor(self, name)
            if access is None:
                raise absent("Node", name, self)
            return access

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the node without its model and its operation."""
        return restore_node, node_arguments(self)

    def __repr__(self) -> str:
        details = [str(output.partial_shape) for output in self.outputs]
        if self.get_type_name() == "Parameter":
            details += [_C_NAMES.get(type.name, type.label) for type in (port.element_type for port in self.outputs)]
        kind = type(self).__name__ if type(self) in _CLASSES.values() else self.get_type_name()
        return f"<{kind}: '{self.name}' ({', '.join(details)})>"


_CLASSES: dict[tuple[str, str], type[Node]] = {}
"""Classes of nodes by type, and by opset where only one definition has the class."""
