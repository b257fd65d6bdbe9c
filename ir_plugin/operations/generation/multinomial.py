"""Multinomial: classes drawn with given probabilities. Specification: generation/Multinomial-13."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.elementwise import first_index
from ir_plugin.operations.generation.random_numbers import MersenneTwister, fresh_seeds
from ir_plugin.operations.generation.shape_inputs import length_of
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class Multinomial(Operation, version=13):
    """The indices of `num_samples` classes for each row of `probs`, drawn in proportion to the row's elements.

    A random number in [0, 1] selects the first class whose cumulative share is not below it. Without replacement
    no class is drawn twice. Seeds determine the numbers: every inference draws what OpenVINO's CPU draws in its first
    (MT19937 seeded by `std::seed_seq`; the page names no generator), or new numbers if both seeds are 0.
    """

    needs_values = (1,)

    convert_type: ElementType
    with_replacement: bool
    log_probs: bool
    global_seed: int
    op_seed: int

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.stateful = not (attributes.get("global_seed") or attributes.get("op_seed"))

    def infer(self, probs: TensorInfo, num_samples: TensorInfo) -> TensorInfo:
        """Return the type `convert_type` and the shape `[batch, num_samples]`."""
        if self.convert_type not in (ElementType.i32, ElementType.i64):
            raise ShapeError("convert_type", f"convert_type is {self.convert_type.name}; it must be i32 or i64")
        require_type("probs", probs, "float")
        require_type("num_samples", num_samples, "integer")
        require_rank("probs", probs.shape, 2)
        count = length_of("num_samples", num_samples)
        if probs.shape.ndim is None:
            return TensorInfo(self.convert_type, None)
        if not self.with_replacement:
            _require_enough(probs.shape[1], count)
        return TensorInfo(self.convert_type, [probs.shape[0], count])

    def evaluate(self, probs: Array, num_samples: Array) -> Array:
        """Return the classes."""
        weights = probs.astype(np.float64)
        if self.log_probs:
            weights = np.exp(weights - weights.max(axis=1, keepdims=True, initial=-np.inf))
        batch, count = len(weights), int(num_samples.item())
        if batch == 0 or count == 0:
            return np.zeros((batch, count), np.int64)
        _require_weights(weights)
        seeds = fresh_seeds() if self.stateful else (self.global_seed, self.op_seed)
        numbers = MersenneTwister.of_sequence(*seeds).take(batch * count).astype(np.float64) / 0xFFFFFFFF
        return (_drawn if self.with_replacement else _drawn_once)(weights, numbers.reshape(batch, count))


def _require_enough(classes: Dimension, count: Dimension) -> None:
    if count.lower > classes.upper:
        raise ShapeError(
            "num_samples", f"num_samples is {count}, and without replacement only {classes} classes can be drawn"
        )


def _require_weights(weights: Array) -> None:
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise EvaluationError(
            f"probs{first_index(wrong)} is the weight {weights[wrong][0]}; it must be finite and not negative"
        )
    empty = weights.sum(axis=1) == 0
    if empty.any():
        raise EvaluationError(f"the probabilities of row {int(empty.argmax())} of probs add up to 0")


def _drawn(weights: Array, numbers: Array) -> Array:
    shares = np.cumsum(weights, axis=1)
    shares /= shares[:, -1:]
    return np.stack([np.searchsorted(row, draws) for row, draws in zip(shares, numbers, strict=True)])


def _drawn_once(weights: Array, numbers: Array) -> Array:
    """Return one class for each column of numbers, after each of which the weights of those drawn become 0."""
    weights = weights.copy()
    rows = np.arange(len(weights))
    drawn = np.empty(numbers.shape, np.int64)
    for column, draws in enumerate(numbers.T):
        shares = np.cumsum(weights, axis=1)
        reached = (shares >= draws[:, None] * shares[:, -1:]) & (weights > 0)
        if not reached.any(axis=1).all():
            row = int(reached.any(axis=1).argmin())
            raise EvaluationError(f"row {row} of probs has only {column} classes with a probability above 0")
        drawn[:, column] = reached.argmax(axis=1)
        weights[rows, drawn[:, column]] = 0
    return drawn
