"""Classes of floating-point numbers."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Unary
from ir_plugin.tensors import Array, ElementType


class IsFinite(Unary, version=10):
    """Whether the number is neither infinite nor NaN. Specification: comparison/IsFinite-10."""

    kinds = ("float",)
    result_type = ElementType.boolean
    ufunc = np.isfinite


class IsNaN(Unary, version=10):
    """Whether the number is NaN. Specification: comparison/IsNaN-10."""

    kinds = ("float",)
    result_type = ElementType.boolean
    ufunc = np.isnan


class IsInf(Unary, version=10):
    """Whether the number is positive infinity (if `detect_positive`) or negative (if `detect_negative`).

    Specification: comparison/IsInf-10.
    """

    kinds = ("float",)
    result_type = ElementType.boolean

    detect_negative: bool
    detect_positive: bool

    def apply(self, data: Array) -> Array:
        """Return which elements are infinite."""
        positive, negative = data == np.inf, data == -np.inf
        result: Array = (positive & self.detect_positive) | (negative & self.detect_negative)
        return result
