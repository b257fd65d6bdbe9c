"""Tables of values by operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from ir_plugin.operations.base import Operation, OperationClass

_T = TypeVar("_T")


class OperationTable(Generic[_T]):
    """Values by built-in operation, whatever its version; an extension's operation has none."""

    def __init__(self, values: Mapping[OperationClass, _T]) -> None:
        self.definitions = tuple(values)
        self._values = {definition.type: value for definition, value in values.items()}

    def __getitem__(self, operation: Operation) -> _T:
        """Return the value of an operation that has one."""
        return self._values[operation.type]

    def get(self, operation: Operation) -> _T | None:
        """Return the value of an operation, or None."""
        return self._values.get(operation.type) if operation.is_built_in else None
