"""Ties: layers that select elements by their values, and select others or in another order where values are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.operations.base import Operation, trait_of
from ir_plugin.operations.traits import Selects
from ir_plugin.report.measures import Tolerance, measure
from ir_plugin.tensors import Array, ElementType

Arrays: TypeAlias = "Sequence[Array | None]"


def is_tie(operation: Operation, inputs: Arrays, mine: Sequence[Array], theirs: Arrays, tolerance: Tolerance) -> bool:
    """Return whether the reference selects elements whose values agree with those that this run selects."""
    trait = trait_of(operation, Selects)
    if trait is None:
        return False
    with np.errstate(all="ignore"):
        if trait.score is not None:
            return _select_the_same_rows(trait, trait.score, mine, theirs, tolerance)
        return _select_equal_values(operation, trait, inputs, mine, theirs, tolerance)


def _select_equal_values(
    operation: Operation, trait: Selects, inputs: Arrays, mine: Sequence[Array], theirs: Arrays, tolerance: Tolerance
) -> bool:
    """Return whether both runs' indices select the same values; outputs that the reference lacks are taken as equal."""
    present = {index: array for index, array in enumerate(theirs) if array is not None}
    if present.keys().isdisjoint(trait.outputs):
        return False
    other = [present.get(index, own) for index, own in enumerate(mine)]
    if any(own.shape != array.shape for own, array in zip(mine, other, strict=True)):
        return False
    selected, reference = (operation.selected_values(inputs, outputs) for outputs in (mine, other))
    if selected is None or reference is None:
        return False
    return all(_agree(own, array, tolerance) for own, array in zip(selected, reference, strict=True))


def _agree(first: Array, second: Array, tolerance: Tolerance) -> bool:
    return first.shape == second.shape and measure(first, second, tolerance).over == 0


def _select_the_same_rows(trait: Selects, score: int, mine: Arrays, theirs: Arrays, tolerance: Tolerance) -> bool:
    """Return whether the rows of both agree in their scores, and each of the reference is one of this run."""
    own, other = _joined(mine, trait.outputs), _joined(theirs, trait.outputs)
    if own is None or other is None or own.shape != other.shape:
        return False
    scores = [np.sort(rows[:, score]) for rows in (own, other)]
    return _agree(scores[0], scores[1], tolerance) and _same_rows(own, other, score, tolerance)


def _joined(arrays: Arrays, outputs: Sequence[int]) -> Array | None:
    """Return the outputs of a layer as rows."""
    parts = [arrays[index] if index < len(arrays) else None for index in outputs]
    present = [part for part in parts if part is not None]
    if len(present) < len(parts) or not present[0].size:
        return None
    count = present[0].size // present[0].shape[-1] if present[0].ndim > 1 else present[0].size
    if any(part.size % count for part in present):
        return None
    return np.concatenate([part.reshape(count, -1).astype(np.float64) for part in present], axis=1)


def _same_rows(own: Array, other: Array, column: int, tolerance: Tolerance) -> bool:
    """Return whether each row of the reference is a row of this run, or as good as the last that was selected."""
    limits = tolerance.limits(np.abs(other).max(0, keepdims=True).repeat(len(other), 0), ElementType.f32)
    last = own[:, column].min()
    for row, limit in zip(other, limits, strict=True):
        is_last = abs(row[column] - last) <= limit[column]
        if not is_last and not (np.abs(own - row) <= limit).all(1).any():
            return False
    return True
