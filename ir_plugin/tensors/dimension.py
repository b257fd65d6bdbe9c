"""A dimension of a shape: an integer or an interval of integers."""

from __future__ import annotations

import re
from collections.abc import Callable
from numbers import Integral
from operator import index
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.tensors.read_only import ReadOnly
from ir_plugin.tensors.symbol import Symbol

UNBOUNDED = 2**63 - 1
"""The largest length of a dimension, which also stands for "no upper bound"."""

_MAX_BITS, _MAX_LETTERS = 512, 512
"""Longer numbers are no lengths; Python refuses to read and to write numbers of more than 4,300 digits."""
_TEXT = re.compile(r"\s*(?:(\?|-1)|(-?\d+)|(\d*)\.\.(\d*))\s*", re.ASCII)


class Dimension(ReadOnly):
    """The interval [lower, upper] of possible lengths, as `openvino.Dimension`.

    `Dimension()` is any length, `Dimension(3)` just 3, `Dimension(1, 5)` and `Dimension("1..5")` one of
    1 to 5; an upper bound of -1 means no bound. Arithmetic is interval arithmetic.
    """

    __slots__ = ("_symbol", "lower", "upper")

    lower: int
    upper: int

    def __init__(self, lower: int | str | Dimension = -1, upper: int | None = None) -> None:
        if upper is not None and isinstance(lower, (str, Dimension)):
            raise ArgumentTypeError(f"an upper bound follows a number, not {lower!r}")
        if isinstance(lower, Dimension):
            least, most = lower.lower, lower.upper
            if lower.has_symbol():
                _set_symbol(self, lower.get_symbol())
        elif isinstance(lower, str):
            least, most = _parse(lower)
        elif upper is None:
            length = _integer(lower)
            least, most = (0, UNBOUNDED) if length == -1 else (length, length)
        else:
            longest = _integer(upper)
            least, most = max(_integer(lower), 0), UNBOUNDED if longest == -1 else min(longest, UNBOUNDED)
        if least > UNBOUNDED:
            raise InputError(f"{least} is beyond the greatest length, {UNBOUNDED}")
        if not 0 <= least <= most <= UNBOUNDED:
            raise InputError(f"a dimension cannot reach from {least} to {most}")
        _set_lower(self, least)
        _set_upper(self, most)

    @staticmethod
    def between(lower: int, upper: int) -> Dimension:
        """Return the interval [lower, upper], clamped to valid lengths."""
        lower = min(max(lower, 0), UNBOUNDED)
        return _interval(lower, min(max(upper, lower), UNBOUNDED))

    @staticmethod
    def dynamic() -> Dimension:
        """Return the unknown dimension."""
        return Dimension()

    @property
    def is_static(self) -> bool:
        """Whether just one length is possible."""
        return self.lower == self.upper

    @property
    def is_dynamic(self) -> bool:
        """Whether more than one length is possible."""
        return self.lower != self.upper

    @property
    def is_unknown(self) -> bool:
        """Whether any length is possible; such a dimension equals -1."""
        return self.lower == 0 and self.upper == UNBOUNDED

    @property
    def is_bounded(self) -> bool:
        """Whether it has an upper bound."""
        return self.upper != UNBOUNDED

    @property
    def min_length(self) -> int:
        """The smallest length."""
        return self.lower

    @property
    def max_length(self) -> int:
        """The largest length, or -1."""
        return self.upper if self.is_bounded else -1

    def get_min_length(self) -> int:
        """Return the smallest length."""
        return self.min_length

    def get_max_length(self) -> int:
        """Return the largest length, or -1."""
        return self.max_length

    def get_length(self) -> int:
        """Return the length of a static dimension."""
        if self.is_dynamic:
            raise InputError(f"the dimension {self} has no single length")
        return self.lower

    def has_symbol(self) -> bool:
        """Return whether the dimension has a symbol."""
        return getattr(self, "_symbol", None) is not None

    def get_symbol(self) -> Symbol | None:
        """Return the symbol, or None."""
        symbol: Symbol | None = getattr(self, "_symbol", None)
        return symbol

    def set_symbol(self, symbol: Symbol | None) -> None:
        """Set the symbol, or remove it; a shape holds a copy of the dimension."""
        if symbol is not None:
            require(symbol, Symbol, "a Symbol", "symbol")
        _set_symbol(self, symbol)

    def contains(self, length: int) -> bool:
        """Return whether this length is possible."""
        return self.lower <= length <= self.upper

    def compatible(self, other: Dimension | int) -> bool:
        """Return whether both can have the same length."""
        return self.merge(other) is not None

    def refines(self, other: Dimension | int) -> bool:
        """Return whether `other` contains every length of this dimension."""
        other = other if isinstance(other, Dimension) else Dimension(other)
        return other.lower <= self.lower and self.upper <= other.upper

    def relaxes(self, other: Dimension | int) -> bool:
        """Return whether this dimension contains every length of `other`."""
        return Dimension(other).refines(self)

    def same_scheme(self, other: Dimension | int) -> bool:
        """Return whether both are the same length, or both dynamic."""
        other = other if isinstance(other, Dimension) else Dimension(other)
        return self == other or (self.is_dynamic and other.is_dynamic)

    def merge(self, other: Dimension | int) -> Dimension | None:
        """Return the intersection of both, or None if it is empty."""
        if other is self:
            return self
        other = other if isinstance(other, Dimension) else Dimension(other)
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if lower == self.lower and upper == self.upper:
            return self
        return _interval(lower, upper) if lower <= upper else None

    def union(self, other: Dimension | int) -> Dimension:
        """Return the smallest interval that contains both."""
        if other is self:
            return self
        other = other if isinstance(other, Dimension) else Dimension(other)
        lower, upper = min(self.lower, other.lower), max(self.upper, other.upper)
        return self if lower == self.lower and upper == self.upper else _interval(lower, upper)

    def broadcast(self, other: Dimension | int) -> Dimension | None:
        """Return the length after NumPy broadcasting, or None if the lengths do not broadcast."""
        if other is self:
            return self
        other = other if isinstance(other, Dimension) else Dimension(other)
        if self.contains(1):
            return self.union(other) if other.contains(1) else other
        return self if other.contains(1) else self.merge(other)

    def map(self, function: Callable[[int], int]) -> Dimension:
        """Return the interval between `function` of both bounds; `function` must not decrease."""
        upper = UNBOUNDED if self.upper == UNBOUNDED else function(self.upper)
        return Dimension.between(function(self.lower), upper)

    def __add__(self, other: Dimension | int) -> Dimension:
        lower, upper = _span(other)
        return Dimension.between(
            self.lower + lower, UNBOUNDED if UNBOUNDED in (self.upper, upper) else self.upper + upper
        )

    __radd__ = __add__

    def __sub__(self, other: Dimension | int) -> Dimension:
        lower, upper = _span(other)
        longest = UNBOUNDED if self.upper == UNBOUNDED else self.upper - lower
        return Dimension.between(0 if upper == UNBOUNDED else self.lower - upper, longest)

    def __mul__(self, other: Dimension | int) -> Dimension:
        lower, upper = _span(other)
        if upper == 0 or self.upper == 0:
            return Dimension(0)
        return Dimension.between(
            self.lower * lower, UNBOUNDED if UNBOUNDED in (self.upper, upper) else self.upper * upper
        )

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Dimension:
        return self.map(lambda length: length // divisor)

    def ceildiv(self, divisor: int) -> Dimension:
        """Return the quotient, rounded up."""
        return self.map(lambda length: -(-length // divisor))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Dimension):
            return self.lower == other.lower and self.upper == other.upper
        if isinstance(other, Integral):
            return bool(self.lower == self.upper == other) or (other == -1 and self.is_unknown)
        return NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self.lower, self.max_length)

    def __hash__(self) -> int:
        lower, upper = self.lower, self.upper
        if lower == upper:
            return hash(lower)
        return hash(-1 if lower == 0 and upper == UNBOUNDED else (lower, upper))

    def __int__(self) -> int:
        return self.get_length()

    __index__ = __int__
    __len__ = __int__

    def __bool__(self) -> bool:
        return True

    def to_string(self) -> str:
        """Return the text as OpenVINO writes it: `3`, `?`, `1..3`, `3..`, `..3`."""
        if self.is_static:
            return str(self.lower)
        lower = str(self.lower) if self.lower else ""
        upper = str(self.upper) if self.is_bounded else ""
        return f"{lower}..{upper}" if lower or upper else "?"

    __str__ = to_string

    def __repr__(self) -> str:
        return f"<Dimension: {self}>"


_set_symbol, _set_lower, _set_upper = (vars(Dimension)[name].__set__ for name in Dimension.__slots__)


def _interval(lower: int, upper: int) -> Dimension:
    """Return the dimension of valid bounds."""
    dimension = Dimension.__new__(Dimension)
    _set_lower(dimension, lower)
    _set_upper(dimension, upper)
    return dimension


def _span(value: Dimension | int) -> tuple[int, int]:
    return (value.lower, value.upper) if isinstance(value, Dimension) else (value, value)


def _integer(value: int) -> int:
    try:
        number = index(value)
    except TypeError:
        raise ArgumentTypeError(f"{value!r} is not a length of a dimension; write a whole number") from None
    if number.bit_length() > _MAX_BITS:
        raise InputError(f"a number of {number.bit_length()} bits is beyond the greatest length, {UNBOUNDED}")
    return number


def _parse(text: str) -> tuple[int, int]:
    if len(text) > _MAX_LETTERS:
        raise InputError(f"a text of {len(text)} letters is not a dimension; the greatest length is {UNBOUNDED}")
    match = _TEXT.fullmatch(text)
    if match is None or (match[2] or "0").startswith("-"):
        raise InputError(f"{text!r} is not a dimension; write 3, ?, 1..3, 3.. or ..3")
    if match[1]:
        return 0, UNBOUNDED
    if match[2]:
        return int(match[2]), int(match[2])
    return int(match[3] or 0), int(match[4] or UNBOUNDED)
