"""Repeated execution of a body, the base of Loop and TensorIterator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.errors import EvaluationError, LimitError, ShapeError
from ir_plugin.model import Model, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.operations.bodies import BodyOperation, Executions
from ir_plugin.operations.context import Context, InferenceContext, Repeated, Repetition
from ir_plugin.operations.indices import zeros
from ir_plugin.operations.infrastructure import slices
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape, TensorInfo

MAX_WIDENINGS = 16
"""Rounds of inference after which the shape of a state that still changes is taken to be dynamic."""

InferBody: TypeAlias = Callable[[Model, Sequence[TensorInfo]], list[TensorInfo]]

InferPart: TypeAlias = Callable[[PartialShape, SubGraphOutput], PartialShape]
"""Returns the shape that one iteration adds to a concatenated output, from the shape of the body's result."""


class Trips(NamedTuple):
    """The number of iterations, as far as inference knows it."""

    number: int | None
    """The number, where it is known."""
    is_certain: bool
    """Whether there is at least one iteration."""


class TripLimits(NamedTuple):
    """What ends the iterations of an evaluation."""

    most: int | None
    """The most iterations; None for any number."""
    begins: bool = True
    """Whether there is an iteration at all."""
    condition: int | None = None
    """The result of the body that ends the loop where it is false."""

    def go_on(self, done: int, results: Sequence[Array]) -> bool:
        """Return whether another iteration follows, given the number of those done and the results of the last."""
        if done == self.most:
            return False
        return self.begins if self.condition is None or not results else bool(results[self.condition].reshape(()))


class Iteration(BodyOperation):
    """A body that is executed repeatedly.

    A parameter of the body reads an input of the layer: a slice of it where the port map names an axis, otherwise the
    whole. With a back edge it reads the whole in the first iteration, and then the result of the iteration before. An
    output is the last value of a result, or, where its entry names an axis, all values joined along it, in reverse for
    a negative stride. Without any iteration a joined output is empty, and the value of a result with a back edge is
    the initial value of the parameter at its end.

    A dimension that differs between an input and the result of its back edge is dynamic.
    """

    @property
    def subgraph(self) -> SubGraph:
        """The body with its port map."""
        if "body" not in self.subgraphs:
            raise ShapeError("", "the layer has no body")
        return self.subgraphs["body"]

    @property
    def is_sliced(self) -> bool:
        """Whether an iteration reads a slice of an input."""
        return any(entry.axis is not None for entry in self.subgraph.inputs)

    def entry_of(self, position: int) -> SubGraphInput | None:
        """Return the port map's entry for a parameter, or None."""
        return next((entry for entry in self.subgraph.inputs if entry.parameter == position), None)

    def infer_outputs(
        self,
        inputs: Sequence[TensorInfo | None],
        inference: InferenceContext,
        trips: Callable[[list[TensorInfo]], Trips],
    ) -> tuple[TensorInfo, ...]:
        """Return the outputs' types and shapes; `trips` computes the number of iterations from the body's results."""
        first = self._all_first(inputs)
        results = settle(self.subgraph, first, inference.infer_body, inference.settled)
        trip_count = trips(results)
        joins = _as_computed if inference.is_run else self.part
        outputs = {entry.external: entry for entry in self.subgraph.outputs if entry.external is not None}
        tensors = {port: self._output(entry, results, first, trip_count, joins) for port, entry in outputs.items()}
        unknown = TensorInfo(ElementType.dynamic, None)
        return tuple(tensors.get(position, unknown) for position in range(1 + max(outputs, default=-1)))

    def _all_first(self, inputs: Sequence[TensorInfo | None]) -> list[TensorInfo]:
        """Return the types and shapes of all parameters in the first iteration."""
        return [self._first(position, inputs) for position in range(len(self.subgraph.body.parameters))]

    def _first(self, position: int, inputs: Sequence[TensorInfo | None]) -> TensorInfo:
        """Return the type and shape of a parameter in the first iteration."""
        parameter = self.subgraph.body.parameters[position]
        declared: TensorInfo = parameter.operation.infer()
        entry = self.entry_of(position)
        if entry is None or entry.external is None:
            return declared
        operand = inputs[entry.external] if entry.external < len(inputs) else None
        if operand is None:
            raise ShapeError("", f'the input for the parameter "{parameter.name}" of the body is not connected')
        shape = operand.shape if entry.axis is None else slices.shape_of(operand.shape, entry)
        return TensorInfo(operand.element_type if operand.element_type.is_static else declared.element_type, shape)

    def _output(
        self, entry: SubGraphOutput, results: list[TensorInfo], first: list[TensorInfo], trips: Trips, part: InferPart
    ) -> TensorInfo:
        result = results[entry.result]
        if entry.axis is not None:
            return result.with_shape(slices.joined_shape(part(result.shape, entry), entry, trips.number))
        target = dict(self.subgraph.back_edges).get(entry.result)
        if target is None or trips.is_certain:
            return result.with_shape(result.shape)
        return result.with_shape(first[target].shape if trips.number == 0 else result.shape.union(first[target].shape))

    def part(self, shape: PartialShape, entry: SubGraphOutput) -> PartialShape:
        """Return the shape that one iteration adds to a concatenated output, from the shape of the body's result."""
        return _as_computed(shape, entry)

    def require_parts(
        self, entry: SubGraphOutput, shapes: set[tuple[int, ...]], inputs: Sequence[Array | None], context: Context
    ) -> None:
        """Raise if a part of a joined output has another length than inference promises for it."""
        others = [shape for shape in shapes if not self.part(_open(shape), entry).compatible(shape)]
        if not others:
            return
        inferred = self.part(self._infer_results(inputs, context)[entry.result].shape, entry)
        for lengths in others:
            if not inferred.compatible(lengths):
                name = self.subgraph.body.results[entry.result].name
                shown = f'the result "{name}" of the body has the shape {PartialShape(lengths)}'
                raise EvaluationError(f"{shown}; the port map says part_size {entry.part_size}")

    def slice_counts(self, inputs: Sequence[TensorInfo | None]) -> list[int]:
        """Return the number of slices of each sliced input, where it is known."""
        counts = []
        for entry in self.subgraph.inputs:
            operand = None if entry.axis is None or entry.external is None else inputs[entry.external]
            length = Dimension() if operand is None else slices.length_of(operand.shape, entry)
            if length.is_static:
                counts.append(slices.count(int(length), entry))
        return counts

    def _infer_results(self, inputs: Sequence[Array | None], context: Context) -> list[TensorInfo]:
        """Return the types and shapes of the body's results, inferred for the shapes of these inputs."""
        types = self.input_types or (None,) * len(inputs)
        tensors = [
            None if array is None else TensorInfo(element_type or ElementType.from_dtype(array.dtype), array.shape)
            for array, element_type in zip(inputs, types, strict=True)
        ]
        return settle(self.subgraph, self._all_first(tensors), context.infer, {})

    def empty(self, entry: SubGraphOutput, inputs: Sequence[Array | None], context: Context) -> Array:
        """Return a joined output without iterations; its unknown dimensions are 0."""
        result = self._infer_results(inputs, context)[entry.result]
        if result.shape.ndim is None:
            raise EvaluationError("there is no iteration, and without one the rank of an output is not known")
        lengths = [int(dim) if dim.is_static else 0 for dim in slices.joined_shape(result.shape, entry, 0)]
        return zeros(tuple(lengths), result.element_type.dtype)

    def iterate(self, inputs: Sequence[Array | None], context: Context, limits: TripLimits) -> Executions:
        """Request an execution of the body for each iteration, unless several run at once, and return the outputs."""
        run, may_repeat = _Run(self, inputs, context), True
        while limits.go_on(run.done, run.results):
            values = run.values()
            repeated = context.repeat(run.repetition(values, limits)) if may_repeat else None
            may_repeat = repeated is not None or run.done == 0
            if repeated is None:
                run.take((yield self.subgraph.body, values))
            else:
                run.take_repeated(repeated)
        outputs = {entry.external: entry for entry in self.subgraph.outputs if entry.external is not None}
        return tuple(run.output(outputs[port]) for port in sorted(outputs))


class _Run:
    """The iterations of one evaluation."""

    def __init__(self, operation: Iteration, inputs: Sequence[Array | None], context: Context) -> None:
        self.operation = operation
        self.inputs = inputs
        self.context = context
        self.subgraph = operation.subgraph
        self.parameters = self.subgraph.body.parameters
        self.done = 0
        self.nbytes = 0
        self.results: list[Array] = []
        self.counters: dict[int, Array] = {}
        """Arrays of the shapes and types of parameters that are the number of the iteration."""
        self.entries = [operation.entry_of(position) for position in range(len(self.parameters))]
        self.counts = {entry.parameter: self._slices(entry) for entry in self.subgraph.inputs if entry.axis is not None}
        self.states = {target: self._value(target) for _, target in self.subgraph.back_edges}
        self.collected: dict[int, list[Array]] = {
            entry.result: [] for entry in self.subgraph.outputs if entry.axis is not None
        }
        self.part_shapes: dict[int, set[tuple[int, ...]]] = {result: set() for result in self.collected}

    def _slices(self, entry: SubGraphInput) -> int:
        return slices.count_of(self._input(entry), entry)

    def _input(self, entry: SubGraphInput) -> Array:
        array = None if entry.external is None else self.inputs[entry.external]
        if array is None:
            name = self.parameters[entry.parameter].name
            raise EvaluationError(f'the parameter "{name}" of the body has no value')
        return array

    def _value(self, position: int) -> Array:
        """Return the value of a parameter without a back edge in this iteration."""
        entry = self.entries[position]
        parameter = self.parameters[position]
        if entry is None or (entry.external is None and entry.purpose != "current_iteration"):
            raise EvaluationError(f'the parameter "{parameter.name}" of the body has no value')
        if entry.purpose == "current_iteration":
            if position not in self.counters:
                declared: TensorInfo = parameter.operation.infer()
                element_type = declared.element_type if declared.element_type.is_static else ElementType.i64
                self.counters[position] = np.zeros((1,) * (declared.shape.ndim or 0), element_type.dtype)
            counter: Array = self.counters[position].copy()
            counter.fill(self.done)
            return counter
        if entry.axis is None:
            return self._input(entry)
        if self.done >= self.counts[position]:
            available = self.counts[position]
            raise EvaluationError(f'iteration {self.done} has no slice for "{parameter.name}"; there are {available}')
        return slices.slice_of(self._input(entry), entry, self.done)

    def values(self) -> list[Array]:
        """Return the values of the parameters in this iteration."""
        limit = self.context.trip_limit
        if self.done >= limit:
            raise LimitError(f"the loop does not end within {limit} iterations, which is the limit")
        positions = range(len(self.entries))
        return [self.states[position] if position in self.states else self._value(position) for position in positions]

    def repetition(self, values: list[Array], limits: TripLimits) -> Repetition:
        """Return the request that runs the next iterations at once."""
        most = [self.context.trip_limit - self.done]
        most += [count - self.done for count in self.counts.values()]
        most += [] if limits.most is None else [limits.most - self.done]
        return Repetition(self.subgraph, self.inputs, values, self.done, min(most), limits.condition)

    def take(self, results: list[Array]) -> None:
        """Record the results of this iteration."""
        self._record(1, results, {result: results[result] for result in self.collected})

    def take_repeated(self, repeated: Repeated) -> None:
        """Record the results of several iterations."""
        self._record(*repeated)

    def _record(self, count: int, results: list[Array], joined: dict[int, Array]) -> None:
        self.results = results
        self.states.update({target: results[result] for result, target in self.subgraph.back_edges})
        self.done += count
        for result, array in joined.items():
            self.collected[result].append(array)
            self.part_shapes[result].add(results[result].shape)
            self.nbytes += array.nbytes
        if self.nbytes > self.context.memory_limit:
            limit = self.context.memory_limit
            message = f"the outputs take {self.nbytes} bytes after {self.done} iterations; the memory limit is {limit}"
            raise LimitError(message)

    def output(self, entry: SubGraphOutput) -> Array:
        """Return an output of the layer."""
        if entry.axis is not None:
            arrays = self.collected[entry.result]
            self.operation.require_parts(entry, self.part_shapes[entry.result], self.inputs, self.context)
            return slices.joined(arrays, entry) if arrays else self.operation.empty(entry, self.inputs, self.context)
        if self.results:
            return self.results[entry.result]
        target = dict(self.subgraph.back_edges).get(entry.result)
        if target is None:
            name = self.subgraph.body.results[entry.result].name
            raise EvaluationError(f'there is no iteration, so that the result "{name}" of the body has no value')
        return self.states[target]


def _as_computed(shape: PartialShape, _entry: SubGraphOutput) -> PartialShape:
    """Return the shape of the body's result."""
    return shape


def _open(shape: tuple[int, ...]) -> PartialShape:
    """Return a shape of the same rank whose lengths are unknown."""
    return PartialShape([Dimension()] * len(shape))


def settle(
    subgraph: SubGraph, first: list[TensorInfo], infer_body: InferBody, settled: dict[int, TensorInfo]
) -> list[TensorInfo]:
    """Return types and shapes of the results that hold in every iteration, given the parameters of the first.

    Widening starts from the states in `settled`, which receives the final states.
    """
    parameters = list(first)
    for target, state in settled.items():
        parameters[target] = _widened(parameters[target], state, subgraph.body.parameters[target].name)
    for _ in range(MAX_WIDENINGS):
        results = infer_body(subgraph.body, parameters)
        before = list(parameters)
        for result, target in subgraph.back_edges:
            parameters[target] = _widened(parameters[target], results[result], subgraph.body.parameters[target].name)
        if all(old.shape == new.shape for old, new in zip(before, parameters, strict=True)):
            settled.update({target: parameters[target] for _, target in subgraph.back_edges})
            return results
    for _, target in subgraph.back_edges:
        parameters[target] = settled[target] = parameters[target].with_shape(None)
    return infer_body(subgraph.body, parameters)


def _widened(parameter: TensorInfo, result: TensorInfo, name: str) -> TensorInfo:
    """Return a parameter's type and shape, widened to cover the result of its back edge."""
    merged = parameter.element_type.merge(result.element_type)
    if merged is None:
        first = parameter.element_type.name
        types = f"{result.element_type.name} to the parameter {name!r} of the body, which begins with {first}"
        raise ShapeError("", f"a back edge brings {types}")
    old, new = parameter.shape, result.shape
    if old.dims is None or new.dims is None or len(old) != len(new):
        return TensorInfo(merged, None)
    dims = [old_dim if old_dim == new_dim else Dimension() for old_dim, new_dim in zip(old, new, strict=True)]
    return TensorInfo(merged, dims)
