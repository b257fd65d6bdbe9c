"""Comparisons of two operands. NaN equals nothing, itself included, and is neither less nor greater."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Binary
from ir_plugin.tensors import Array, ElementType


class _Comparison(Binary):
    """A comparison of numbers, booleans (false is less than true) or strings."""

    kinds = ("number", "boolean", "string")
    result_type = ElementType.boolean


class Equal(_Comparison, version=1):
    """Whether the operands are equal. Specification: comparison/Equal-1."""

    ufunc = np.equal

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return whether both must be equal, and whether they may be."""
        same = (a == a_max) & (b == b_max) & (a == b)
        return same, (a <= b_max) & (b <= a_max)


class NotEqual(_Comparison, version=1):
    """Whether the operands differ. Specification: comparison/NotEqual-1."""

    ufunc = np.not_equal


class Greater(_Comparison, version=1):
    """Whether the first operand is larger. Specification: comparison/Greater-1."""

    ufunc = np.greater


class GreaterEqual(_Comparison, version=1):
    """Whether the first operand is not smaller. Specification: comparison/GreaterEqual-1."""

    ufunc = np.greater_equal


class Less(_Comparison, version=1):
    """Whether the first operand is smaller. Specification: comparison/Less-1."""

    ufunc = np.less


class LessEqual(_Comparison, version=1):
    """Whether the first operand is not larger. Specification: comparison/LessEqual-1."""

    ufunc = np.less_equal
