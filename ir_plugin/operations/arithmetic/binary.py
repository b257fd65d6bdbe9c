"""Arithmetic of two operands. Whole numbers wrap as C's do."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.elementwise import UNLIMITED, Binary, first_index
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array


class Add(Binary, version=1):
    """The sum; whole numbers wrap.

    OpenVINO's CPU differs: whole numbers of 8 and 16 bits are cut to the range of their type.
    Example: 200 + 100 of u8 is 44; the CPU gives 255.

    Differs from the page: with `auto_broadcast` pdpd an axis that is not written is 0, in every operation.
    Example: [[1, 2], [3, 4]] + [10, 20] with pdpd gives [[11, 12], [23, 24]].

    Specification: arithmetic/Add-1.
    """

    ufunc = np.add

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the sums of the lower and of the upper bounds."""
        return a + b, a_max + b_max

    def ranges_for(self, needed: Range, inputs: KnownInputs) -> Ranges:
        """Return the range of the addend whose other addend has known bounds, else one range for both."""
        needed = replace(needed, distinct=False)
        for position in (0, 1):
            extent = inputs.extent(position)
            if extent is not None:
                return {1 - position: needed.sum_with(*extent)}
        return needed.of_both(needed.high // 2)


class Subtract(Binary, version=1):
    """The difference; whole numbers wrap, as in Add-1. Specification: arithmetic/Subtract-1."""

    ufunc = np.subtract

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the differences of opposite bounds."""
        return a - b_max, a_max - b

    def ranges_for(self, needed: Range, inputs: KnownInputs) -> Ranges:
        """Return the range for minuends of known numbers."""
        extent = inputs.extent(1)
        return {} if extent is None else {0: replace(needed, distinct=False).sum_with(-extent[1], -extent[0])}


class Multiply(Binary, version=1):
    """The product; whole numbers wrap, as in Add-1. Specification: arithmetic/Multiply-1."""

    ufunc = np.multiply

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the smallest and largest products of all bounds."""
        products = [a * b, a * b_max, a_max * b, a_max * b_max]
        return np.minimum.reduce(products), np.maximum.reduce(products)

    def ranges_for(self, needed: Range, inputs: KnownInputs) -> Ranges:
        """Return the range of the factor whose other factor has known positive bounds, else one range for both."""
        needed, extents = replace(needed, distinct=False), [inputs.extent(0), inputs.extent(1)]
        for position, extent in enumerate(extents):
            if extent is not None and extent[0] > 0:
                low = -(-needed.low // extent[0])
                return {1 - position: replace(needed, low=low, high=max(needed.high // extent[1], low))}
        return {} if extents != [None, None] else needed.of_both(isqrt(max(needed.high, 0)))


class SquaredDifference(Binary, version=1):
    """The difference, squared; whole numbers wrap. Specification: arithmetic/SquaredDifference-1."""

    def apply(self, a: Array, b: Array) -> Array:
        """Return (a - b)²."""
        difference = np.subtract(a, b)
        result: Array = np.multiply(difference, difference)
        return result


class Maximum(Binary, version=1):
    """The larger operand; NaN where either is NaN. Specification: arithmetic/Maximum-1.

    OpenVINO's CPU differs: the second operand is taken where either is NaN.
    Example: NaN and 1 give NaN; the CPU gives 1.
    """

    ufunc = np.maximum
    carriers = (0, 1)

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the maxima of the lower and of the upper bounds."""
        return np.maximum(a, b), np.maximum(a_max, b_max)


class Minimum(Binary, version=1):
    """The smaller operand; NaN where either is NaN. Specification: arithmetic/Minimum-1.

    OpenVINO's CPU differs: the second operand is taken where either is NaN.
    Example: NaN and 1 give NaN; the CPU gives 1.
    """

    ufunc = np.minimum
    carriers = (0, 1)

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the minima of the lower and of the upper bounds."""
        return np.minimum(a, b), np.minimum(a_max, b_max)


class Power(Binary, version=1):
    """The first operand to the power of the second. Specification: arithmetic/Power-1.

    Of whole numbers the result is exact and wraps; a negative exponent gives the quotient 1 / aⁿ cut to a whole
    number, 0 for all bases but 1 and -1, and is an error for the base 0.
    """

    def apply(self, a: Array, b: Array) -> Array:
        """Return the powers."""
        result: Array
        if b.dtype.kind != "i" or b.size == 0 or int(b.min()) >= 0:
            result = np.power(a, b)
            return result
        negative = np.broadcast_to(b < 0, np.broadcast_shapes(a.shape, b.shape))
        wrong = negative & (a == 0)
        if wrong.any():
            raise EvaluationError(f"element{first_index(wrong)} is 0 to a negative power, which has no integer result")
        unit = np.abs(a) == 1
        exponent = np.where(negative, b & 1, b)
        result = np.where(negative & ~unit, 0, np.power(a, exponent)).astype(a.dtype)
        return result

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array] | None:
        """Return the smallest and largest powers of all bounds, or None where one is negative."""
        if (a < 0).any() or (b < 0).any():
            return None
        powers = [np.array(list(map(_power, x, y)), a.dtype) for x in (a, a_max) for y in (b, b_max)]
        return np.minimum.reduce(powers), np.maximum.reduce(powers)


def _power(base: float, exponent: float) -> float:
    """Return the power of numbers that are not negative, and `UNLIMITED` where it is beyond any type's range."""
    if base in (0, 1) or exponent == 0:
        return 1 if base == 1 or exponent == 0 else 0
    if isinstance(base, int) and exponent * (base.bit_length() - 1) >= UNLIMITED.bit_length():
        return UNLIMITED
    try:
        power: float = base**exponent
    except OverflowError:
        return UNLIMITED
    return power
