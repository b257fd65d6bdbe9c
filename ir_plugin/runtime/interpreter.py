"""The interpreter: a model layer by layer with plain `evaluate`s, where every value can be seen and replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ir_plugin.errors import Error, EvaluationError, InputError
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.base import compute
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT, DEFAULT_TRIP_LIMIT, Context
from ir_plugin.runtime.engine import code_of, located
from ir_plugin.tensors import Array, ElementType, Tensor
from ir_plugin.validation.inference import COMPUTATION_ERRORS, Inference

Returned = TypeVar("Returned")


class Frame(NamedTuple):
    """A layer whose body is being run, and in which iteration."""

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
    """The layers in whose bodies it was run, outermost first."""

    @property
    def name(self) -> str:
        """The layer's name behind those of the layers it is inside: `loop[2]/add`."""
        inside = [f"{frame.layer}[{frame.iteration}]" for frame in self.frames]
        return "/".join([*inside, self.layer.name])

    def __iter__(self) -> Iterator[Any]:
        return iter((self.layer, self.inputs, self.outputs))


Listener: TypeAlias = Callable[[LayerRun], None]
Layers: TypeAlias = Generator[LayerRun, None, list[Array]]
Steps: TypeAlias = Generator[LayerRun, None, tuple[list[Array], dict[str, Array]]]


@dataclass
class Interpreter:
    """Runs a model without a plan; `listener` is told of every layer, those of bodies included."""

    model: Model
    config: Mapping[str, Any] = field(default_factory=dict)
    listener: Listener | None = None
    _inferred: set[tuple[Any, ...]] = field(default_factory=set, init=False)
    _frames: list[Frame] = field(default_factory=list, init=False)

    def run(self, inputs: Sequence[Array], variables: Mapping[str, Array]) -> tuple[list[Array], dict[str, Array]]:
        """Return the results, and the variables as they are after the run."""
        return _finish(self.steps(inputs, variables))

    def steps(self, inputs: Sequence[Array], variables: Mapping[str, Array]) -> Steps:
        """Yield each layer after it was computed; the generator returns the results and the variables."""
        if self.model.weights is not None:
            self.model.weights.require_whole()
        context = self._context(variables)
        results = yield from self._layers(self.model, inputs, context)
        return results, {**variables, **context.assigned}

    def _context(self, variables: Mapping[str, Array]) -> Context:
        context = Context(
            run=lambda body, arrays: self._run_body(body, arrays, context),
            variables=dict(variables),
            config=self.config,
            memory_limit=int(self.config.get("MEMORY_LIMIT", DEFAULT_MEMORY_LIMIT)),
            trip_limit=int(self.config.get("TRIP_LIMIT", DEFAULT_TRIP_LIMIT)),
        )
        return context

    def _run_body(self, body: Model, inputs: Sequence[Array], context: Context) -> list[Array]:
        layer, iteration = self._frames[-1]
        self._frames[-1] = Frame(layer, iteration + 1)
        return _finish(self._layers(body, inputs, context))

    def _layers(self, model: Model, inputs: Sequence[Array], context: Context) -> Layers:
        self._infer(model, inputs)
        values: dict[Output, Array] = {
            node.outputs[0]: array for node, array in zip(model.parameters, inputs, strict=True)
        }
        for node in model.ordered():
            if node.operation.type == "Parameter":
                continue
            given = [None if port.source is None else values[port.source] for port in node.inputs]
            done = self._execute(node, given, context)
            if self.listener is not None:
                self.listener(done)
            before = list(done.outputs)
            yield done
            _require_like(node, before, done.outputs)
            values.update(zip(node.outputs, done.outputs, strict=True))
        return [values[node.outputs[0]] for node in model.results]

    def _infer(self, model: Model, inputs: Sequence[Array]) -> None:
        """Infer the model for these inputs, so that what does not fit is found before it is computed."""
        tensors = [_known(node, array) for node, array in zip(model.parameters, inputs, strict=True)]
        key = (id(model), *((tensor.element_type.name, tensor.shape) for tensor in tensors))
        if key not in self._inferred:
            Inference().run(model, dict(zip(model.parameters, tensors, strict=True)))
            self._inferred.add(key)

    def _execute(self, node: Node, inputs: list[Array | None], context: Context) -> LayerRun:
        frames = tuple(self._frames)
        self._frames.append(Frame(node.name, -1))
        start = time.perf_counter()
        try:
            with np.errstate(all="ignore"):
                outputs = compute(node.operation, inputs, context)
        except EvaluationError as fault:
            raise fault if fault.findings else located(node, str(fault), code_of(fault)) from None
        except COMPUTATION_ERRORS as fault:
            if isinstance(fault, Error) and fault.findings:
                raise
            raise located(node, str(fault) or type(fault).__name__) from fault
        finally:
            self._frames.pop()
        return LayerRun(node, inputs, list(outputs), time.perf_counter() - start, frames)


def _finish(runs: Generator[LayerRun, None, Returned]) -> Returned:
    """Run to the end, and return what the generator returns."""
    try:
        while True:
            next(runs)
    except StopIteration as end:
        returned: Returned = end.value
        return returned


def _known(node: Node, array: Array) -> Tensor:
    declared: ElementType = node.outputs[0].element_type
    return Tensor(declared if declared.is_static else ElementType.from_dtype(array.dtype), array.shape)


def _require_like(node: Node, before: Sequence[Array], after: list[Array]) -> None:
    """Raise unless the values that replace a layer's outputs have their types and shapes."""
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
