"""Inputs and outputs of nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ir_plugin.diagnostics.absent import absent
from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.model.descriptor_tensor import DescriptorTensor, described
from ir_plugin.model.pickling import port_of, reduced_output
from ir_plugin.model.port_values import PortValues
from ir_plugin.model.rewiring import rewire
from ir_plugin.model.type_info import RTMap
from ir_plugin.tensors import ElementType, FrozenShape, PartialShape, Shape, TensorInfo

if TYPE_CHECKING:
    from ir_plugin.model.node import Node

UNKNOWN = TensorInfo(ElementType.dynamic, None)

PortType = TypeVar("PortType", "Input", "Output")


class Ports(list[PortType], Generic[PortType]):
    """The ports of a node: `node.outputs` here, and also `node.outputs()` as in OpenVINO."""

    def __call__(self) -> list[PortType]:
        """Return the ports."""
        return list(self)


@dataclass(frozen=True)
class Declared:
    """The shape and element type that a file declares for a port, None if it declares none."""

    shape: FrozenShape | None
    element_type: ElementType | None


NOTHING_DECLARED = Declared(None, None)


class Port(ABC):
    """An input or output: its index at a node and the type and shape of its tensor."""

    __slots__ = ("declared", "index", "node", "port_id")

    node: Node
    index: int
    port_id: int
    declared: Declared

    @property
    @abstractmethod
    def tensor_info(self) -> TensorInfo:
        """The inferred type, shape and bounds of the value."""

    def get_node(self) -> Node:
        """Return the node."""
        return self.node

    def get_index(self) -> int:
        """Return the index among the node's inputs or outputs."""
        return self.index

    @property
    def element_type(self) -> ElementType:
        """The element type."""
        return self.tensor_info.element_type

    def get_element_type(self) -> ElementType:
        """Return the element type."""
        return self.tensor_info.element_type

    @property
    def partial_shape(self) -> PartialShape:
        """A copy of the shape."""
        return PartialShape(self.tensor_info.shape)

    def get_partial_shape(self) -> PartialShape:
        """Return a copy of the shape."""
        return PartialShape(self.tensor_info.shape)

    @property
    def shape(self) -> Shape:
        """The static shape; raises for a dynamic one."""
        return self.tensor_info.shape.to_shape()

    def get_shape(self) -> Shape:
        """Return the static shape; raises for a dynamic one."""
        return self.shape


class Input(Port):
    """One input of a node, and the output it reads."""

    __slots__ = ("_info", "source")

    def __init__(self, node: Node, index: int, port_id: int, declared: Declared = NOTHING_DECLARED) -> None:
        self.node = node
        self.index = index
        self.port_id = port_id
        self.declared = declared
        self.source: Output | None = None
        self._info: RTMap | None = None

    @property
    def rt_info(self) -> RTMap:
        """The runtime information, which no file keeps."""
        if self._info is None:
            self._info = RTMap()
        return self._info

    def get_rt_info(self) -> RTMap:
        """Return the runtime information, which no file keeps."""
        return self.rt_info

    def set_rt_info(self, value: Any, name: str) -> None:
        """Write one entry of the runtime information."""
        require(name, str, "a name", "name")
        self.rt_info[name] = value

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
        """Read another output; `validate_nodes_and_infer_types` of the model infers the shapes behind it anew."""
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


class Output(Port):
    """One output of a node: its tensor, tensor names, and the inputs that read it."""

    __slots__ = ("_names", "readers", "rt_info", "tensor_info", "values")

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
        return (id(self.node), self.index) < (id(other.node), other.index)

    def __hash__(self) -> int:
        return hash((id(self.node), self.index))

    def get_rt_info(self) -> dict[str, Any]:
        """Return the runtime information."""
        return self.rt_info

    def set_rt_info(self, value: Any, name: str) -> None:
        """Write one entry of the runtime information."""
        require(name, str, "a name", "name")
        self.rt_info[name] = value

    @property
    def tensor(self) -> DescriptorTensor:
        """The names (assignable), type and shape."""
        return DescriptorTensor(self)

    def get_tensor(self) -> DescriptorTensor:
        """Return names, type and shape."""
        return DescriptorTensor(self)

    @property
    def names(self) -> set[str]:
        """A copy of the tensor names; a set can be assigned."""
        return set(self._names)

    @names.setter
    def names(self, names: Iterable[str]) -> None:
        self.set_names(names)

    def get_names(self) -> set[str]:
        """Return the tensor names."""
        return set(self._names)

    def set_names(self, names: Iterable[str]) -> None:
        """Replace the tensor names; those that a Result has of its own also name the output it reads."""
        before, source = self._names, self.result_source
        own = [port._names for port in self._results() if port._names is not before]
        self._name(frozenset(_texts(names)).union(*own))
        if source is not None:
            source._name((source._names - before) | self._names)

    def add_names(self, names: Iterable[str]) -> None:
        """Add tensor names; those of a Result also name the output it reads."""
        added = frozenset(_texts(names))
        source = self.result_source
        self._name(self._names | added)
        if source is not None:
            source._name(source._names | added)

    def rename(self, name: str, new: str) -> None:
        """Replace one tensor name, also where a Result has it of its own."""
        for port in (self, *self._results()):
            if name in port._names:
                port._names = port._names - {name} | {new}

    def _name(self, names: frozenset[str]) -> None:
        """Replace the names, also those of the Results that share them."""
        shared = [port for port in self._results() if port._names is self._names]
        for port in (self, *shared):
            port._names = names

    def _results(self) -> list[Output]:
        """Return the outputs of the Results that read this output."""
        results = [reader.node for reader in self.readers if reader.node.type == "Result"]
        return [node.outputs[0] for node in results if node.outputs]

    @property
    def result_source(self) -> Output | None:
        """The output that a Result reads, if this is the output of a Result."""
        return self.node.inputs[0].source if self.node.type == "Result" and self.node.inputs else None

    def take_names(self, other: Output) -> None:
        """Share the names of another output until the names of either change."""
        self._names = other._names

    def shows_names_of(self, other: Output) -> bool:
        """Return whether the names are shared with another output."""
        return self._names is other._names

    def copy_names(self, other: Output) -> None:
        """Get names of its own that are equal to those of another output; those of a Parameter are shared."""
        self._names = other._names if other.node.type == "Parameter" else frozenset([*other._names])

    def get_any_name(self) -> str:
        """Return one of the tensor names: the first in alphabetical order."""
        if not self.names:
            raise InputError(f'output {self.index} of "{self.node.name}" has no tensor name')
        return min(self.names)

    @property
    def any_name(self) -> str:
        """One of the tensor names: the first in alphabetical order."""
        return self.get_any_name()

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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("Output", name, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced_output(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {described(self)}>"


class ConstOutput(Output):
    """An input or output of a compiled model."""

    __slots__ = ()


def _texts(names: Iterable[str]) -> Iterable[str]:
    require(names, (str, Set, Sequence), "a set of tensor names", "names")
    texts = [names] if isinstance(names, str) else list(names)
    if not all(isinstance(name, str) for name in texts):
        raise ArgumentTypeError(f"{names!r} are no tensor names; write a set of texts")
    return texts
