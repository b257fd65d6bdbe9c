"""Variables, which models keep between inferences."""

from __future__ import annotations

from typing import Any

from ir_plugin.errors import require
from ir_plugin.tensors import ElementType, PartialShape


class VariableInfo:
    """The id, element type and shape of a variable."""

    __slots__ = ("_data_shape", "_data_type", "_variable_id")

    def __init__(self, variable_id: str = "", data_type: Any = ElementType.dynamic, data_shape: Any = ()) -> None:
        self.variable_id = variable_id
        self.data_type = data_type
        self.data_shape = data_shape

    @property
    def variable_id(self) -> str:
        """The id, by which ReadValue and Assign name the variable."""
        return self._variable_id

    @variable_id.setter
    def variable_id(self, variable_id: str) -> None:
        require(variable_id, str, "a text", "variable_id")
        self._variable_id = variable_id

    @property
    def data_type(self) -> ElementType:
        """The element type; dynamic means the type of the initial value."""
        return self._data_type

    @data_type.setter
    def data_type(self, data_type: Any) -> None:
        self._data_type = ElementType(data_type)

    @property
    def data_shape(self) -> PartialShape:
        """The shape."""
        return self._data_shape

    @data_shape.setter
    def data_shape(self, data_shape: Any) -> None:
        self._data_shape = PartialShape(data_shape)

    def copy(self) -> VariableInfo:
        """Return an independent copy."""
        return VariableInfo(self.variable_id, self.data_type, self.data_shape)

    def __repr__(self) -> str:
        return "<VariableInfo>"


class Variable:
    """A variable that a model keeps between inferences."""

    __slots__ = ("_info",)

    def __init__(self, info: VariableInfo) -> None:
        require(info, VariableInfo, "a VariableInfo", "info")
        self._info = info.copy()

    @property
    def info(self) -> VariableInfo:
        """A copy of id, type and shape; `update` changes them."""
        return self._info.copy()

    def get_info(self) -> VariableInfo:
        """Return a copy of id, type and shape."""
        return self._info.copy()

    def update(self, variable_info: VariableInfo) -> None:
        """Replace id, type and shape."""
        require(variable_info, VariableInfo, "a VariableInfo", "variable_info")
        self._info = variable_info.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        return self is other or _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(self._info.variable_id)

    def __repr__(self) -> str:
        return "<Variable>"


def _fields(variable: Variable) -> tuple[str, ElementType, str]:
    info = variable.info
    return info.variable_id, info.data_type, str(info.data_shape)
