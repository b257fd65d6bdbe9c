"""Shapes and lengths that come as input values, read as dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import held_rank, require_rank, unbounded
from ir_plugin.tensors import UNBOUNDED, Dimension, PartialShape, TensorInfo


def require_single(part: str, tensor: TensorInfo) -> None:
    """Raise unless an input may be a scalar or a 1-D tensor of one element."""
    require_rank(part, tensor.shape, 0, 1)
    if not tensor.shape.size.contains(1):
        raise ShapeError(part, f"{part} has the shape {tensor.shape}; it must be a scalar or hold one element")


def length_of(part: str, tensor: TensorInfo) -> Dimension:
    """Return the one length that an input holds."""
    require_single(part, tensor)
    bounds = tensor.bounds
    if bounds is None or bounds.lower.size != 1:
        return Dimension()
    return _dimension(part, part, int(bounds.lower.item()), int(bounds.upper.item()), bounds.upper.dtype)


def shape_of(part: str, tensor: TensorInfo) -> PartialShape:
    """Return the shape that a 1-D input of i32 or i64 numbers holds."""
    require_type(part, tensor, "i32", "i64")
    require_rank(part, tensor.shape, 1)
    rank, bounds = held_rank(part, tensor), tensor.bounds
    if bounds is None:
        return PartialShape.dynamic(rank)
    pairs = zip(bounds.lower.tolist(), bounds.upper.tolist(), strict=True)
    dtype = bounds.upper.dtype
    return PartialShape([_dimension(part, f"{part}[{i}]", *pair, dtype) for i, pair in enumerate(pairs)])


def _dimension(part: str, name: str, low: int, high: int, dtype: np.dtype[Any]) -> Dimension:
    if high < 0:
        raise ShapeError(part, f"{name} is {high}; a length must be 0 or more")
    return Dimension.between(low, UNBOUNDED if high == unbounded(dtype) else high)
