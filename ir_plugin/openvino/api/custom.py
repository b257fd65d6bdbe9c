"""Custom operations in OpenVINO's form: subclasses of `Op`, which are nodes themselves."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from ir_plugin.errors import ArgumentTypeError, Error, EvaluationError, ShapeError, require, wrong_type
from ir_plugin.model import DiscreteTypeInfo, Input, Node, Output
from ir_plugin.model.graph import connect
from ir_plugin.model.node import new_id
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.openvino.api.visitors import Collector, Filler
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, ElementType, PartialShape, Shape, TensorInfo

_SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="../../layer.xsd"/>
  <xs:element name="layer"><xs:complexType><xs:all>
    <xs:element name="data" minOccurs="0">
      <xs:complexType><xs:anyAttribute processContents="skip"/></xs:complexType></xs:element>
    <xs:element name="rt_info" type="rt_info" minOccurs="0"/>
    <xs:element name="input" minOccurs="0"><xs:complexType><xs:sequence>
      <xs:element name="port" type="port" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence></xs:complexType></xs:element>
    <xs:element name="output" type="ports-1-any"/>
  </xs:all><xs:attributeGroup ref="layer"/></xs:complexType></xs:element>
</xs:schema>"""


class Op(Node):
    """A node whose operation is written in Python, as `openvino.Op`.

    A subclass calls `super().__init__(self, inputs)`, and defines `validate_and_infer_types`, which calls
    `set_output_type`, and `evaluate(outputs, inputs)`, which fills tensors and returns True. The type is the name of
    the class in the opset `extension`, unless `get_type_info` is defined. Attributes that `visit_attributes` hands to
    the visitor are written into an IR and read from it.
    """

    def __init__(self, py_obj: Any = None, inputs: Sequence[Any] | None = None) -> None:
        del py_obj
        info = type_info_of(self)
        id = new_id()
        cls: Any = type(self)
        super().__init__(id, f"{info.name}_{id}", info.name, info.version_id, operation_class(cls, info)(self))
        arguments = _listed(inputs)
        if arguments is not None:
            self.set_arguments(arguments)
            self.constructor_validate_and_infer_types()

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the type and the opset of the operation."""
        return DiscreteTypeInfo(type(self).__name__, "extension")

    def validate_and_infer_types(self) -> None:
        """Infer the types and shapes of the outputs from the inputs; a subclass overrides this."""

    def constructor_validate_and_infer_types(self) -> None:
        """Infer the outputs of a new node."""
        self.validate_and_infer_types()

    def visit_attributes(self, visitor: Any) -> bool:
        """Hand the attributes to a visitor, by `visitor.on_attributes(dictionary)`; a subclass defines it."""
        del visitor
        return True

    def evaluate(self, *arguments: Any, **named: Any) -> bool:
        """Compute the output tensors from the input tensors, and return whether it succeeded.

        A subclass defines it as `evaluate(self, outputs, inputs)`, two lists of tensors.
        """
        del arguments, named
        return False

    def has_evaluate(self) -> bool:
        """Return whether the subclass defines `evaluate`."""
        return type(self).evaluate is not Op.evaluate

    def clone_with_new_inputs(self, new_inputs: Sequence[Any]) -> Node:
        """Return a node of the same class and attributes that reads other outputs."""
        id = new_id()
        twin = self.twin(id, f"{self.get_type_name()}_{id}")
        twin.set_arguments(new_inputs)
        twin.constructor_validate_and_infer_types()
        return twin

    def set_output_type(self, index: int, element_type: ElementType, shape: PartialShape) -> None:
        """Set the element type and the shape of an output, which is added if it is not there."""
        require(index, int, "the index of an output", "index")
        require(element_type, ElementType, "an element type, such as Type.f32,", "element_type")
        require(shape, PartialShape, "a PartialShape", "shape")
        if index >= len(self.outputs):
            self.set_output_size(index + 1)
        self.outputs[index].tensor_info = TensorInfo(element_type, shape)

    def set_output_size(self, size: int) -> None:
        """Set the number of outputs."""
        require(size, int, "a number of outputs", "size")
        del self.outputs[size:]
        for index in range(len(self.outputs), size):
            self.outputs.append(Output(self, index, len(self.inputs) + index))

    def set_arguments(self, arguments: Sequence[Any]) -> None:
        """Read these outputs, or the only outputs of these nodes; the number of inputs becomes theirs."""
        require(arguments, (list, tuple), "a list of nodes or outputs", "arguments")
        sources = [_source(argument) for argument in arguments]
        if len(sources) == len(self.inputs):
            super().set_arguments(sources)
            return
        for port in self.inputs:
            if port.source is not None:
                port.source.readers.remove(port)
        self.inputs[:] = [Input(self, index, index) for index in range(len(sources))]
        for source, port in zip(sources, self.inputs, strict=True):
            connect(source, port)

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes that `visit_attributes` hands over."""
        return {name: _shown(value) for name, value in self.visited().items()}

    def visited(self) -> dict[str, Any]:
        """Return the attributes unchanged."""
        visitor = Collector()
        self.visit_attributes(visitor)
        return visitor.values

    def twin(self, id: str, name: str) -> Op:
        """Return a node of the same class and attributes without ports."""
        twin = object.__new__(type(self))
        vars(twin).update(
            {key: copy.copy(item) if isinstance(item, dict) else item for key, item in vars(self).items()}
        )
        operation = type(self.operation)(twin)
        Node.__init__(twin, id, name, self.type, self.version, operation)
        return twin

    def unconnected(self, operation: Any) -> Node:
        """Return a copy without ports; its operation is its own."""
        del operation
        return self.twin(self.id, self.name)

    def reading(self, tensors: Sequence[TensorInfo | None]) -> Op:
        """Return a copy with these input types and shapes and with new outputs; it shares this node's attributes."""
        node = object.__new__(type(self))
        node.__dict__ = self.__dict__
        Node.__init__(node, self.id, self.name, self.type, self.version, self.operation)
        for index, tensor in enumerate(tensors):
            port = Input(node, index, index)
            producer = self.inputs[index].source if index < len(self.inputs) else None
            port.source = Output(
                self if producer is None else producer.node, 0 if producer is None else producer.index, 0
            )
            port.source.tensor_info = TensorInfo(ElementType.dynamic, None) if tensor is None else tensor
            node.inputs.append(port)
        return node


def _shown(value: Any) -> Any:
    if isinstance(value, PartialShape):
        return [dim.get_length() if dim.is_static else -1 for dim in value]
    return value


def _listed(inputs: Any) -> list[Any] | None:
    """Return the inputs that a constructor gets: a list, or a tuple of nodes or of one list; None for none."""
    if inputs is None or (isinstance(inputs, tuple) and not inputs):
        return None
    require(inputs, (list, tuple), "a list of nodes or outputs", "inputs")
    is_nested = isinstance(inputs, tuple) and len(inputs) == 1 and isinstance(inputs[0], (list, tuple))
    return list(inputs[0] if is_nested else inputs)


def _source(argument: Any) -> Output:
    if isinstance(argument, Node) and len(argument.outputs) == 1:
        return argument.outputs[0]
    if not isinstance(argument, Output):
        raise wrong_type("arguments", "a list of outputs, or of nodes with one,", argument)
    return argument


def type_info_of(node: Op) -> DiscreteTypeInfo:
    """Return the type that an operation says it has; raises if it says something else."""
    info = node.get_type_info()
    if not isinstance(info, DiscreteTypeInfo):
        raise ArgumentTypeError(
            f"{type(node).__name__}: operation type_info must be an instance of DiscreteTypeInfo, but {type(info)} is "
            "passed."
        )
    return info


_LOCK = Lock()


def operation_class(cls: Any, info: DiscreteTypeInfo) -> type[PythonOperation]:
    """Return the operation that stands for a subclass of `Op` in models and registries.

    The subclass keeps it, so that both are freed together.
    """
    with _LOCK:
        if "_operation_classes" not in vars(cls):
            cls._operation_classes = {}
        classes: dict[DiscreteTypeInfo, type[PythonOperation]] = cls._operation_classes
        if info not in classes:
            classes[info] = _new_operation_class(cls, info)
        return classes[info]


def _new_operation_class(cls: Any, info: DiscreteTypeInfo) -> type[PythonOperation]:
    namespace = {"op_class": cls, "schema": _SCHEMA, "__doc__": cls.__doc__}
    operation: type[PythonOperation] = type(info.name, (PythonOperation,), namespace)
    operation.type, operation.version = info.name, info.version_id
    return operation


class PythonOperation(Operation):
    """The operation of a node that is an `Op`: infers and evaluates by its methods."""

    widen = False
    is_built_in = False
    op_class: Any = None

    def __init__(self, op: Op | None = None, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.op: Op = self.op_class() if op is None else op
        self.fault = ""

    @classmethod
    def new_node(cls, id: str, name: str, type: str, version: str) -> Node:
        """Return the node of a layer that is read: an instance of the user's class."""
        node = instance_of(cls.op_class)
        node.id, node.name, node.type, node.version = id, name, type, version
        return node

    @classmethod
    def attach(cls, node: Node, values: Mapping[str, Any]) -> None:
        """Hand the attributes of a layer to the node, whose operation is there already."""
        del values
        if isinstance(node, Op):
            visitor = Filler(node.attributes)
            node.visit_attributes(visitor)
            node.operation.fault = visitor.fault

    def written_attributes(self) -> dict[str, Any]:
        """Return the attributes to write into an IR."""
        return self.op.visited()

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the outputs that `validate_and_infer_types` sets."""
        if self.fault:
            raise ShapeError("", self.fault)
        return tuple(port.tensor_info for port in self._validated(inputs).outputs)

    def _validated(self, inputs: Sequence[TensorInfo]) -> Op:
        node = self.op.reading(inputs)
        try:
            node.validate_and_infer_types()
        except Error as fault:
            raise ShapeError("", str(fault)) from None
        except Exception as fault:
            raise ShapeError("", f"validate_and_infer_types raised {type(fault).__name__}: {fault}") from fault
        return node

    def infer_bounds(self, *inputs: Any) -> Sequence[Any]:
        """Return no bounds, as Python code need not be monotonic and runs only where the model runs."""
        del inputs
        return []

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Call the node's `evaluate` with output tensors of the inferred types and shapes, and return their arrays."""
        require_evaluate(self.op)
        types = self.input_types or (None,) * len(inputs)
        pairs = [
            (array, type or ElementType.from_dtype(array.dtype)) for array, type in zip(inputs, types, strict=True)
        ]
        node = self._validated([TensorInfo.of(array, type) for array, type in pairs])
        outputs = [Tensor(port.element_type, _room(port.partial_shape)) for port in node.outputs]
        try:
            is_done = node.evaluate(outputs, [Tensor.of(array, type) for array, type in pairs])
        except Error as fault:
            raise EvaluationError(f"evaluate of {self.type}: {fault}") from None
        except Exception as fault:
            raise EvaluationError(f"evaluate of {self.type} raised {type(fault).__name__}: {fault}") from fault
        if not is_done:
            raise EvaluationError(f"evaluate of {self.type} returned {is_done!r}; it returns True where it succeeds")
        return tuple(tensor.values for tensor in outputs)


def _room(shape: PartialShape) -> Shape:
    """Return the shape of an output tensor, which `evaluate` enlarges where dimensions are unknown."""
    return shape.to_shape() if shape.is_static else Shape([0])


def require_evaluate(node: Op) -> None:
    """Raise for a custom node that cannot be computed."""
    if not node.has_evaluate():
        raise EvaluationError(
            f'"{node.name}" cannot be computed: {type(node).__name__} has no evaluate; define evaluate(outputs, inputs)'
        )


def instance_of(cls: Any) -> Op:
    """Return a node of a subclass of `Op` without inputs; raises if its constructor needs some."""
    try:
        node: Op = cls()
    except Error:
        raise
    except Exception as fault:  # noqa: BLE001 (a user's code may raise anything)
        raise ArgumentTypeError(
            f"{cls.__name__}() has to be possible without arguments, for layers that are read: {fault}"
        ) from None
    return node


class Extension:
    """The base of extensions, as `openvino.Extension`."""


class OpExtension(Extension):
    """A custom operation for `Core.add_extension`, as `openvino.OpExtension`."""

    def __init__(self, operation: Any) -> None:
        is_class = isinstance(operation, type) and issubclass(operation, (Op, Operation))
        if not is_class:
            raise ArgumentTypeError(
                f"Unsupported data type : '{operation}' is passed as an argument. It is not a subclass of Op, or of "
                "Operation"
            )
        self.operation: type[Operation] = (
            operation_class(operation, type_info_of(instance_of(operation))) if issubclass(operation, Op) else operation
        )
