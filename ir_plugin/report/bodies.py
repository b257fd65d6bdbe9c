"""Layers of bodies, run by another runtime one body execution at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ir_plugin.errors import EvaluationError
from ir_plugin.executor import Frame
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.bodies import BodyOperation
from ir_plugin.operations.context import Context
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.report.agreement import Frames, path_prefix
from ir_plugin.tensors import Array


class Runner(Protocol):
    """A body compiled by another runtime."""

    def run(self, inputs: Sequence[Array]) -> tuple[dict[str, Array], list[Array]]:
        """Return the values of the layers by name, and the values of the results."""


class Bodies:
    """Runs the bodies of a model whose other values are known; `runner` compiles a body."""

    def __init__(self, runner: Callable[[Model], Runner]) -> None:
        self._runner = runner
        self._runners: dict[Model, Runner] = {}
        self._values: dict[str, Array] = {}

    def values(self, model: Model, layers: Mapping[str, Array], inputs: Sequence[Array]) -> dict[str, Array]:
        """Return the values of the layers of bodies by name: `loop[2]/add`.

        Layers with an unknown input, or with a body that the other runtime refuses, are left out.
        """
        self._enter(model, layers, inputs, ())
        return self._values

    def _enter(self, model: Model, layers: Mapping[str, Array], inputs: Sequence[Array], frames: Frames) -> None:
        parameters = dict(zip((node.outputs[0] for node in model.parameters), inputs, strict=True))
        for node in model.ordered():
            if isinstance(node.operation, BodyOperation):
                arrays = [
                    None if port.source is None else _value_of(port.source, layers, parameters) for port in node.inputs
                ]
                is_connected = [port.source is not None for port in node.inputs]
                if is_connected == [array is not None for array in arrays]:
                    self._execute(node, node.operation, arrays, frames)

    def _execute(self, node: Node, operation: BodyOperation, inputs: Sequence[Array | None], frames: Frames) -> None:
        executions = operation.executions(inputs, Context())
        iteration = 0
        try:
            body, values = next(executions)
            while True:
                inside = (*frames, Frame(node.name, iteration))
                layers, results = self._compiled(body).run(values)
                self._values |= {path_prefix(inside) + name: array for name, array in layers.items()}
                self._enter(body, layers, values, inside)
                body, values = executions.send(results)
                iteration += 1
        except (StopIteration, EvaluationError):
            return
        except RuntimeError:
            self._forget(node, frames)

    def _compiled(self, body: Model) -> Runner:
        if body not in self._runners:
            self._runners[body] = self._runner(body)
        return self._runners[body]

    def _forget(self, node: Node, frames: Frames) -> None:
        prefix = f"{path_prefix(frames)}{node.name}["
        self._values = {name: array for name, array in self._values.items() if not name.startswith(prefix)}


def _value_of(source: Output, layers: Mapping[str, Array], parameters: Mapping[Output, Array]) -> Array | None:
    node = source.node
    if source in parameters:
        return parameters[source]
    if node.is_a(Const):
        values: Array = node.operation.evaluate()
        return values
    return layers.get(node.name if len(node.outputs) == 1 else f"{node.name}:{source.index}")
