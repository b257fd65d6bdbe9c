"""Division of dimensions, shared by the split and block operations."""

from __future__ import annotations

from ir_plugin.tensors import UNBOUNDED, Dimension


def divided(dim: Dimension, divisor: int) -> Dimension | None:
    """Return the quotients of the lengths that `divisor` divides, or None if it divides none."""
    lower = -(-dim.lower // divisor)
    upper = dim.upper if dim.upper == UNBOUNDED else dim.upper // divisor
    return Dimension(lower, upper) if lower <= upper else None
