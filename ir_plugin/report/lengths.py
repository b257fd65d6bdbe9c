"""Search for lengths of unknown input dimensions that a whole graph accepts, by shape inference."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations, combinations_with_replacement
from typing import TypeAlias

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import all_nodes
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.tensors import UNBOUNDED, Dimension, PartialShape, TensorInfo
from ir_plugin.validation.inference import Inference

Lengths: TypeAlias = tuple[int, ...]
PartialLengths: TypeAlias = "tuple[int | None, ...]"
"""Lengths of which those that are None are not chosen yet."""

_USUAL = (
    *range(1, 17), 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 227, 240, 256, 299, 320, 384, 416,
    448, 480, 512, 518, 576, 600, 608, 640, 768, 800, 1000, 1024, 1500, 1600, 2000, 3000, 4096, 8000, 16000,
)  # fmt: skip
_MAX_SECONDS = 10.0
_STEPWISE_SHARE = 0.5
"""The share of the remaining time for choosing one length after the other."""
_MAX_HINTS = 64
_MAX_LENGTH = 2**16
_MAX_NUMBERS = 16
_NUMBERS = re.compile(r"\d{1,5}")


def accepted_shapes(
    model: Model, shapes: Sequence[PartialShape], fixed: Mapping[int, PartialShape]
) -> list[PartialShape]:
    """Return static shapes of the parameters; those in `fixed` are prescribed.

    Unknown dimensions are as long as fixed inputs at the same axis, or as short as the graph and its bodies
    accept: first the shortest, then a common length, then one length chosen after the other, so that shape inference
    finds no contradiction while the others are unknown, then single dimensions or pairs of them. If no lengths are
    accepted, the shortest are returned.
    """
    unknown = [
        (position, axis, dim)
        for position, shape in enumerate(shapes)
        if position not in fixed and shape.dims is not None
        for axis, dim in enumerate(shape.dims)
        if not dim.is_static
    ]
    declared = [fixed.get(position, shape) for position, shape in enumerate(shapes)]
    search = _Search(model, declared, [(position, axis) for position, axis, _ in unknown])
    like_fixed = tuple(_within(_fixed_length(shapes, fixed, position, axis), dim) for position, axis, dim in unknown)
    if unknown and like_fixed and search.accepts(like_fixed):
        return search.shapes_for(like_fixed)
    return search.shapes_for(_chosen(search, [dim for *_, dim in unknown]) if unknown else ())


def _fixed_length(shapes: Sequence[PartialShape], fixed: Mapping[int, PartialShape], position: int, axis: int) -> int:
    """Return the length of a fixed input at an axis, of the same rank unless it is the first axis; 1 for none."""
    rank = len(shapes[position].dims or ())
    for candidate, shape in fixed.items():
        dims, lengths = shapes[candidate].dims or (), shape.dims or ()
        if axis < min(len(dims), len(lengths)) and not dims[axis].is_static and (axis == 0 or len(dims) == rank):
            return lengths[axis].lower
    return 1


def inferred(model: Model, shapes: Sequence[PartialShape]) -> dict[Output, TensorInfo]:
    """Return the inferred tensors of the outputs for shapes of the parameters, as far as the graph accepts them."""
    inference = Inference()
    with suppress(Error), np.errstate(all="ignore"):
        inference.run(model, _parameters(model, shapes))
    return inference.tensors


def _parameters(model: Model, shapes: Sequence[PartialShape]) -> dict[Node, TensorInfo]:
    pairs = zip(model.parameters, shapes, strict=True)
    return {node: TensorInfo(node.outputs[0].element_type, shape) for node, shape in pairs}


class _Search:
    """Shape inference for lengths of the open dimensions, with cached scores."""

    def __init__(self, model: Model, shapes: Sequence[PartialShape], open: Sequence[tuple[int, int]]) -> None:
        self.model = model
        self._shapes = shapes
        self._open = open
        self._scores: dict[Lengths, float] = {}
        self._contradictions: dict[PartialLengths, str] = {}
        self._until = time.monotonic() + _MAX_SECONDS

    def shapes_for(self, lengths: PartialLengths) -> list[PartialShape]:
        """Return the shapes with these lengths for the open dimensions."""
        dims = [None if shape.dims is None else list(shape.dims) for shape in self._shapes]
        for (position, axis), length in zip(self._open, lengths, strict=True):
            shape_dims = dims[position]
            if shape_dims is not None and length is not None:
                shape_dims[axis] = Dimension(length)
        return [PartialShape(shape_dims) for shape_dims in dims]

    def score(self, lengths: Lengths) -> float:
        """Return the number of outputs that can be inferred, or infinity for the whole graph."""
        if lengths not in self._scores:
            self._scores[lengths] = self._inferred(lengths)
        return self._scores[lengths]

    def accepts(self, lengths: Lengths) -> bool:
        """Return whether the whole graph can be inferred."""
        return self.score(lengths) == float("inf")

    def contradiction(self, lengths: PartialLengths) -> str:
        """Return the error of shape inference while some lengths are unknown; empty where there is none."""
        if lengths not in self._contradictions:
            self._contradictions[lengths] = self._run(Inference(), lengths)
        return self._contradictions[lengths]

    @property
    def is_late(self) -> bool:
        """Whether the search has used up its time."""
        return time.monotonic() > self._until

    @property
    def deadline_of_steps(self) -> float:
        """The time until which lengths are chosen one after the other."""
        now = time.monotonic()
        return now + _STEPWISE_SHARE * (self._until - now)

    def _inferred(self, lengths: Lengths) -> float:
        inference = Inference()
        return len(inference.tensors) if self._run(inference, lengths) else float("inf")

    def _run(self, inference: Inference, lengths: PartialLengths) -> str:
        """Run shape inference, and return the text of its error."""
        try:
            with np.errstate(all="ignore"):
                inference.run(self.model, _parameters(self.model, self.shapes_for(lengths)))
        except Error as fault:
            return str(fault) or "refused"
        return ""


def _chosen(search: _Search, limits: Sequence[Dimension]) -> Lengths:
    shortest = tuple(_within(1, dim) for dim in limits)
    if search.accepts(shortest):
        return shortest
    candidates = sorted({*_USUAL, *_hints(search.model)})
    best = shortest
    uniform = [tuple(_within(length, dim) for dim in limits) for length in candidates]
    steps = _stepwise(search, limits, candidates)
    for lengths in chain(uniform, steps, _candidates(search, [shortest, *uniform], candidates, limits)):
        if search.accepts(lengths):
            return _shortened(search, lengths, limits, candidates)
        best = max(best, lengths, key=search.score)
        if search.is_late:
            break
    return shortest


def _stepwise(search: _Search, limits: Sequence[Dimension], candidates: Sequence[int]) -> Iterator[Lengths]:
    """Yield lengths of which each is chosen so that it contradicts none of those before it.

    A dimension for which there is no such length is the first to be chosen in the next attempt.
    """
    deadline = search.deadline_of_steps
    order = list(range(len(limits)))
    attempts = set()
    while tuple(order) not in attempts and time.monotonic() < deadline:
        attempts.add(tuple(order))
        chosen: list[int | None] = [None] * len(limits)
        for position in order:
            chosen[position] = _without_contradiction(search, chosen, position, limits[position], candidates)
            if chosen[position] is None:
                order.remove(position)
                order.insert(0, position)
                break
        else:
            yield tuple(length for length in chosen if length is not None)


def _without_contradiction(
    search: _Search, chosen: Sequence[int | None], position: int, limits: Dimension, candidates: Sequence[int]
) -> int | None:
    """Return the shortest length of a dimension that contradicts no chosen one, or None.

    Numbers in the error that the shortest length causes are tried first, and products of two of them: they are often
    what a layer needs.
    """

    def fault(length: int) -> str:
        return search.contradiction((*chosen[:position], length, *chosen[position + 1 :]))

    shortest = _within(1, limits)
    numbers = sorted({int(number) for number in _NUMBERS.findall(fault(shortest))})[:_MAX_NUMBERS]
    products = sorted(a * b for a, b in combinations_with_replacement(numbers, 2) if a * b <= _MAX_LENGTH)
    lengths = dict.fromkeys(_within(length, limits) for length in (shortest, *numbers, *candidates, *products))
    return next((length for length in lengths if not search.is_late and not fault(length)), None)


def _candidates(
    search: _Search, uniform: Sequence[Lengths], candidates: Sequence[int], limits: Sequence[Dimension]
) -> Iterator[Lengths]:
    """Yield the best of the uniform lengths, with one or two dimensions changed, and so on."""
    best = max(uniform, key=search.score)
    improved = True
    while improved:
        improved = False
        for lengths in _changed(best, candidates, limits):
            yield lengths
            if search.score(lengths) > search.score(best):
                best, improved = lengths, True


def _changed(best: Lengths, candidates: Sequence[int], limits: Sequence[Dimension]) -> Iterator[Lengths]:
    for positions in _singles_and_pairs(len(best)):
        for length in candidates:
            yield _with(best, positions, length, limits)


def _singles_and_pairs(count: int) -> list[tuple[int, ...]]:
    return [*combinations(range(count), 1), *combinations(range(count), 2)]


def _with(lengths: Lengths, positions: tuple[int, ...], length: int, limits: Sequence[Dimension]) -> Lengths:
    """Return lengths with those at some positions replaced by `length`, within their limits."""
    return tuple(
        _within(length, limits[position]) if position in positions else present
        for position, present in enumerate(lengths)
    )


def _shortened(search: _Search, lengths: Lengths, limits: Sequence[Dimension], candidates: Sequence[int]) -> Lengths:
    """Return accepted lengths that cannot be shortened in one or two dimensions."""
    for positions in _singles_and_pairs(len(lengths)):
        longest = max(lengths[position] for position in positions)
        for length in candidates:
            if length >= longest or search.is_late:
                break
            shorter = _with(lengths, positions, length, limits)
            if shorter != lengths and max(map(int.__sub__, shorter, lengths)) <= 0 and search.accepts(shorter):
                lengths = shorter
                break
    return lengths


def _within(length: int, dim: Dimension) -> int:
    """Return the length clipped to the bounds of a dimension, at least 1."""
    return min(max(length, dim.lower, 1), dim.upper, UNBOUNDED)


def _hints(model: Model) -> set[int]:
    """Return the lengths that occur in a graph: known input dimensions and values of small integer constants."""
    lengths: set[int] = set()
    for node in all_nodes(model):
        if node.is_a(Parameter, Const):
            shape = node.outputs[0].partial_shape
            lengths.update(dim.lower for dim in shape.dims or () if dim.is_static)
            value = node.outputs[0].tensor_info.value if shape.is_static and shape.size.upper <= 8 else None
            if value is not None and value.dtype.kind in "iu":
                lengths.update(int(item) for item in value.reshape(-1))
    usable = sorted(length for length in lengths if 1 < length <= _MAX_LENGTH)
    return set(usable[:_MAX_HINTS])
