"""Bitwise operations of two operands."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.elementwise import Binary, first_index
from ir_plugin.tensors import Array


class BitwiseAnd(Binary, version=13):
    """The bits set in both operands, or the logical and of booleans. Specification: bitwise/BitwiseAnd-13."""

    kinds = ("integer", "boolean")
    ufunc = np.bitwise_and


class BitwiseOr(Binary, version=13):
    """The bits set in either operand, or the logical or of booleans. Specification: bitwise/BitwiseOr-13."""

    kinds = ("integer", "boolean")
    ufunc = np.bitwise_or


class BitwiseXor(Binary, version=13):
    """The bits set in exactly one operand, or the exclusive or of booleans. Specification: bitwise/BitwiseXor-13."""

    kinds = ("integer", "boolean")
    ufunc = np.bitwise_xor


class _Shift(Binary):
    """A shift of the first operand by the number of bits in the second."""

    kinds = ("integer",)

    def apply(self, a: Array, b: Array) -> Array:
        """Return the shifted operand; raises for a negative shift, which the page leaves undefined."""
        wrong = b < 0
        if wrong.any():
            raise EvaluationError(
                f"the shift, input 1{first_index(wrong)}, is {b[wrong].flat[0]}; it must not be negative"
            )
        return super().apply(a, b)


class BitwiseLeftShift(_Shift, version=15):
    """The bits shifted up and filled with zeros; the rest is dropped. Specification: bitwise/BitwiseLeftShift-15."""

    ufunc = np.left_shift


class BitwiseRightShift(_Shift, version=15):
    """The bits shifted down and filled with the sign. Specification: bitwise/BitwiseRightShift-15."""

    ufunc = np.right_shift
