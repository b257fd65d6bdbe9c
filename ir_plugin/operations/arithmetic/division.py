"""Division and remainders. A whole number divided by 0 is an error; floating-point ones follow IEEE 754."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.elementwise import UNLIMITED, Binary, first_index
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array, Bounds


class _Division(Binary):
    """The base of quotients and remainders, whose integer divisors must not be 0."""

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of divisors that are whole numbers."""
        divisor = inputs.tensor(1)
        return {1: Range(1, 9)} if divisor is not None and divisor.element_type.is_integer else {}

    def apply(self, a: Array, b: Array) -> Array:
        """Return the results; raises if an integer divisor is 0."""
        if b.dtype.kind in "iu":
            wrong = b == 0
            if wrong.any():
                raise EvaluationError(
                    f"the divisor, input 1{first_index(wrong)}, is 0; a whole number cannot be divided by it"
                )
        return self.divide(a, b)

    def divide(self, a: Array, b: Array) -> Array:
        """Return the results for divisors other than 0."""
        result: Array = type(self).ufunc(a, b)
        return result

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the bounds of the results, or no bounds where a divisor is known to be 0."""
        b = inputs[1]
        zero = b is not None and b.lower.dtype.kind in "iu" and ((b.lower == 0) & (b.upper == 0)).any()
        return [] if zero else super().infer_bounds(*inputs)


class Divide(_Division, version=1):
    """The quotient; of whole numbers rounded down (`m_pythondiv`), or towards zero. Specification: arithmetic/Divide-1.

    Division by 0 is undefined there: of whole numbers it is an error here.

    OpenVINO's CPU differs: quotients of whole numbers are rounded towards zero whatever `m_pythondiv` says.
    Example: -7 / 2 of i32 with `m_pythondiv` is -4; the CPU gives -3.
    """

    m_pythondiv: bool

    def divide(self, a: Array, b: Array) -> Array:
        """Return the quotients."""
        result: Array
        if a.dtype.kind not in "iu":
            result = np.divide(a, b)
        elif self.m_pythondiv or a.dtype.kind == "u":
            result = np.floor_divide(a, b)
        else:
            result = np.floor_divide(a - np.fmod(a, b), b)
        return result

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the smallest and largest quotients of all bounds, unlimited where a divisor may be 0."""
        touches = (b <= 0) & (b_max >= 0)
        low, high = np.where(touches, 1, b), np.where(touches, np.maximum(b_max, 1), b_max)
        quotients = [self._quotient(x, y) for x in (a, a_max) for y in (low, high)]
        lower, upper = np.minimum.reduce(quotients), np.maximum.reduce(quotients)
        lower = np.where(touches & ((a < 0) | (b < 0)), -UNLIMITED, lower)
        return lower, np.where(touches, UNLIMITED, upper)

    def _quotient(self, a: Array, b: Array) -> Array:
        quotient: Array
        if a.dtype.kind == "f":
            quotient = a / b
        elif self.m_pythondiv:
            quotient = a // b
        else:
            quotient = np.where((a < 0) != (b < 0), -(abs(a) // abs(b)), abs(a) // abs(b))
        return quotient


class Mod(_Division, version=1):
    """The remainder of division towards zero, with the sign of the dividend. Specification: arithmetic/Mod-1.

    OpenVINO's CPU gives NaN for an infinite divisor; here it is the dividend, as in C.
    """

    ufunc = np.fmod

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array] | None:
        """Return the interval from 0 to the largest divisor less 1; dividends below all divisors keep theirs."""
        if a.dtype.kind == "f":
            return None
        touches = (b <= 0) & (b_max >= 0)
        largest = np.where(touches, UNLIMITED, np.maximum(abs(b), abs(b_max)) - 1)
        lower, upper = np.where(a < 0, -largest, 0), np.where((a_max > 0) | touches, largest, 0)
        upper = np.where((a >= 0) & (a_max <= b), np.minimum(upper, a_max), upper)
        exact = (a == a_max) & (b == b_max) & (b != 0)
        value = np.where(a < 0, -1, 1) * (abs(a) % np.where(exact, abs(b), 1))
        below = (a >= 0) & (a_max < b)
        lower = np.where(exact, value, np.where(below, a, lower))
        return lower, np.where(exact, value, np.where(below, a_max, upper))


class FloorMod(_Division, version=1):
    """The remainder of division rounded down, with the sign of the divisor. Specification: arithmetic/FloorMod-1.

    Where the divisor lies within the dividend's interval, OpenVINO infers too narrow an interval; here it is correct.

    Differs from the page: the remainder by an infinite divisor is NaN. Example: 1 by infinity gives NaN.
    """

    def divide(self, a: Array, b: Array) -> Array:
        """Return the remainders."""
        remainders: Array = np.mod(a, b)
        if b.dtype.kind not in "iu":
            remainders = np.where(np.isinf(b), b.dtype.type(np.nan), remainders)
        return remainders

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the interval from 0 to below the divisor."""
        step = 0 if a.dtype.kind == "f" else 1
        lower = np.where(b < 0, b + step, 0)
        upper = np.where(b_max > 0, b_max - step, 0)
        upper = np.where((a >= 0) & (b >= 0), np.minimum(upper, a_max), upper)
        exact = (a == a_max) & (b == b_max) & (b != 0)
        value = a % np.where(exact, b, 1)
        below = (a >= 0) & (a_max < b)
        lower = np.where(exact, value, np.where(below, a, lower))
        return lower, np.where(exact, value, np.where(below, a_max, upper))
