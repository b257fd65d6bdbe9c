"""Operations that derive tables from some inputs, which a plan keeps where these inputs are constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar

from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array


class ConstantTables(Operation):
    """An operation whose `evaluate` reads tables that `build_tables` derives from some of its inputs.

    A plan binds it to a function that returns the tables of constants, so that they are built once a model.
    """

    table_inputs: ClassVar[tuple[int, ...]] = ()
    """The inputs, by position, that tables are derived from."""
    build_tables: ClassVar[Callable[..., Any]]
    """Returns the tables of these inputs."""

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the inputs that tables are derived from, of a layer with so many inputs."""
        return [position for position in self.table_inputs if position < count]

    def tables_of(self, *arrays: Array) -> Any:
        """Return the tables of the inputs of a run, or those that a plan keeps."""
        cached: Callable[[], Any] | None = vars(self).get("tables")
        return self.build_tables(*arrays) if cached is None else cached()

    def bound_to(self, tables: Callable[[], Any]) -> Operation:
        """Return a copy that reads the tables that a function returns."""
        bound = copy(self)
        vars(bound)["tables"] = tables
        return bound
