"""Random graphs around a layer of any operation, whose lengths are all open, some of them values of a run.

What is in front of the layer keeps the values of its inputs, so that any operation admits it, but hides their shapes.
What is behind it fits any shape. A product with weights makes a plan of open lengths worth its while.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ir_plugin.tensors import Array, ElementType
from tests.fuzz.graph import Graph, Value
from tests.fuzz.operation_cases import LARGEST, Case, change_attribute, resized, samples_by_definition
from tests.fuzz.operation_engines import by_us
from tests.support.ir import build
from tests.support.sample import In, Sample

LENGTHS = (0, 1, 1, 2, 3, 3, 4, 5, 6, 7, 9)
RUNS = 5
"""Combinations of shapes that a graph is run with."""
TRIES = 8
"""How often other lengths are drawn until the layer admits them."""
REFUSED = 0.1
"""How often lengths are taken that the layer may refuse."""
MOVED = frozenset(["f32", "f16", "bf16", "i32", "i64", "u8", "i8", "boolean"])
"""Types that layers in front of the one in question move."""


@dataclass(frozen=True)
class DynamicCase:
    """A graph as an IR, and the arrays of its parameters for each run."""

    xml: bytes
    weights: bytes
    runs: tuple[tuple[Array, ...], ...]


class DynamicGraph(Graph):
    """A graph whose parameters have open lengths, and other arrays in every run.

    The shapes of its values tell no more than ranks.
    """

    def __init__(self, chance: random.Random, outer: Graph | None = None) -> None:
        super().__init__(chance, outer)
        self.runs: list[list[Array]] = [[] for _ in range(RUNS)]

    def open_parameter(self, arrays: Sequence[Array], type: str) -> Value:
        """Add a parameter with an array for each run."""
        for run, array in zip(self.runs, arrays, strict=True):
            run.append(array)
        return self.body_parameter(type, arrays[0].ndim)

    def body_parameter(self, type: str, rank: int) -> Value:
        """Add a parameter without arrays, as bodies have."""
        value = Value(self.declare(f"x{len(self.values)}", ["?"] * rank, type), 0, type, (1,) * rank)
        self.values.append(value)
        return value

    def layer(
        self, type: str, version: int, inputs: Sequence[Value], rank: int, to: str = "", **attributes: Any
    ) -> Value:
        """Add a layer with one output, of the type of its first input unless `to` says another."""
        return self.add(type, version, inputs, [(to or inputs[0].type, (1,) * rank)], **attributes)[0]

    def shape_of(self, data: Value) -> Value:
        """Return the shape of a value."""
        return self.layer("ShapeOf", 3, [data], 1, "i64", output_type="i64")

    def length(self, data: Value, axis: int) -> Value:
        """Return one length of a value, as a vector of one number."""
        inputs = [self.shape_of(data), self.constant([axis]), self.constant(0)]
        return self.layer("Gather", 8, inputs, 1, batch_dims=0)

    def axis(self, data: Value) -> int:
        """Return a random axis of a value."""
        return self.number(0, data.rank - 1)


Move = Callable[[DynamicGraph, Value], Value]


def _transpose(graph: DynamicGraph, data: Value) -> Value:
    order = graph.constant(graph.chance.sample(range(data.rank), data.rank))
    return graph.layer("Transpose", 1, [data, order], data.rank)


def _flatten(graph: DynamicGraph, data: Value) -> Value:
    return graph.layer("Reshape", 1, [data, graph.constant([-1])], 1, special_zero=False)


def _transpose_twice(graph: DynamicGraph, data: Value) -> Value:
    order = graph.chance.sample(range(data.rank), data.rank)
    turned = graph.layer("Transpose", 1, [data, graph.constant(order)], data.rank)
    return graph.layer("Transpose", 1, [turned, graph.constant(np.argsort(order))], data.rank)


def _reshape_twice(graph: DynamicGraph, data: Value) -> Value:
    return graph.layer("Reshape", 1, [_flatten(graph, data), graph.shape_of(data)], data.rank, special_zero=False)


def _unsqueeze_and_squeeze(graph: DynamicGraph, data: Value) -> Value:
    axis = graph.constant([graph.number(0, data.rank)])
    return graph.layer("Squeeze", 1, [graph.layer("Unsqueeze", 1, [data, axis], data.rank + 1), axis], data.rank)


def _split_and_join(graph: DynamicGraph, data: Value) -> Value:
    axis = graph.axis(data)
    inputs = [data, graph.constant(axis), graph.constant([1, -1])]
    parts = graph.add("VariadicSplit", 1, inputs, [(data.type, (1,) * data.rank)] * 2)
    return graph.layer("Concat", 1, parts, data.rank, axis=axis)


def _broadcast(graph: DynamicGraph, data: Value) -> Value:
    return graph.layer("Broadcast", 3, [data, graph.shape_of(data)], data.rank, mode="bidirectional")


def _gather_all(graph: DynamicGraph, data: Value) -> Value:
    axis = graph.axis(data)
    end = graph.layer("Squeeze", 1, [graph.length(data, axis), graph.constant([0])], 0)
    rows = graph.layer("Range", 4, [graph.constant(0), end, graph.constant(1)], 1, output_type="i64")
    return graph.layer("Gather", 8, [data, rows, graph.constant(axis)], data.rank, batch_dims=0)


FRONT: tuple[Move, ...] = (
    _transpose_twice, _reshape_twice, _unsqueeze_and_squeeze, _split_and_join, _broadcast, _gather_all,
)  # fmt: skip
"""What keeps a value but hides its shape."""


def _cut(graph: DynamicGraph, arrays: Sequence[Array], type: str) -> Value:
    """Return a parameter cut to its arrays at a length that is another parameter."""
    axis, margin = graph.number(0, arrays[0].ndim - 1), graph.number(1, 3)
    longer = [resized(array, axis, array.shape[axis] + margin) for array in arrays]
    ends = [np.array([array.shape[axis]], np.int64) for array in arrays]
    data, end = graph.open_parameter(longer, type), graph.open_parameter(ends, "i64")
    inputs = [data, graph.constant([0]), end, graph.constant([1]), graph.constant([axis])]
    return graph.layer("Slice", 8, inputs, data.rank)


def _activate(graph: DynamicGraph, data: Value) -> Value:
    return graph.layer(graph.chance.choice(["ReLU", "Sigmoid", "Tanh", "Abs", "Negative"]), 1, [data], data.rank)


def _add_scalar(graph: DynamicGraph, data: Value) -> Value:
    type = graph.chance.choice(["Add", "Multiply", "Maximum", "Subtract"])
    return graph.layer(type, 1, [data, graph.constant(0.75, data.type)], data.rank)


def _softmax(graph: DynamicGraph, data: Value) -> Value:
    return graph.layer("SoftMax", 8, [data], data.rank, axis=graph.axis(data))


def _reduce(graph: DynamicGraph, data: Value) -> Value:
    type = graph.chance.choice(["ReduceMean", "ReduceSum", "ReduceMax"])
    least = graph.layer(type, 1, [data, graph.constant([graph.axis(data)])], data.rank, keep_dims=True)
    return graph.layer("Add", 1, [data, least], data.rank)


def _twice(graph: DynamicGraph, data: Value) -> Value:
    return graph.layer("Concat", 1, [data, _activate(graph, data)], data.rank, axis=graph.axis(data))


def _square(graph: DynamicGraph, data: Value) -> Value:
    rows = graph.layer("Reshape", 1, [data, graph.constant([0, -1])], 2, special_zero=True)
    return graph.layer("MatMul", 1, [rows, rows], 2, transpose_a=False, transpose_b=True)


def _scale_by_length(graph: DynamicGraph, data: Value) -> Value:
    length = graph.layer("Convert", 1, [graph.length(data, graph.axis(data))], 1, data.type, destination_type=data.type)
    return graph.layer("Multiply", 1, [data, length], data.rank)


def _select(graph: DynamicGraph, data: Value) -> Value:
    zero = graph.constant(0, data.type)
    mask = graph.layer("Greater", 1, [data, zero], data.rank, "boolean")
    return graph.layer("Select", 1, [mask, data, zero], data.rank, data.type)


BEHIND: tuple[Move, ...] = (
    _activate, _activate, _add_scalar, _softmax, _reduce, _twice, _square, _scale_by_length, _select, _transpose,
    _flatten, _broadcast, _gather_all, _split_and_join,
)  # fmt: skip
"""What fits any shape of rank 1 or more of real numbers."""
KEEPING: tuple[Move, ...] = (_activate, _add_scalar, _softmax, _reduce, _scale_by_length, _select, _broadcast)
"""Those that keep the shape."""


def dynamic_case(chance: random.Random, add: Callable[[DynamicGraph], list[Value]]) -> DynamicCase:
    """Return a random graph around what `add` adds."""
    graph = DynamicGraph(chance)
    rows = [np.full((chance.choice((1, 2, 5)), 4), 0.5, np.float32) for _ in range(RUNS)]
    graph.layer("MatMul", 1, [graph.open_parameter(rows, "f32"), graph.constant(graph.array("f32", (4, 3)), "f32")], 2)
    for output in add(graph):
        value = output
        for _ in range(graph.number(0, 3)):
            if value.rank and value.type == "f32":
                value = graph.chance.choice(BEHIND)(graph, value)
        if value is not output and graph.flag():
            graph.result(output)
    ir = graph.finish()
    return DynamicCase(ir.xml, ir.weights, tuple(map(tuple, graph.runs)))


def sample_of(definition: str, chance: random.Random) -> Sample:
    """Return a sample of a definition, some of them with another attribute, or with parameters in place of weights."""
    sample = chance.choice(samples_by_definition()[definition])
    if chance.random() < 0.3:
        inputs = [item and replace(item, constant=item.constant and item.value.ndim < 2) for item in sample.inputs]
        sample = replace(sample, inputs=inputs)
    changed = change_attribute(sample, chance) if chance.random() < 0.3 else sample
    return changed if _outputs(changed) else sample


def around(graph: DynamicGraph, sample: Sample) -> list[Value]:
    """Add the layer of a sample, with parameters of open lengths and what hides their shapes; return its outputs."""
    runs = list(_runs(sample, graph.chance))
    inputs: list[Value | None] = []
    for position, item in enumerate(sample.inputs):
        if item is None:
            inputs.append(None)
        elif item.constant:
            inputs.append(graph.constant(item.value, item.type.name))
        else:
            arrays = [entry.value for entry in (run[position] for run in runs) if entry]
            inputs.append(_input(graph, arrays, item.type.name))
    attributes: dict[str, Any] = {f"{key}_": value for key, value in sample.attributes.items()}
    return graph.add(sample.type, sample.version, inputs, _outputs(sample), **attributes)


def _outputs(sample: Sample) -> list[tuple[str, tuple[int, ...]]]:
    """Return the types and ranks of the outputs of a layer; an empty list where the evaluation refuses it."""
    ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs)
    outcome = by_us(Case(sample, {}, "static"), ir, "plain")
    types = [ElementType.from_dtype(array.dtype).name for array in outcome.arrays]
    return [(type, (1,) * array.ndim) for type, array in zip(types, outcome.arrays, strict=True)]


def _input(graph: DynamicGraph, arrays: Sequence[Array], type: str) -> Value:
    if type not in MOVED or not arrays[0].ndim:
        return graph.open_parameter(arrays, type)
    value = _cut(graph, arrays, type) if graph.number(0, 3) == 0 else graph.open_parameter(arrays, type)
    for _ in range(graph.chance.choice((0, 0, 1, 1, 2))):
        value = graph.chance.choice(FRONT)(graph, value)
    return value


def _runs(sample: Sample, chance: random.Random) -> Iterator[list[In | None]]:
    """Yield inputs of several lengths: those that are equal among the parameters remain equal.

    The layer admits most of them; a plan must refuse the others as the evaluation does.
    """
    yield list(sample.inputs)
    for _ in range(RUNS - 1):
        inputs = sample.inputs
        for _ in range(TRIES):
            inputs = list(_with_other_lengths(sample.inputs, chance))
            if chance.random() < REFUSED or _outputs(replace(sample, inputs=inputs)):
                break
        yield list(inputs)


def _with_other_lengths(inputs: Sequence[In | None], chance: random.Random) -> Sequence[In | None]:
    free = [item for item in inputs if item and not item.constant]
    lengths = sorted({length for item in free for length in item.value.shape})
    for length in chance.sample(lengths, min(len(lengths), chance.choice((1, 1, 2)))):
        other = chance.choice(LENGTHS)
        longer = [item and (item if item.constant else _of_length(item, length, other)) for item in inputs]
        if sum(item.value.size for item in longer if item) <= LARGEST:
            inputs = longer
    return inputs


def _of_length(item: In, length: int, other: int) -> In:
    array = item.value
    for axis, before in enumerate(item.value.shape):
        if before == length:
            array = resized(array, axis, other)
    return replace(item, value=array)
