"""Shapes given as input values, shared by Broadcast, Tile and Col2Im."""

from __future__ import annotations

from ir_plugin.operations.shapes import held_rank, unbounded
from ir_plugin.tensors import UNBOUNDED, Dimension, TensorInfo


def dimensions_of(part: str, tensor: TensorInfo) -> tuple[Dimension, ...] | None:
    """Return the values of a 1-D input as dimensions, negative ones as 0, or None if their number is unknown."""
    rank, bounds = held_rank(part, tensor), tensor.bounds
    if bounds is None:
        return None if rank is None else (Dimension(),) * rank
    limit = unbounded(bounds.lower.dtype)
    pairs = zip(bounds.lower.reshape(-1).tolist(), bounds.upper.reshape(-1).tolist(), strict=True)
    return tuple(Dimension.between(low, UNBOUNDED if high == limit else high) for low, high in pairs)
