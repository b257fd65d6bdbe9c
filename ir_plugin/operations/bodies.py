"""Operations that execute bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ir_plugin.operations.base import Operation
from ir_plugin.operations.context import Context
from ir_plugin.tensors import Array

if TYPE_CHECKING:
    from ir_plugin.model import Model

Executions: TypeAlias = "Generator[tuple[Model, list[Array]], list[Array], tuple[Array, ...]]"
"""Yields a body with values for its parameters, is sent the values of its results, and returns the layer's outputs."""


class BodyOperation(Operation, ABC):
    """An operation that executes bodies.

    `executions` is a generator that requests one execution of a body after the other, so that its driver may stop
    between two layers of a body; `evaluate` lets the engine drive it.
    """

    widen = False
    takes_containers = True
    wants_context = True
    wants_inference = True

    @abstractmethod
    def executions(self, inputs: Sequence[Array | None], context: Context) -> Executions:
        """Request executions of bodies, and return the outputs."""

    def execute(self, inputs: Sequence[Array | None], context: Context) -> tuple[Array, ...]:
        """Return the outputs, with bodies executed by the context."""
        executions = self.executions(inputs, context)
        try:
            body, values = next(executions)
            while True:
                body, values = executions.send(context.run(body, values))
        except StopIteration as end:
            outputs: tuple[Array, ...] = end.value
            return outputs
