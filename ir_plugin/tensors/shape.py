"""Static shapes and the other integer lists of OpenVINO's API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import index
from typing import Any, ClassVar, SupportsIndex, TypeVar, overload

from ir_plugin.errors import ArgumentTypeError, InputError, PositionError

Self = TypeVar("Self", bound="IntegerVector")
_MAX_BITS = 512
"""Longer numbers are no lengths; Python refuses to write numbers of more than 4,300 digits."""


class IntegerVector(Sequence[int]):
    """A list of integers of fixed length with assignable items; equals lists and tuples of the same numbers."""

    __slots__ = ("_values",)
    __hash__ = None  # type: ignore[assignment]  # mutable, so not hashable

    _has_sign: ClassVar[bool] = False

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = list(map(self._checked, self._listed(values)))

    def _listed(self, values: Any) -> list[Any]:
        """Return values as a list; raises if they are not iterable or a mapping."""
        if not isinstance(values, Mapping):
            with suppress(TypeError):
                return list(values)
        raise ArgumentTypeError(f"{values!r} is no {self._kind()}; write a list of whole numbers")

    def _kind(self) -> str:
        return type(self).__name__

    def _checked(self, value: Any) -> int:
        """Return a value as an integer; raises if it is not an integer or is negative."""
        try:
            number = index(value)
        except TypeError:
            raise ArgumentTypeError(f"{value!r} is not a whole number, which a {self._kind()} holds") from None
        if number.bit_length() > _MAX_BITS:
            raise ArgumentTypeError(f"a {self._kind()} holds no number of {number.bit_length()} bits")
        if number < 0 and not self._has_sign:
            raise ArgumentTypeError(f"a {self._kind()} holds no negative number, such as {number}")
        return number

    def _position(self, position: Any) -> int:
        """Return a position counted from the start; raises if it is out of range."""
        try:
            at = index(position)
        except TypeError:
            raise ArgumentTypeError(f"{position!r} is not a position in {self!r}; write a whole number") from None
        if not -len(self._values) <= at < len(self._values):
            raise PositionError(f"{self!r} has no position {at}; it has {len(self._values)} numbers")
        return at % len(self._values)

    @overload
    def __getitem__(self, position: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self: Self, position: slice) -> Self: ...
    def __getitem__(self: Self, position: SupportsIndex | slice) -> int | Self:
        if isinstance(position, slice):
            return type(self)(self._values[position])
        return self._values[self._position(position)]

    def __setitem__(self, position: SupportsIndex, value: int) -> None:
        self._values[self._position(position)] = self._checked(value)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, IntegerVector):
            return self._values == other._values
        return self._values == list(other) if isinstance(other, (list, tuple)) else NotImplemented

    def __copy__(self: Self) -> Self:
        return type(self)(self._values)


class Shape(IntegerVector):
    """The lengths of a static shape, as `openvino.Shape`: equals lists and tuples, and prints as `[1,3,8]`."""

    __slots__ = ()

    def __init__(self, lengths: str | Iterable[int] = ()) -> None:
        """Initialize the lengths; text is read as `1,3,8` or `[1,3,8]`."""
        super().__init__(_parsed(lengths) if isinstance(lengths, str) else lengths)

    def to_string(self) -> str:
        """Return the text as OpenVINO writes it: `[1,3,8]`."""
        return f"[{','.join(map(str, self))}]"

    __str__ = to_string

    def __repr__(self) -> str:
        return f"<Shape: {self}>"


def _parsed(text: str) -> list[int]:
    try:
        return [int(length) for length in text.strip().strip("[]").split(",") if length != ""]
    except ValueError:
        raise InputError(f"{text!r} is not a shape; write lengths, as in '1,3,8'") from None


class _SignedVector(IntegerVector):
    __slots__ = ()
    _has_sign = True

    def __str__(self) -> str:
        return ", ".join(map(str, self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: ({self})>"


class Strides(_SignedVector):
    """The distances between neighbouring elements, in bytes, as `openvino.Strides`."""

    __slots__ = ()


class CoordinateDiff(_SignedVector):
    """A difference of positions in a tensor, as `openvino.CoordinateDiff`."""

    __slots__ = ()


class Coordinate(IntegerVector):
    """A position in a tensor, as `openvino.Coordinate`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<Coordinate>"


class AxisVector(IntegerVector):
    """A list of axes, as `openvino.AxisVector`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<AxisVector {{{', '.join(map(str, self))}}}>"


class AxisSet(frozenset[int]):
    """A set of axes, as `openvino.AxisSet`."""

    def __new__(cls, axes: Iterable[int] = ()) -> AxisSet:
        """Return the set of these axes."""
        try:
            return super().__new__(cls, map(index, axes))
        except TypeError:
            raise ArgumentTypeError(f"{axes!r} is not a set of axes; write a list of whole numbers") from None

    def __repr__(self) -> str:
        return f"<AxisSet {{{', '.join(map(str, sorted(self)))}}}>"
