"""Nodes of a graph, and their inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from ir_plugin.diagnostics.absent import absent
from ir_plugin.errors import (
    AbsentError,
    ArgumentTypeError,
    InputError,
    PositionError,
    is_index,
    require,
    wrong_type,
)
from ir_plugin.model.attribute_access import accessor
from ir_plugin.model.changing import Changing
from ir_plugin.model.constant_data import ConstantAccess
from ir_plugin.model.descriptor_tensor import DescriptorTensor, described
from ir_plugin.model.operators import Arithmetic
from ir_plugin.model.pickling import node_arguments, port_of, reduced_output, restore_node
from ir_plugin.model.port_values import PortValues
from ir_plugin.model.ports import NOTHING_DECLARED, UNKNOWN, Declared, OutputPort, Port, Ports
from ir_plugin.model.rewiring import rewire, unlist
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.tensors import UNBOUNDED, Array, ElementType, Layout, PartialShape, TensorInfo, frozen

_C_NAMES = {"f32": "float", "f64": "double"}


class Input(Port):
    """One input of a node, and the output it reads."""

    __slots__ = ("_info", "source")

    node: Node

    def __init__(self, node: Node, index: int, port_id: int, declared: Declared = NOTHING_DECLARED) -> None:
        self.node = node
        self.index = index
        self.port_id = port_id
        self.declared = declared
        self.source: Output | None = None
        self._info: RTMap | None = None

    def get_node(self) -> Node:
        """Return the node."""
        return self.node

    @property
    def rt_info(self) -> RTMap:
        """The runtime information, which no file keeps."""
        if self._info is None:
            self._info = RTMap()
        return self._info

    @property
    def tensor_info(self) -> TensorInfo:
        """The inferred type, shape and bounds of the value."""
        return self.source.tensor_info if self.source is not None else UNKNOWN

    @property
    def tensor(self) -> TensorInfo:
        """The inferred type, shape and bounds of the value."""
        return self.tensor_info

    def get_tensor(self) -> DescriptorTensor:
        """Return names, type and shape of the tensor it reads."""
        return DescriptorTensor(self.get_source_output())

    def replace_source_output(self, new_source_output: Output) -> None:
        """Read another output; `validate_nodes_and_infer_types` of the model infers the shapes downstream again."""
        require(new_source_output, Output, "an output", "new_source_output")
        rewire([(self, new_source_output)])

    def get_source_output(self) -> Output:
        """Return the output that it reads."""
        if self.source is None:
            raise InputError(f'input {self.index} of "{self.node.name}" is not connected')
        return self.source

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("Input", name, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return port_of, (self.node, "input", self.index)

    def __repr__(self) -> str:
        return f"<Input: shape{self.partial_shape} type: {self.element_type.name}>"


class Output(OutputPort):
    """One output of a node: its tensor, tensor names, and the inputs that read it."""

    __slots__ = ("readers", "rt_info", "tensor_info", "values")

    node: Node
    tensor_info: TensorInfo

    def __init__(
        self,
        node: Node,
        index: int,
        port_id: int,
        declared: Declared = NOTHING_DECLARED,
        names: Iterable[str] = frozenset(),
    ) -> None:
        self.node = node
        self.index = index
        self.port_id = port_id
        self.declared = declared
        self._names = frozenset(names)
        self.readers: list[Input] = []
        self.rt_info: dict[str, Any] = RTMap()
        self.tensor_info = UNKNOWN
        self.values: PortValues | None = None
        """Bounds and symbols of values that were set."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Output):
            return NotImplemented
        return self is other or (self.node is other.node and self.index == other.index)

    def __lt__(self, other: Output) -> bool:
        return (hash(self.node), self.index) < (hash(other.node), other.index)

    def __hash__(self) -> int:
        return hash((self.node, self.index))

    def get_node(self) -> Node:
        """Return the node."""
        return self.node

    @property
    def constant(self) -> Array | None:
        """The values of a Constant; None for any other node."""
        operation = self.node.operation
        return None if operation is None else operation.constant_value()

    @property
    def producer(self) -> Node:
        """The node."""
        return self.node

    @property
    def is_read_once(self) -> bool:
        """Whether exactly one input reads it, and no Result does."""
        return len(self.readers) == 1 and not self._results()

    @property
    def tensor(self) -> DescriptorTensor:
        """The names (assignable), type and shape."""
        return DescriptorTensor(self)

    def get_tensor(self) -> DescriptorTensor:
        """Return names, type and shape."""
        return DescriptorTensor(self)

    def _results(self) -> list[Output]:
        """Return the outputs of the Results that read this output."""
        results = [reader.node for reader in self.readers if reader.node.type == "Result"]
        return [node.outputs[0] for node in results if node.outputs]

    @property
    def result_source(self) -> Output | None:
        """The output that a Result reads, if this is the output of a Result."""
        return self.node.inputs[0].source if self.node.type == "Result" and self.node.inputs else None

    def copy_names(self, other: Output) -> None:
        """Copy the tensor names of another output; a Parameter's names are shared instead."""
        self._names = other._names if other.node.type == "Parameter" else frozenset([*other._names])

    def replace(self, replacement: Output) -> None:
        """Make all that reads this output read another one, which takes over its tensor names."""
        require(replacement, Output, "an output", "replacement")
        rewire([(reader, replacement) for reader in self.readers])
        replacement.add_names(self.names)

    @property
    def target_inputs(self) -> set[Input]:
        """The inputs that read it."""
        return set(self.readers)

    def get_target_inputs(self) -> set[Input]:
        """Return the inputs that read it."""
        return set(self.readers)

    def remove_target_input(self, target_input: Input) -> None:
        """Leave an input out of those that read it; the input itself still reads it."""
        require(target_input, Input, "an input", "target_input")
        if target_input.source == self:
            unlist(target_input)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("Output", name, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced_output(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {described(self)}>"


class ConstOutput(Output):
    """An input or output of a compiled model, which cannot be changed."""

    __slots__ = ()

    def _name(self, names: frozenset[str]) -> None:
        raise AbsentError(
            f"a compiled model keeps its tensor names, here {sorted(self._names)}; {sorted(names)} are new"
        )


def as_output(value: Any, argument: str = "argument") -> Output:
    """Return an output, or the only one of a node."""
    if isinstance(value, Node) and len(value.outputs) == 1:
        return value.outputs[0]
    if not isinstance(value, Output):
        raise wrong_type(argument, "an output, or a node with one,", value)
    return value


_numbers = count(1)


def new_id() -> str:
    """Return an id that no other node built in this process has."""
    return str(next(_numbers))


class Node(ConstantAccess, Arithmetic, Changing):
    """One layer: its operation with attributes, inputs and outputs.

    `operation` is the instance that infers and evaluates (None for an unknown type); `type`, `version` and the
    texts `attributes` are as in the file.
    """

    __slots__ = ()

    inputs: Ports[Input]
    outputs: Ports[Output]
    _layer: ClassVar[str] = ""
    """The type of the layers that have this class."""

    def __init_subclass__(cls, layer: str = "", since: str = "", **keywords: Any) -> None:
        """Register the class of nodes of a type, or only of the definition of one opset."""
        super().__init_subclass__(**keywords)
        cls._layer = layer or cls._layer
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
        self.inputs = Ports()
        self.outputs = Ports()
        self.attributes = {}
        self.rt_info = RTMap()
        self.origin = None
        self.path = ()
        self.is_detached = False

    def unconnected(self, operation: Any) -> Node:
        """Return a node of the same type and name with an operation, without ports."""
        return Node.of(self.id, self.name, self.type, self.version, operation)

    def input(self, index: int = 0) -> Input:
        """Return one input."""
        return self._port(index, self.inputs, "input")

    def output(self, index: int = 0) -> Output:
        """Return one output."""
        return self._port(index, self.outputs, "output")

    def input_value(self, index: int) -> Output:
        """Return the output that an input reads."""
        return self.input(index).get_source_output()

    def input_values(self) -> list[Output]:
        """Return the outputs that the inputs read."""
        return [port.get_source_output() for port in self.inputs]

    @property
    def sources(self) -> list[Output | None]:
        """The outputs that the inputs read, None for an input without an edge."""
        return [port.source for port in self.inputs]

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

    def _end(self, name: str) -> Output:
        if self.get_type_name() not in ("Parameter", "Result"):
            raise self._lacks(name, "a Parameter or Result")
        source = self.inputs[0].source if self.inputs else None
        return self.outputs[0] if source is None else source

    def set_argument(self, position: int, argument: Node | Output) -> None:
        """Make an input read another output, or a node's only output; position `len(inputs)` appends an input."""
        source, count = as_output(argument), len(self.inputs)
        if is_index(position, count):
            self.inputs[position].replace_source_output(source)
        elif is_index(position, count + 1) and self.operation is not None:
            self._read_instead([*(port.get_source_output() for port in self.inputs), source])
        else:
            fault = PositionError if is_index(position, UNBOUNDED) else ArgumentTypeError
            raise fault(f'"{self.name}" has no input {position!r}; it has {count}')

    def set_arguments(self, arguments: Sequence[Node | Output]) -> None:
        """Make the inputs read other outputs; another number of them has to be one that the operation takes."""
        require(arguments, (list, tuple), "a list of outputs", "arguments")
        sources = list(map(as_output, arguments))
        if len(sources) == len(self.inputs):
            rewire(list(zip(self.inputs, sources, strict=True)))
        else:
            self._read_instead(sources)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            access = accessor(self, name)
            if access is None:
                raise absent("Node", name, self)
            return access

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the node without its model and its operation."""
        return restore_node, (Node.of, Input, *node_arguments(self))

    def __repr__(self) -> str:
        details = [str(output.partial_shape) for output in self.outputs]
        if self.get_type_name() == "Parameter":
            details += [_C_NAMES.get(type.name, type.label) for type in (port.element_type for port in self.outputs)]
        kind = type(self).__name__ if type(self) in _CLASSES.values() else self.get_type_name()
        return f"<{kind}: '{self.name}' ({', '.join(details)})>"


_CLASSES: dict[tuple[str, str], type[Node]] = {}
"""Classes of nodes by type, and by opset where only one definition has the class."""
