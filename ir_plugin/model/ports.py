"""The tensors at the ports of nodes: declared and inferred type and shape, and tensor names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeVar

from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.model.descriptor_tensor import DescriptorTensor
from ir_plugin.model.type_info import RuntimeInfo
from ir_plugin.tensors import ElementType, FrozenShape, PartialShape, Shape, TensorInfo

UNKNOWN = TensorInfo(ElementType.dynamic, None)

PortType = TypeVar("PortType", bound="Port")


class Ports(list[PortType]):
    """The ports of a node: `node.outputs` here, and also `node.outputs()` as in OpenVINO."""

    def __call__(self) -> list[PortType]:
        """Return the ports."""
        return list(self)


@dataclass(frozen=True)
class Declared:
    """The shape and element type that a file declares for a port, None if it declares none."""

    shape: FrozenShape | None
    element_type: ElementType | None

    def fits(self, other: Declared) -> bool:
        """Return whether an edge may connect two ports that declare this and the other."""
        shapes = self.shape is None or other.shape is None or self.shape.compatible(other.shape)
        types = self.element_type is None or other.element_type is None or self.element_type is other.element_type
        return shapes and types


NOTHING_DECLARED = Declared(None, None)


class Port(ABC, RuntimeInfo):
    """An input or output: its index at a node and the type and shape of its tensor."""

    __slots__ = ("declared", "index", "node", "port_id")

    node: Any
    index: int
    port_id: int
    declared: Declared

    @property
    @abstractmethod
    def tensor_info(self) -> TensorInfo:
        """The inferred type, shape and bounds of the value."""

    @abstractmethod
    def get_tensor(self) -> DescriptorTensor:
        """Return names, type and shape of the tensor."""

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
    def rank(self) -> int | None:
        """The number of dimensions; None where it is unknown."""
        return self.tensor_info.shape.ndim

    def length(self, axis: int) -> int | None:
        """Return the length along an axis; None where it is unknown."""
        dims = self.tensor_info.shape.dims
        return int(dims[axis].lower) if dims is not None and dims[axis].is_static else None

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


class OutputPort(Port):
    """An output: the names of its tensor, which the Results that read it share."""

    __slots__ = ("_names",)

    _names: frozenset[str]

    @abstractmethod
    def _results(self) -> list[Any]:
        """Return the outputs of the Results that read this output."""

    @property
    @abstractmethod
    def result_source(self) -> Any:
        """The output that a Result reads, if this is the output of a Result."""

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
        """Replace the tensor names; separate names of the Results that read this output are added."""
        before, source = self._names, self.result_source
        own = [port._names for port in self._results() if port._names is not before]
        self._name(frozenset(_texts(names)).union(*own))
        if source is not None:
            source._name((source._names - before) | self._names)

    def add_names(self, names: Iterable[str]) -> None:
        """Add tensor names; names added to a Result also name the output that it reads."""
        added = frozenset(_texts(names))
        source = self.result_source
        self._name(self._names | added)
        if source is not None:
            source._name(source._names | added)

    def rename(self, name: str, new: str) -> None:
        """Replace one tensor name, also in the names of its Results."""
        for port in (self, *self._results()):
            if name in port._names:
                port._names = port._names - {name} | {new}

    def _name(self, names: frozenset[str]) -> None:
        """Replace the names of this output and of the Results that share them."""
        shared = [port for port in self._results() if port._names is self._names]
        for port in (self, *shared):
            port._names = names

    def take_names(self, other: OutputPort) -> None:
        """Share the names of another output until the names of either change."""
        self._names = other._names

    def shows_names_of(self, other: OutputPort) -> bool:
        """Return whether the names are shared with another output."""
        return self._names is other._names

    def get_any_name(self) -> str:
        """Return one of the tensor names: the first in alphabetical order."""
        if not self.names:
            raise InputError(f'output {self.index} of "{self.node.name}" has no tensor name')
        return min(self.names)

    @property
    def any_name(self) -> str:
        """One of the tensor names: the first in alphabetical order."""
        return self.get_any_name()


def _texts(names: Iterable[str]) -> Iterable[str]:
    require(names, (str, Set, Sequence), "a set of tensor names", "names")
    texts = [names] if isinstance(names, str) else list(names)
    if not all(isinstance(name, str) for name in texts):
        raise ArgumentTypeError(f"{names!r} are not tensor names; write a set of texts")
    return texts
