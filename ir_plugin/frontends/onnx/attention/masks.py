"""Masks of attention: which positions of the key each position of the query sees."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, i64, output, scalar, type_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


def both(first: Output | None, second: Output | None) -> Output | None:
    """Return the logical and of two boolean masks; None stands for no mask."""
    if first is None or second is None:
        return second if first is None else first
    return output(ops.logical_and(first, second))


def positions(length: Value, offset: Output | None = None) -> Output:
    """Return the numbers 0, 1, … up to a length, moved by an offset: a scalar, or a column by batch."""
    numbers = ops.range(i64(0), length, i64(1), "i64")
    return output(numbers if offset is None else ops.add(numbers, offset))


def window(query: Output, key: Output, left: int = -1, right: int = -1) -> Output | None:
    """Return whether positions of the key are at most `left` before and `right` after the query's; -1: no limit.

    Positions are vectors, or have the batch in front: [batch, 1, length].
    """
    rows, columns = ops.unsqueeze(query, i64([-1])), ops.unsqueeze(key, i64([-2]))
    after = None if right < 0 else output(ops.less_equal(columns, _moved(rows, right)))
    before = None if left < 0 else output(ops.greater_equal(columns, _moved(rows, -left)))
    return both(before, after)


def _moved(value: Value, distance: int) -> Value:
    return ops.add(value, i64(distance)) if distance else value


def as_bias(mask: Output, element_type: ElementType, low: float = -np.inf) -> Output:
    """Return a mask of booleans as numbers to be added: 0 where it is true, `low` elsewhere."""
    return output(ops.select(mask, scalar(0, element_type), scalar(low, element_type)))


def masked(keep: Output | None, bias: Output | None, low: float = -np.inf) -> Output | None:
    """Merge both masks into one additive mask: `low` where `keep` is false, `bias` elsewhere."""
    if keep is None or bias is None:
        return bias if keep is None else keep
    return output(ops.select(keep, bias, scalar(low, bias)))


def is_open(mask: Output) -> Output:
    """Return for each position of the query whether it sees any position of the key."""
    seen = mask if type_of(mask) is ElementType.boolean else ops.not_equal(mask, scalar(-np.inf, mask))
    return output(ops.reduce_logical_or(seen, i64([-1]), True))
