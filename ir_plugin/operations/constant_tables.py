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
        """Return the positions of the inputs that tables are derived from, for a layer with `count` inputs."""
        return [position for position in self.table_inputs if position < count]

    def tables_of(self, *inputs: Array) -> Any:
        """Return the tables for all inputs of a run; a plan that keeps tables returns those."""
        cached: Callable[[], Any] | None = vars(self).get("tables")
        if cached is not None:
            return cached()
        return self.build_tables(*[inputs[position] for position in self.positions_of_tables(len(inputs))])

    def bound_to(self, tables: Callable[[], Any]) -> Operation:
        """Return a copy that reads the tables that a function returns."""
        bound = copy(self)
        vars(bound)["tables"] = tables
        return bound
