"""Bitwise operations of two operands."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Binary
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
        """Return the operand shifted by the low bits of the second: 5 of them, 6 for types of 64 bits."""
        return super().apply(a, b & b.dtype.type(max(a.dtype.itemsize * 8, 32) - 1))


class BitwiseLeftShift(_Shift, version=15):
    """The bits shifted up and filled with zeros; the rest is dropped. Specification: bitwise/BitwiseLeftShift-15.

    Differs from the page: a shift that is negative, or beyond the bits, counts modulo 32 (64 for types of 64 bits).
    Example: 5 of i32 shifted by 33 or by -31 is 10.
    """

    ufunc = np.left_shift


class BitwiseRightShift(_Shift, version=15):
    """The bits shifted down and filled with the sign. Specification: bitwise/BitwiseRightShift-15.

    Differs from the page: a shift that is negative, or beyond the bits, counts modulo 32 (64 for types of 64 bits).
    Example: 5 of i32 shifted by 33 or by -31 is 2.
    """

    ufunc = np.right_shift
