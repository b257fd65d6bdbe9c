"""The tensor of an output, as `get_tensor()` returns it."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any, Protocol

from ir_plugin.diagnostics.absent import absent
from ir_plugin.errors import require
from ir_plugin.model.port_values import ValueAccess
from ir_plugin.tensors import ElementType, PartialShape, Shape, TensorInfo


class NamedPort(Protocol):
    """An output: its tensor names, type, shape and runtime information."""

    tensor_info: TensorInfo
    rt_info: dict[str, Any]

    @property
    def names(self) -> set[str]:
        """The tensor names."""

    @property
    def any_name(self) -> str:
        """One of the tensor names."""

    @property
    def element_type(self) -> ElementType:
        """The element type."""

    @property
    def partial_shape(self) -> PartialShape:
        """The shape."""

    @property
    def shape(self) -> Shape:
        """The static shape."""

    def set_names(self, names: Iterable[str]) -> None:
        """Replace the tensor names."""

    def add_names(self, names: Iterable[str]) -> None:
        """Add tensor names."""


class DescriptorTensor(ValueAccess):
    """The names, type and shape of the tensor of a port, as `get_tensor()` returns them."""

    __slots__ = ("_port",)

    _port: NamedPort

    def __init__(self, port: NamedPort) -> None:
        self._port = port

    @property
    def names(self) -> set[str]:
        """A copy of the tensor names; a set can be assigned."""
        return set(self._port.names)

    @names.setter
    def names(self, names: Set[str]) -> None:
        require(names, Set, "a set of tensor names", "names")
        self._port.set_names(names)

    @property
    def any_name(self) -> str:
        """One of the tensor names."""
        return self._port.any_name

    @property
    def element_type(self) -> ElementType:
        """The element type."""
        return self._port.element_type

    @property
    def partial_shape(self) -> PartialShape:
        """The shape."""
        return self._port.partial_shape

    @property
    def shape(self) -> Shape:
        """The static shape; raises for a dynamic one."""
        return self._port.shape

    @property
    def size(self) -> int:
        """The number of bytes; raises for a dynamic shape."""
        return -(-self._port.partial_shape.size.get_length() * self.element_type.bits // 8)

    @property
    def rt_info(self) -> dict[str, Any]:
        """The runtime information of the output."""
        return self._port.rt_info

    def get_rt_info(self) -> dict[str, Any]:
        """Return the runtime information of the output."""
        return self._port.rt_info

    def set_type(self, element_type: ElementType, partial_shape: PartialShape) -> None:
        """Change the element type and the shape, until they are inferred again."""
        self._port.tensor_info = TensorInfo(element_type, partial_shape)

    def get_names(self) -> set[str]:
        """Return the tensor names."""
        return self.names

    def get_any_name(self) -> str:
        """Return one of the tensor names."""
        return self.any_name

    def set_names(self, names: Iterable[str]) -> None:
        """Replace the tensor names."""
        self._port.set_names(names)

    def add_names(self, names: Iterable[str]) -> None:
        """Add tensor names."""
        self._port.add_names(names)

    def get_element_type(self) -> ElementType:
        """Return the element type."""
        return self.element_type

    def get_partial_shape(self) -> PartialShape:
        """Return the shape."""
        return self.partial_shape

    def get_shape(self) -> Shape:
        """Return the static shape; raises for a dynamic one."""
        return self.shape

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("DescriptorTensor", name, self)

    def __repr__(self) -> str:
        return f"<DescriptorTensor: {described(self._port)}>"


def described(port: NamedPort) -> str:
    """Return the names, shape and type of an output as text."""
    return f"names[{', '.join(sorted(port.names))}] shape{port.partial_shape} type: {port.element_type.name}"
