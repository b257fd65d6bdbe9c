"""The layers of bodies, executed by another runtime one execution of a body at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ir_plugin.errors import EvaluationError
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.bodies import BodyOperation
from ir_plugin.operations.context import Context
from ir_plugin.report.agreement import Frames, inside_of
from ir_plugin.runtime import Frame
from ir_plugin.tensors import Array


class Runner(Protocol):
    """A body as another runtime runs it."""

    def run(self, inputs: Sequence[Array]) -> tuple[dict[str, Array], list[Array]]:
        """Return the values of the layers by name, and those of the results."""


class Bodies:
    """Runs the bodies of a model of which all other values are known; `runner` compiles one."""

    def __init__(self, runner: Callable[[Model], Runner]) -> None:
        self._runner = runner
        self._runners: dict[int, Runner] = {}
        self._found: dict[str, Array] = {}

    def values(self, model: Model, known: Mapping[str, Array], inputs: Sequence[Array]) -> dict[str, Array]:
        """Return the values of the layers of bodies by name: `loop[2]/add`.

        A layer of which an input is not known, or whose body the other runtime refuses, is left out.
        """
        self._enter(model, known, inputs, ())
        return self._found

    def _enter(self, model: Model, known: Mapping[str, Array], inputs: Sequence[Array], frames: Frames) -> None:
        given = dict(zip((node.outputs[0] for node in model.parameters), inputs, strict=True))
        for node in model.ordered():
            if isinstance(node.operation, BodyOperation):
                arrays = [None if port.source is None else _value(port.source, known, given) for port in node.inputs]
                wanted = [port.source is not None for port in node.inputs]
                if wanted == [array is not None for array in arrays]:
                    self._execute(node, node.operation, arrays, frames)

    def _execute(self, node: Node, operation: BodyOperation, inputs: Sequence[Array | None], frames: Frames) -> None:
        asked = operation.executions(inputs, Context())
        iteration = 0
        try:
            body, values = next(asked)
            while True:
                inside = (*frames, Frame(node.name, iteration))
                known, results = self._compiled(body).run(values)
                self._found |= {inside_of(inside) + name: array for name, array in known.items()}
                self._enter(body, known, values, inside)
                body, values = asked.send(results)
                iteration += 1
        except (StopIteration, EvaluationError):
            return
        except RuntimeError:
            self._forget(node, frames)

    def _compiled(self, body: Model) -> Runner:
        if id(body) not in self._runners:
            self._runners[id(body)] = self._runner(body)
        return self._runners[id(body)]

    def _forget(self, node: Node, frames: Frames) -> None:
        start = f"{inside_of(frames)}{node.name}["
        self._found = {name: array for name, array in self._found.items() if not name.startswith(start)}


def _value(source: Output, known: Mapping[str, Array], given: Mapping[Output, Array]) -> Array | None:
    node = source.node
    if source in given:
        return given[source]
    if node.get_type_name() == "Constant":
        return node.get_data()
    return known.get(node.name if len(node.outputs) == 1 else f"{node.name}:{source.index}")
