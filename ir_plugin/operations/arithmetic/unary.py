"""Arithmetic of one operand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.elementwise import RealUnary, Unary, first_index
from ir_plugin.operations.error_function import erf, erfinv
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array, Bounds


class Abs(Unary, version=1):
    """The absolute value; the smallest whole number wraps to itself. Specification: arithmetic/Abs-1."""

    ufunc = np.abs

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the bounds of the absolute values; the lower one is 0 for an interval that contains 0."""
        (data,) = inputs
        if data is None or data.is_exact or data.lower.dtype.kind not in "if":
            return super().infer_bounds(*inputs)
        least = np.iinfo(data.lower.dtype).min + 1 if data.lower.dtype.kind == "i" else -np.inf
        lower, upper = np.abs(np.maximum(data.lower, least)), np.abs(np.maximum(data.upper, least))
        crosses = (data.lower < 0) & (data.upper > 0)
        return [Bounds(np.where(crosses, 0, np.minimum(lower, upper)).astype(lower.dtype), np.maximum(lower, upper))]


class Negative(Unary, version=1):
    """The number with its sign changed; whole numbers wrap. Specification: arithmetic/Negative-1."""

    ufunc = np.negative


class Sign(Unary, version=1):
    """-1, 0 or 1, and NaN for NaN. Specification: arithmetic/Sign-1."""

    ufunc = np.sign


class Floor(Unary, version=1):
    """The largest whole number not above the element. Specification: arithmetic/Floor-1."""

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range that the operand needs for the result to be in a range."""
        return {0: needed}

    def apply(self, data: Array) -> Array:
        """Return the numbers rounded down."""
        result: Array = data if data.dtype.kind in "iu" else np.floor(data)
        return result


class Ceiling(Unary, version=1):
    """The smallest whole number not below the element. Specification: arithmetic/Ceiling-1."""

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range that the operand needs for the result to be in a range."""
        return {0: needed}

    def apply(self, data: Array) -> Array:
        """Return the numbers rounded up."""
        result: Array = data if data.dtype.kind in "iu" else np.ceil(data)
        return result


class Sqrt(Unary, version=1):
    """The square root: NaN for negative numbers. Specification: arithmetic/Sqrt-1.

    Of whole numbers it is rounded to the nearest, exactly; of a negative i32 or i64 it is the lowest number, as in
    OpenVINO, and of smaller negative integers an error.
    """

    def apply(self, data: Array) -> Array:
        """Return the square roots."""
        result: Array
        if data.dtype.kind not in "iu":
            result = np.sqrt(data)
            return result
        wrong = data < 0
        if wrong.any() and data.dtype.itemsize < 4:
            raise EvaluationError(f"data{first_index(wrong)} is {data[wrong].flat[0]}; a negative integer has no root")
        wide = data.astype(np.uint64)
        root = np.rint(np.sqrt(wide.astype(np.float64))).astype(np.uint64)
        one = np.uint64(1)
        root = root - ((root > 0) & (root * (root - one) >= wide)).astype(np.uint64)
        root = root + ((root < 2**32) & (wide > root * (root + one))).astype(np.uint64)
        result = np.where(wrong, np.iinfo(data.dtype).min, root.astype(data.dtype)).astype(data.dtype)
        return result


class Log(RealUnary, version=1):
    """The natural logarithm: negative infinity for 0, NaN below. Specification: arithmetic/Log-1."""

    ufunc = np.log


class Sin(RealUnary, version=1):
    """The sine of an angle in radians. Specification: arithmetic/Sin-1."""

    ufunc = np.sin


class Cos(RealUnary, version=1):
    """The cosine of an angle in radians. Specification: arithmetic/Cos-1."""

    ufunc = np.cos


class Tan(RealUnary, version=1):
    """The tangent of an angle in radians. Specification: arithmetic/Tan-1."""

    ufunc = np.tan


class Asin(RealUnary, version=1):
    """The arcsine in radians: NaN outside [-1, 1]. Specification: arithmetic/Asin-1."""

    ufunc = np.arcsin


class Acos(RealUnary, version=1):
    """The arccosine in radians: NaN outside [-1, 1]. Specification: arithmetic/Acos-1.

    Differs from the page: results of integer types that are NaN, or beyond i32 or i64, become the lowest number of
    the type, in every operation. Example: 2 of i32 gives -2147483648.
    """

    ufunc = np.arccos


class Atan(RealUnary, version=1):
    """The arctangent in radians. Specification: arithmetic/Atan-1."""

    ufunc = np.arctan


class Sinh(RealUnary, version=1):
    """The hyperbolic sine. Specification: arithmetic/Sinh-1."""

    ufunc = np.sinh


class Cosh(RealUnary, version=1):
    """The hyperbolic cosine. Specification: arithmetic/Cosh-1."""

    ufunc = np.cosh


class Tanh(RealUnary, version=1):
    """The hyperbolic tangent. Specification: arithmetic/Tanh-1."""

    ufunc = np.tanh


class Asinh(RealUnary, version=4):
    """The inverse of the hyperbolic sine. Specification: arithmetic/Asinh-3."""

    ufunc = np.arcsinh


class Acosh(RealUnary, version=4):
    """The inverse of the hyperbolic cosine: NaN below 1. Specification: arithmetic/Acosh-3."""

    ufunc = np.arccosh


class Atanh(RealUnary, version=4):
    """The inverse of the hyperbolic tangent: infinite at -1 and 1, NaN beyond. Specification: arithmetic/Atanh-3.

    Of whole numbers of 32 and 64 bits from 1 on it is the greatest number, and up to -1 the lowest.
    """

    ufunc = np.arctanh

    def apply(self, data: Array) -> Array:
        """Return the inverse of every element."""
        if data.dtype.kind not in "iu" or data.dtype.itemsize < 4:
            return super().apply(data)
        info = np.iinfo(data.dtype)
        return np.where(data > 0, info.max, np.where(data < 0, info.min, 0)).astype(data.dtype)


class Erf(RealUnary, version=1):
    """The error function, accurate to the last digits of its type. Specification: arithmetic/Erf-1."""

    ufunc = erf


class ErfInv(RealUnary, version=17):
    """The inverse of the error function: infinite at -1 and 1, NaN beyond. Specification: arithmetic/ErfInv-17."""

    kinds = ("float",)
    ufunc = erfinv


class Square(Operation):
    """The product of a value with itself, which passes make of a Multiply."""

    type = "Square"
    is_internal = True

    def evaluate(self, data: Array) -> Array:
        """Return the products."""
        return np.square(data)
