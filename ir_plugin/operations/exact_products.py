"""Products of integer arrays by floats, which BLAS multiplies, where floats hold every sum exactly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array

F32_EXACT = 2**24
"""Whole numbers up to which f32 has all."""
_F64_EXACT = 2**53


def exact_product(product: Callable[[Array, Array], Array], a: Array, b: Array, depth: int) -> Array:
    """Return a product of two arrays of one type, in which each element is a sum of `depth` products.

    Integers are multiplied as f32 or f64 where no sum can be rounded, in whatever order it is computed; the results
    wrap as integers do.
    """
    dtype = float_type(depth * largest(a) * largest(b)) if a.dtype.kind in "iu" else None
    if dtype is None:
        return product(a, b)
    return product(a.astype(dtype), b.astype(dtype)).astype(np.int64).astype(a.dtype)


def float_type(bound: int) -> type[np.float32] | type[np.float64] | None:
    """Return the float type that holds whole numbers up to a bound; None if there is none."""
    if bound <= F32_EXACT:
        return np.float32
    return np.float64 if bound <= _F64_EXACT else None


def largest(integers: Array) -> int:
    """Return the largest absolute value, 0 for an empty array."""
    return max(int(integers.max(initial=0)), -int(integers.min(initial=0)))
