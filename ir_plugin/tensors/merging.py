"""Constants of two operations in a row, merged to the constant of one: products, sums and scaled weights."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors.element_type import Array


def merged_product(first: Array, second: Array) -> Array | None:
    """Return the product of two constants in the type of the first; None if an element overflows or underflows.

    x * a * b is x * (a * b), but for rounding, only where a * b is a normal number: 0 times infinity is NaN.
    """
    with np.errstate(all="ignore"):
        second = second.astype(first.dtype)
        product: Array = first * second
        is_finite = bool(np.isfinite(product).all())
        tiny = np.finfo(product.dtype).tiny
        underflows = (np.abs(product) < tiny) & (np.abs(first) >= tiny) & (np.abs(second) >= tiny)
    return product if is_finite and not underflows.any() else None


def scaled_weights(weights: Array, scale: Array) -> list[Array]:
    """Return weights times a scale that broadcasts along their last axes; none if a channel overflows or underflows.

    A channel is a sum, in which weights far below the largest may underflow.
    """
    axes = tuple(axis for axis in range(weights.ndim) if scale.shape[axis] == 1)
    largest = np.abs(weights).max(axes, keepdims=True, initial=0)
    if merged_product(largest, scale) is None:
        return []
    return [weights * scale.astype(weights.dtype)]


def merged_sum(first: Array, second: Array) -> Array | None:
    """Return the sum of two constants in the type of the first; None if an element overflows."""
    with np.errstate(all="ignore"):
        total: Array = first + second.astype(first.dtype)
    return total if np.isfinite(total).all() else None
