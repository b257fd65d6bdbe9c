"""A shape whose rank and dimensions may be partly unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from math import prod
from typing import Any, SupportsIndex, TypeAlias, overload

from ir_plugin.errors import ArgumentTypeError, InputError, PositionError, UnsupportedError, shown
from ir_plugin.tensors.dimension import UNBOUNDED, Dimension
from ir_plugin.tensors.read_only import ReadOnly
from ir_plugin.tensors.shape import Shape

MAX_RANK = 64
"""The largest rank of a tensor, which is NumPy's limit."""

DimensionLike: TypeAlias = "Dimension | int | str | tuple[int, int] | list[int]"


class PartialShape(ReadOnly):
    """Dimensions, or an unknown rank, as `openvino.PartialShape`.

    It is constructed from text (`"?,1..3,8"`, `"..."`), from dimensions, or from another shape. `shape[0]` is a
    `Dimension`, `shape[1:]` a shape, and `+` concatenates shapes; a shape of unknown rank has no length.
    """

    __slots__ = ("dims",)

    dims: tuple[Dimension, ...] | None

    def __init__(self, dims: str | PartialShape | Iterable[DimensionLike] | None = ()) -> None:
        _set_dims(self, dims.dims if isinstance(dims, PartialShape) else _dims(dims))

    @staticmethod
    def dynamic(rank: Dimension | int | None = None) -> PartialShape:
        """Return a shape of unknown dimensions with this rank, unknown by default."""
        length = Dimension() if rank is None else Dimension(rank)
        if length.is_dynamic:
            return PartialShape(None)
        if length.lower > MAX_RANK:
            raise InputError(f"a shape of {length} dimensions; a tensor has at most {MAX_RANK}")
        return PartialShape([Dimension()] * length.lower)

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self.dims is None else len(self.dims)

    @property
    def rank(self) -> Dimension:
        """The number of dimensions, as a dimension."""
        return Dimension() if self.dims is None else Dimension(len(self.dims))

    @property
    def is_static(self) -> bool:
        """Whether rank and all dimensions are known."""
        return self.dims is not None and all(dim.lower == dim.upper for dim in self.dims)

    @property
    def is_dynamic(self) -> bool:
        """Whether the rank or a dimension is unknown."""
        return not self.is_static

    @property
    def size(self) -> Dimension:
        """The number of elements."""
        if self.dims is None:
            return Dimension()
        uppers = [dim.upper for dim in self.dims]
        unbounded = UNBOUNDED in uppers and 0 not in uppers
        return Dimension.between(prod(dim.lower for dim in self.dims), UNBOUNDED if unbounded else prod(uppers))

    @property
    def all_non_negative(self) -> bool:
        """Whether no length is negative, which is always true."""
        return True

    def lengths(self) -> tuple[int, ...]:
        """Return the lengths of a static shape."""
        if self.dims is None:
            raise InputError("a shape of unknown rank has no lengths")
        return tuple([dim.get_length() for dim in self.dims])

    def to_shape(self) -> Shape:
        """Return the lengths of a static shape, as OpenVINO's Shape."""
        return Shape(self.lengths())

    get_shape = to_shape

    def get_min_shape(self) -> Shape:
        """Return the smallest length of each dimension."""
        return Shape(dim.lower for dim in self.dims or ())

    def get_max_shape(self) -> Shape:
        """Return the largest length of each dimension, 2**63 - 1 if unbounded."""
        return Shape(dim.upper for dim in self.dims or ())

    def get_dimension(self, index: int) -> Dimension:
        """Return one dimension."""
        return self[index]

    def contains(self, shape: Sequence[int]) -> bool:
        """Return whether an array of this shape fits."""
        if self.dims is None:
            return True
        return len(shape) == len(self.dims) and all(d.contains(n) for d, n in zip(self.dims, shape, strict=True))

    def merge(self, other: PartialShape | Iterable[DimensionLike]) -> PartialShape | None:
        """Return the intersection of both shapes, or None if it is empty."""
        other = other if isinstance(other, PartialShape) else PartialShape(other)
        if self.dims is None or other.dims is None:
            return other if self.dims is None else self
        if self.dims == other.dims:
            return self
        if len(self.dims) != len(other.dims):
            return None
        merged = [mine.merge(theirs) for mine, theirs in zip(self.dims, other.dims, strict=True)]
        dims = [dim for dim in merged if dim is not None]
        return PartialShape(dims) if len(dims) == len(merged) else None

    def union(self, other: PartialShape) -> PartialShape:
        """Return the smallest partial shape that contains both."""
        if self.dims is None or other.dims is None or len(self.dims) != len(other.dims):
            return PartialShape(None)
        return PartialShape([mine.union(theirs) for mine, theirs in zip(self.dims, other.dims, strict=True)])

    def compatible(self, other: PartialShape | Iterable[DimensionLike]) -> bool:
        """Return whether both can be the same shape."""
        mine, theirs = self.dims, _shape(other).dims
        if mine is None or theirs is None or mine is theirs:
            return True
        if len(mine) != len(theirs):
            return False
        for dim, other_dim in zip(mine, theirs, strict=True):
            if dim is not other_dim and (dim.lower > other_dim.upper or other_dim.lower > dim.upper):
                return False
        return True

    def refines(self, other: PartialShape | Iterable[DimensionLike]) -> bool:
        """Return whether `other` contains every shape of this one."""
        other = _shape(other)
        if other.dims is None or self.dims is None:
            return other.dims is None
        return len(self.dims) == len(other.dims) and all(
            mine.refines(theirs) for mine, theirs in zip(self.dims, other.dims, strict=True)
        )

    def relaxes(self, other: PartialShape | Iterable[DimensionLike]) -> bool:
        """Return whether this shape contains every shape of `other`."""
        return _shape(other).refines(self)

    def same_scheme(self, other: PartialShape | Iterable[DimensionLike]) -> bool:
        """Return whether both have the same rank, the same lengths and the same dynamic dimensions."""
        other = _shape(other)
        if self.dims is None or other.dims is None or len(self.dims) != len(other.dims):
            return self.dims is None and other.dims is None
        return all(mine.same_scheme(theirs) for mine, theirs in zip(self.dims, other.dims, strict=True))

    def replace(self, index: int, dim: DimensionLike) -> PartialShape:
        """Return the shape with one dimension changed."""
        dims = list(self if self.dims is None else self.dims)
        if not isinstance(index, int):
            raise ArgumentTypeError(f"a dimension is named by its position, not by {shown(index)}")
        if not -len(dims) <= index < len(dims):
            raise PositionError(f"the shape {self} has no dimension {shown(index)}")
        dims[index] = _dimension(dim)
        return PartialShape(dims)

    def __len__(self) -> int:
        if self.dims is None:
            raise InputError("a shape of unknown rank has no length")
        return len(self.dims)

    def __iter__(self) -> Iterator[Dimension]:
        if self.dims is None:
            raise InputError("a shape of unknown rank has no dimensions")
        return map(Dimension, self.dims)

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, index: int) -> Dimension: ...
    @overload
    def __getitem__(self, index: slice) -> PartialShape: ...
    def __getitem__(self, index: int | slice) -> Dimension | PartialShape:
        if self.dims is None:
            return self._of_unknown_rank(index)
        if isinstance(index, slice):
            return PartialShape(self.dims[index])
        try:
            return Dimension(self.dims[index])
        except IndexError:
            raise PositionError(f"the shape {self} has no dimension {shown(index)}") from None
        except TypeError:
            raise ArgumentTypeError(f"a dimension is named by its position, not by {shown(index)}") from None

    def _of_unknown_rank(self, index: int | slice) -> Dimension | PartialShape:
        raise PositionError(f"a shape of unknown rank has no dimension {shown(index)}; ask `rank.is_static` first")

    def __setitem__(self, index: int, dim: DimensionLike) -> None:
        """Change one dimension, as scripts for OpenVINO do; operations use `replace`."""
        _set_dims(self, self.replace(index, dim).dims)

    def __add__(self, other: PartialShape | Iterable[DimensionLike]) -> PartialShape:
        other = PartialShape(other)
        if self.dims is None or other.dims is None:
            return PartialShape(None)
        return PartialShape(self.dims + other.dims)

    def __radd__(self, other: Iterable[DimensionLike]) -> PartialShape:
        return PartialShape(other) + self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (str, list, tuple, Shape)):
            try:
                other = PartialShape(other)
            except InputError:
                return False
        if not isinstance(other, PartialShape):
            return NotImplemented
        return self.dims == other.dims

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.dims,)

    def __hash__(self) -> int:
        return hash(self.dims)

    def to_string(self) -> str:
        """Return the text as OpenVINO writes it: `[?,1..3,8]`, or `[...]` for an unknown rank."""
        return "[...]" if self.dims is None else f"[{','.join(map(str, self.dims))}]"

    __str__ = to_string

    def __repr__(self) -> str:
        return f"<PartialShape: {self}>"


_set_dims = vars(PartialShape)["dims"].__set__


class FrozenShape(PartialShape):
    """An immutable shape of a model; `PartialShape(shape)` is a mutable copy."""

    __slots__ = ()

    def __setitem__(self, index: int, dim: DimensionLike) -> None:
        """Raise: the shape is shared."""
        raise UnsupportedError(
            f"the shape {self} is part of a model and cannot be changed: dimension {shown(index)} is to be {dim}; "
            "change a copy, PartialShape(shape), and give it to Model.reshape"
        )

    def __iter__(self) -> Iterator[Dimension]:
        return iter(super().__iter__() if self.dims is None else self.dims)

    @overload
    def __getitem__(self, index: int) -> Dimension: ...
    @overload
    def __getitem__(self, index: slice) -> PartialShape: ...
    def __getitem__(self, index: int | slice) -> Dimension | PartialShape:
        if self.dims is None or isinstance(index, slice) or not -len(self.dims) <= index < len(self.dims):
            return super().__getitem__(index)
        return self.dims[index]

    def _of_unknown_rank(self, index: int | slice) -> Dimension | PartialShape:
        return PartialShape(None) if isinstance(index, slice) else Dimension()


def frozen(shape: PartialShape | Iterable[DimensionLike] | str | None) -> FrozenShape:
    """Return an immutable shape."""
    return shape if isinstance(shape, FrozenShape) else FrozenShape(shape)


def shared(shape: PartialShape) -> FrozenShape:
    """Return one immutable object for equal shapes, so that most comparisons are of identities.

    A shape whose dimensions have symbols is only equal to itself.
    """
    if shape.dims is None or any(dim.has_symbol() for dim in shape.dims):
        return frozen(shape)
    return _shape_of(shape.dims)


@lru_cache(maxsize=4096)
def _shape_of(dims: tuple[Dimension, ...]) -> FrozenShape:
    return FrozenShape(dims)


def _dims(dims: str | Iterable[DimensionLike] | None) -> tuple[Dimension, ...] | None:
    if isinstance(dims, (list, tuple)):
        return tuple(map(_dimension, dims))
    if isinstance(dims, str):
        return _parse(dims)
    if dims is None:
        return None
    if not isinstance(dims, Iterable):
        raise ArgumentTypeError(f"{dims!r} is not a shape; write a list of dimensions, or text such as '1,?,3..8'")
    return tuple(map(_dimension, _iterated(dims)))


def _shape(value: PartialShape | Iterable[DimensionLike]) -> PartialShape:
    if value is None:
        raise ArgumentTypeError("a shape is needed, not None")
    return value if isinstance(value, PartialShape) else PartialShape(value)


def _iterated(dims: Iterable[DimensionLike]) -> Iterable[DimensionLike]:
    if isinstance(dims, (Mapping, Set)):
        raise ArgumentTypeError(f"{dims!r} is not a shape; write a list of dimensions")
    try:
        return iter(dims)
    except TypeError:
        raise ArgumentTypeError(f"{dims!r} is not a shape; write a list of dimensions") from None


def _dimension(value: DimensionLike) -> Dimension:
    if isinstance(value, Dimension):
        return Dimension(value) if value.has_symbol() else value
    if isinstance(value, int):
        return _COMMON[value] if -1 <= value < _COMMON_LENGTHS else Dimension(value)
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise ArgumentTypeError(
                "Two elements are expected in tuple(lower, upper) for dynamic dimension, "
                f"but {len(value)} elements were given. {value!r} is not a dimension"
            )
        return Dimension(*value)
    if not isinstance(value, (str, SupportsIndex)):
        raise ArgumentTypeError(f"{value!r} is not a dimension; write a length, (lower, upper) or text")
    return Dimension(value)


_COMMON_LENGTHS = 4097
_COMMON = [*map(Dimension, range(_COMMON_LENGTHS)), Dimension()]
"""Shared common dimensions, which make most comparisons identity comparisons; the last is dynamic (-1)."""


def _parse(text: str) -> tuple[Dimension, ...] | None:
    inner = text.strip()
    if inner[:1] + inner[-1:] == "[]":
        inner = inner[1:-1].strip()
    if inner == "...":
        return None
    return tuple(Dimension(part) for part in inner.split(",")) if inner else ()
