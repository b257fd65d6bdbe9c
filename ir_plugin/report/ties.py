"""Ties: layers that select elements by their values, and select others or in another order where values are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.model import Node
from ir_plugin.report.measures import Tolerance, measure
from ir_plugin.tensors import Array, ElementType

Arrays: TypeAlias = "Sequence[Array | None]"
Judge: TypeAlias = "Callable[[Any, Arrays, Arrays, Arrays, Tolerance], bool]"
"""Receives an operation, its inputs, its outputs, those of the reference, and the tolerance."""


def is_tie(node: Node, inputs: Arrays, mine: Arrays, theirs: Arrays, tolerance: Tolerance) -> bool:
    """Return whether the reference selects elements whose values agree with those that this run selects."""
    judge = _JUDGES.get(node.get_type_name())
    if judge is None:
        return False
    with np.errstate(all="ignore"):
        return judge(node.operation, inputs, mine, theirs, tolerance)


def _agree(first: Array, second: Array, tolerance: Tolerance) -> bool:
    return first.shape == second.shape and measure(first, second, tolerance).over == 0


def _top_k(operation: Any, inputs: Arrays, mine: Arrays, theirs: Arrays, tolerance: Tolerance) -> bool:
    """Compare the elements that the indices select; their order counts only if they are sorted by value."""
    data, own, other = inputs[0], mine[1], theirs[1]
    if data is None or own is None or other is None or own.shape != other.shape:
        return False
    axis = operation.axis % data.ndim
    other = other.astype(np.int64)
    if not _are_indices(other, data.shape[axis]) or _repeats(other, axis):
        return False
    keys = [np.take_along_axis(data, indices.astype(np.int64), axis) for indices in (own, other)]
    if theirs[0] is not None and not _agree(keys[1], theirs[0], tolerance):
        return False
    if operation.sort != "value":
        keys = [np.sort(selected, axis) for selected in keys]
    return _agree(keys[0], keys[1], tolerance)


def _are_indices(indices: Array, length: int) -> bool:
    return not indices.size or bool(indices.min() >= 0 and indices.max() < length)


def _repeats(indices: Array, axis: int) -> bool:
    ordered = np.sort(indices, axis)
    return bool((np.diff(ordered, axis=axis) == 0).any())


def _suppression(_operation: Any, inputs: Arrays, mine: Arrays, theirs: Arrays, tolerance: Tolerance) -> bool:
    """Compare the scores of the selected boxes of each class, whatever their order."""
    scores, own, other = inputs[1], mine[0], theirs[0]
    if scores is None or own is None or other is None or own.shape != other.shape or scores.ndim != 3:
        return False
    keys = []
    for triplets in (own.astype(np.int64), other.astype(np.int64)):
        chosen = triplets[(triplets >= 0).all(1)]
        if (chosen >= np.array(scores.shape)).any() or len(np.unique(chosen, axis=0)) != len(chosen):
            return False
        values = scores[tuple(chosen.T)]
        keys.append(values[np.lexsort((values, chosen[:, 1], chosen[:, 0]))])
    return _agree(keys[0], keys[1], tolerance)


def _unique(_operation: Any, inputs: Arrays, mine: Arrays, theirs: Arrays, tolerance: Tolerance) -> bool:
    """Compare the elements that the indices of first occurrences, and those into the unique elements, stand for."""
    data = inputs[0]
    axis = inputs[1] if len(inputs) > 1 else None
    if data is None:
        return False
    along = int(axis.reshape(-1)[0]) if axis is not None else None
    sources = [(data if along is not None else data.reshape(-1), 1), (mine[0], 2)]
    pairs = [(source, mine[index], theirs[index]) for source, index in sources if index < len(mine)]
    compared = [(source, own, other) for source, own, other in pairs if own is not None and other is not None]
    return bool(compared) and all(_selects_same(*pair, along or 0, tolerance) for pair in compared)


def _selects_same(source: Array | None, own: Array, other: Array, axis: int, tolerance: Tolerance) -> bool:
    if source is None or own.shape != other.shape or not _are_indices(other, source.shape[axis]):
        return False
    first, second = (np.take(source, indices.astype(np.int64), axis) for indices in (own, other))
    return _agree(first, second, tolerance)


def _rows_of(outputs: Sequence[int], column: int) -> Judge:
    """Return a judge of layers that return rows, joined from these outputs, with their value in a column."""

    def judge(_operation: Any, _inputs: Arrays, mine: Arrays, theirs: Arrays, tolerance: Tolerance) -> bool:
        own, other = _joined(mine, outputs), _joined(theirs, outputs)
        if own is None or other is None or own.shape != other.shape:
            return False
        keys = [np.sort(rows[:, column]) for rows in (own, other)]
        return _agree(keys[0], keys[1], tolerance) and _same_rows(own, other, column, tolerance)

    return judge


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


_JUDGES: dict[str, Judge] = {
    "TopK": _top_k,
    "NonMaxSuppression": _suppression,
    "NMSRotated": _suppression,
    "Unique": _unique,
    "DetectionOutput": _rows_of((0,), 2),
    "MatrixNms": _rows_of((0,), 1),
    "MulticlassNms": _rows_of((0,), 1),
    "ExperimentalDetectronDetectionOutput": _rows_of((0, 2, 1), 4),
    "GenerateProposals": _rows_of((0, 1), 4),
    "ExperimentalDetectronGenerateProposalsSingleImage": _rows_of((0, 1), 4),
    "Proposal": _rows_of((0, 1), 5),
}
SELECTING = frozenset(_JUDGES)
"""Layers whose differences may be ties."""
