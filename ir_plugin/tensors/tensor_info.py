"""Inferred information of tensors: element type, partial shape and bounds of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ir_plugin.tensors.element_type import Array, ElementType
from ir_plugin.tensors.partial_shape import DimensionLike, FrozenShape, PartialShape


class Bounds(NamedTuple):
    """Arrays of the smallest and the largest possible value of each element."""

    lower: Array
    upper: Array

    @property
    def is_exact(self) -> bool:
        """Whether just one value of every element is possible."""
        return self.lower is self.upper or bool(np.array_equal(self.lower, self.upper))


class TensorInfo:
    """The inferred element type, partial shape and bounds of values of one input or output of an operation.

    `bounds` are the intervals of the elements, such as the lengths in the shape of a dynamic tensor, and
    `value` is the array if every element is known; either may be None. Both are computed on first access. The shape is
    immutable. `missed` records that one was accessed and unknown.
    """

    __slots__ = ("_bounds", "_resolver", "element_type", "missed", "shape")

    def __init__(
        self,
        element_type: ElementType,
        shape: PartialShape | Iterable[DimensionLike] | None,
        value: Array | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        self.element_type = element_type
        self.shape: PartialShape = shape if isinstance(shape, FrozenShape) else FrozenShape(shape)
        self._bounds = Bounds(value, value) if value is not None else bounds
        self._resolver: Callable[[], Bounds | None] | None = None
        self.missed = False

    @staticmethod
    def of(array: Array, element_type: ElementType | None = None) -> TensorInfo:
        """Return the information of a known array."""
        return TensorInfo(element_type or ElementType.from_dtype(array.dtype), array.shape, array)

    @property
    def bounds(self) -> Bounds | None:
        """The smallest and largest value of each element, or None if unknown."""
        if self._resolver is not None:
            resolver, self._resolver = self._resolver, None
            self._bounds = resolver()
        self.missed |= self._bounds is None
        return self._bounds

    @property
    def value(self) -> Array | None:
        """The array if every element is known, else None."""
        bounds = self.bounds
        is_exact = bounds is not None and bounds.is_exact
        self.missed |= not is_exact
        return bounds.lower if bounds is not None and is_exact else None

    def resolve_with(self, resolver: Callable[[], Bounds | None]) -> None:
        """Compute the bounds by `resolver` on first access, unless they are known or have a resolver."""
        if self._bounds is None and self._resolver is None:
            self._resolver = resolver

    @property
    def is_pending(self) -> bool:
        """Whether the bounds have yet to be computed."""
        return self._resolver is not None

    def settle(self, bounds: Bounds | None) -> None:
        """Set the bounds, unless others are known."""
        self._resolver = None
        if self._bounds is None:
            self._bounds = bounds

    def with_shape(self, shape: PartialShape | Iterable[DimensionLike] | None) -> TensorInfo:
        """Return the information with another shape and unknown values."""
        return TensorInfo(self.element_type, shape)

    def __str__(self) -> str:
        return f"{self.element_type.name}{self.shape}"

    def __repr__(self) -> str:
        return f"<TensorInfo: {self}>"
