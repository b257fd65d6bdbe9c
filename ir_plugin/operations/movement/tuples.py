"""Tuples of indices, shared by GatherND and ScatterNDUpdate."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.indices import outside, wrapped
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array


def flat_positions(indices: Array, shape: tuple[int, ...], first_axis: int = 0, wrap: bool = True) -> Array:
    """Return the flat C-order position within `shape` that each tuple along the last axis of `indices` addresses.

    With `wrap` a negative index counts from the end. An index out of range is an error that names its position,
    its value and its axis of data; the first index of a tuple is for the axis `first_axis`.
    """
    flat = np.zeros(indices.shape[:-1], np.int64)
    for component, length in enumerate(shape):
        column = indices[..., component]
        lower = -length if wrap else 0
        wrong = outside(column, lower, length - 1)
        if wrong is not None:
            _refuse(column, wrong, component, first_axis + component, (lower, length - 1))
        flat = flat * length + wrapped(column, length)
    return flat


def tuple_ranges(inputs: KnownInputs, batch_dims: int = 0) -> Ranges:
    """Return the range of the indices of tuples, input 1, bounded by the shortest axis of input 0 that they index."""
    axes = range(batch_dims, min(batch_dims + inputs.length(1, -1), inputs.rank(0)))
    return {1: Range.below(min((inputs.length(0, axis) for axis in axes), default=1))}


def _refuse(column: Array, wrong: Array, component: int, axis: int, allowed: tuple[int, int]) -> None:
    at = tuple(np.argwhere(wrong)[0].tolist()) if column.ndim else ()
    text = str(list(allowed)) if allowed[1] >= 0 else "none, as the axis has length 0"
    raise EvaluationError(
        f"indices[{', '.join(map(str, (*at, component)))}] is {int(column[at])}, "
        f"outside the allowed range of axis {axis} of data: {text}"
    )
