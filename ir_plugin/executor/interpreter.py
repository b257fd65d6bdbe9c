"""The interpreter: a model layer by layer with plain `evaluate`s, where every value can be seen and replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ir_plugin.compiler.memory.limits import require_model
from ir_plugin.errors import InputError, ShapeError
from ir_plugin.executor.engine import known_tensor
from ir_plugin.executor.faults import locating, unfit
from ir_plugin.executor.steps import finish
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.base import Operation, as_inferred, compute
from ir_plugin.operations.bodies import BodyOperation
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT, DEFAULT_TRIP_LIMIT, Context
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.memory import memory_to
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import RunInference, infer_results

MAX_INFERRED = 64
"""Combinations of a model, or body, and shapes whose inferred operations an interpreter keeps."""


class Frame(NamedTuple):
    """A layer whose body runs, and the iteration."""

    layer: str
    iteration: int


@dataclass(frozen=True)
class LayerRun:
    """One execution of one layer; iterable as (layer, inputs, outputs). Outputs may be replaced in their list."""

    layer: Node
    inputs: list[Array | None]
    outputs: list[Array]
    seconds: float = 0.0
    frames: tuple[Frame, ...] = ()
    """The layers whose bodies it ran in, outermost first."""
    unread: frozenset[int] = frozenset()
    """Outputs without values, as a plan does not compute outputs that nothing reads."""

    @property
    def name(self) -> str:
        """The layer's name, prefixed by the layers whose bodies it is in: `loop[2]/add`."""
        inside = [f"{frame.layer}[{frame.iteration}]" for frame in self.frames]
        return "/".join([*inside, self.layer.name])

    def __iter__(self) -> Iterator[Any]:
        return iter((self.layer, self.inputs, self.outputs))


Listener: TypeAlias = Callable[[LayerRun], None]
Layers: TypeAlias = Generator[LayerRun, None, list[Array]]
Steps: TypeAlias = Generator[LayerRun, None, tuple[list[Array], dict[str, Array]]]
Computed: TypeAlias = Generator[LayerRun, None, tuple[tuple[Array, ...], float]]


@dataclass
class Interpreter:
    """Runs a model without a plan; calls `listener` for every layer, also in bodies."""

    model: Model
    config: Mapping[str, Any] = field(default_factory=dict)
    listener: Listener | None = None
    _operations: dict[tuple[Any, ...], dict[Node, Operation]] = field(default_factory=dict, init=False)

    @property
    def _memory_limit(self) -> int:
        return int(self.config.get("MEMORY_LIMIT", DEFAULT_MEMORY_LIMIT))

    def run(self, inputs: Sequence[Array], variables: Mapping[str, Array]) -> tuple[list[Array], dict[str, Array]]:
        """Return the results, and the variables after the run."""
        with memory_to("run the model layer by layer"):
            return finish(self.steps(inputs, variables))

    def steps(self, inputs: Sequence[Array], variables: Mapping[str, Array]) -> Steps:
        """Yield each layer after it is computed, the layers of a body before the one that has the body.

        The generator returns the results and the variables.
        """
        self._require_weights()
        context = Context(
            infer=infer_results,
            variables=dict(variables),
            config=self.config,
            memory_limit=self._memory_limit,
            trip_limit=int(self.config.get("TRIP_LIMIT", DEFAULT_TRIP_LIMIT)),
        )
        results = yield from self.layers(self.model, inputs, context, ())
        self._require_weights()
        return results, {**variables, **context.assigned}

    def _require_weights(self) -> None:
        if self.model.weights is not None:
            self.model.weights.require_unchanged()

    def layers(self, model: Model, inputs: Sequence[Array], context: Context, frames: tuple[Frame, ...]) -> Layers:
        """Yield the layers of the model or of a body; return the results."""
        operations = self._inferred(model, inputs)
        values: dict[Output, Array] = {
            node.outputs[0]: array for node, array in zip(model.parameters, inputs, strict=True)
        }
        for node in model.ordered():
            if node.is_a(Parameter):
                continue
            arrays = [None if port.source is None else values[port.source] for port in node.inputs]
            outputs, seconds = yield from self.computed(node, operations[node], arrays, context, frames)
            done = LayerRun(node, arrays, list(outputs), seconds, frames)
            yield from self.emit(done)
            values.update(zip(node.outputs, done.outputs, strict=True))
        return [values[node.outputs[0]] for node in model.results]

    def emit(self, done: LayerRun) -> Generator[LayerRun, None, None]:
        """Call the listener for a layer, yield it, and check the values that have replaced its outputs."""
        if self.listener is not None:
            self.listener(done)
        before = list(done.outputs)
        yield done
        _require_like(done.layer, before, done.outputs)

    def _inferred(self, model: Model, inputs: Sequence[Array]) -> dict[Node, Operation]:
        """Return the operations inferred for these inputs; inputs that do not fit are an error."""
        tensors = [known_tensor(node, array) for node, array in zip(model.parameters, inputs, strict=True)]
        key = (model, *((tensor.element_type.name, tensor.shape) for tensor in tensors))
        if key not in self._operations:
            parameters, inference = dict(zip(model.parameters, tensors, strict=True)), RunInference()
            try:
                inference.run(model, parameters)
            except ShapeError as fault:
                raise unfit(model, parameters, fault) from None
            require_model(model, inference.tensors, self._memory_limit)
            self._operations[key] = inference.operations
            while len(self._operations) > MAX_INFERRED:
                del self._operations[next(iter(self._operations))]
        return self._operations[key]

    def computed(
        self,
        node: Node,
        operation: Operation,
        inputs: Sequence[Array | None],
        context: Context,
        frames: tuple[Frame, ...],
    ) -> Computed:
        """Yield the layers of the bodies that an operation executes; return its outputs and its seconds."""
        if isinstance(operation, BodyOperation):
            return (yield from self._bodies(node, operation, inputs, context, frames))
        start = time.perf_counter()
        with locating(node):
            outputs = compute(operation, inputs, self._with_bodies(node, context, frames))
        return outputs, time.perf_counter() - start

    def _bodies(
        self,
        node: Node,
        operation: BodyOperation,
        inputs: Sequence[Array | None],
        context: Context,
        frames: tuple[Frame, ...],
    ) -> Computed:
        asked, seconds, iterations = operation.executions(inputs, context), 0.0, count()
        results: list[Array] | None = None
        while True:
            start = time.perf_counter()
            try:
                with locating(node), np.errstate(all="ignore"):
                    body, values = next(asked) if results is None else asked.send(results)
            except StopIteration as end:
                return as_inferred(operation, end.value), seconds + time.perf_counter() - start
            inside = (*frames, Frame(node.name, next(iterations)))
            seconds += time.perf_counter() - start
            results, took = yield from _timed(self.layers(body, values, context, inside), inside)
            seconds += took

    def _with_bodies(self, node: Node, context: Context, frames: tuple[Frame, ...]) -> Context:
        """Return the context for an operation that runs bodies itself, as an extension may."""
        if not node.operation.subgraphs:
            return context
        iterations = count()

        def run(body: Model, inputs: Sequence[Array]) -> list[Array]:
            return finish(self.layers(body, inputs, context, (*frames, Frame(node.name, next(iterations)))))

        return replace(context, run=run)


def _timed(layers: Layers, frames: tuple[Frame, ...]) -> Generator[LayerRun, None, tuple[list[Array], float]]:
    """Yield the layers of a body; return its results, and the seconds of its layers without inner bodies."""
    seconds = 0.0
    while True:
        try:
            done = next(layers)
        except StopIteration as end:
            return end.value, seconds
        if done.frames == frames:
            seconds += done.seconds
        yield done


def outermost(steps: Steps) -> Steps:
    """Yield the layers that are in no body; return the results and variables of the steps."""
    while True:
        try:
            done = next(steps)
        except StopIteration as end:
            returned: tuple[list[Array], dict[str, Array]] = end.value
            return returned
        if not done.frames:
            yield done


def _require_like(node: Node, before: Sequence[Array], after: list[Array]) -> None:
    """Raise unless the values that replace a layer's outputs have the types and shapes of the outputs."""
    if len(after) != len(before):
        raise InputError(f'"{node.name}" has {len(before)} outputs; {len(after)} are given')
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if new is old:
            continue
        array = np.asarray(new)
        if array.shape != old.shape or not np.can_cast(array.dtype, old.dtype, "same_kind"):
            raise InputError(
                f'output {index} of "{node.name}" is replaced by {array.dtype}{list(array.shape)}; '
                f"it has {old.dtype}{list(old.shape)}"
            )
        after[index] = array.astype(old.dtype)
