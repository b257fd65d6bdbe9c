"""Static shapes and the other lists of whole numbers that OpenVINO's API has."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import SupportsIndex, overload

from ir_plugin.errors import InputError, UnsupportedError


class Shape(tuple[int, ...]):
    """The lengths of a static shape, as `openvino.Shape`: a tuple that also equals lists, and prints as `[1,3,8]`."""

    __slots__ = ()

    def __new__(cls, lengths: str | Iterable[int] = ()) -> Shape:
        """Return the shape of these lengths; text is read as `1,3,8` or `[1,3,8]`."""
        found = lengths.strip().strip("[]").split(",") if isinstance(lengths, str) else lengths
        try:
            made = super().__new__(cls, (_length(length) for length in found if length != ""))
        except (TypeError, ValueError):
            raise InputError(f"{lengths!r} is no shape; write a list of lengths") from None
        if any(length < 0 for length in made):
            raise InputError(f"{lengths!r} is no shape: a length is negative")
        return made

    @overload
    def __getitem__(self, position: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, position: slice) -> Shape: ...
    def __getitem__(self, position: SupportsIndex | slice) -> int | Shape:
        try:
            found = super().__getitem__(position)
        except (IndexError, TypeError):
            raise InputError(f"the shape {self} has no dimension {position!r}") from None
        return found if isinstance(found, int) else Shape(found)

    def __setitem__(self, position: SupportsIndex, length: int) -> None:
        """Raise: a static shape is not changed here."""
        raise UnsupportedError(f"a Shape cannot be changed; make another one: position {position} is to be {length}")

    def __eq__(self, other: object) -> bool:
        return super().__eq__(tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()

    def to_string(self) -> str:
        """Return it as OpenVINO writes it: `[1,3,8]`."""
        return f"[{','.join(map(str, self))}]"

    __str__ = to_string

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


def _length(value: str | SupportsIndex) -> int:
    return int(value) if isinstance(value, str) else index(value)


class Strides(Shape):
    """The distances between neighbouring elements, in bytes, as `openvino.Strides`."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Strides: ({self})>"


class Coordinate(Shape):
    """A position in a tensor, as `openvino.Coordinate`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<Coordinate>"

    __str__ = __repr__


class AxisVector(Shape):
    """A list of axes, as `openvino.AxisVector`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<AxisVector {{{', '.join(map(str, self))}}}>"

    __str__ = __repr__


class AxisSet(frozenset[int]):
    """A set of axes, as `openvino.AxisSet`."""

    def __new__(cls, axes: Iterable[int] = ()) -> AxisSet:
        """Return the set of these axes."""
        try:
            return super().__new__(cls, map(index, axes))
        except TypeError:
            raise InputError(f"{axes!r} is no set of axes; write a list of whole numbers") from None

    def __repr__(self) -> str:
        return f"<AxisSet {{{', '.join(map(str, sorted(self)))}}}>"
