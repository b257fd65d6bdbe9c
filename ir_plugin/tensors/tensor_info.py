"""What is known of a tensor before a graph runs: element type, partial shape and, often, values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ir_plugin.tensors.element_type import Array, ElementType
from ir_plugin.tensors.partial_shape import DimensionLike, FrozenShape, PartialShape


class Bounds(NamedTuple):
    """Arrays of the smallest and of the largest value that each element may have."""

    lower: Array
    upper: Array

    @property
    def is_exact(self) -> bool:
        """Whether every element has just one value."""
        return self.lower is self.upper or bool(np.array_equal(self.lower, self.upper))


class TensorInfo:
    """The element type, partial shape and perhaps values of one input or output of an operation.

    `value` is the array where all elements are known, `bounds` the intervals where they are known in
    part (the shape of a tensor with a dynamic dimension); either may be None. Both are computed when
    first asked for. The shape cannot be changed in place. `missed` says whether one was asked for and is not known.
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
        """Return the tensor of which everything is known."""
        return TensorInfo(element_type or ElementType.from_dtype(array.dtype), array.shape, array)

    @property
    def bounds(self) -> Bounds | None:
        """The smallest and largest value of each element, or None where nothing is known."""
        if self._resolver is not None:
            resolver, self._resolver = self._resolver, None
            self._bounds = resolver()
        self.missed |= self._bounds is None
        return self._bounds

    @property
    def value(self) -> Array | None:
        """The array, where every element is known."""
        bounds = self.bounds
        known = bounds is not None and bounds.is_exact
        self.missed |= not known
        return bounds.lower if bounds is not None and known else None

    def resolve_with(self, resolver: Callable[[], Bounds | None]) -> None:
        """Let `resolver` compute the bounds when they are first asked for, unless they are known or another will."""
        if self._bounds is None and self._resolver is None:
            self._resolver = resolver

    @property
    def is_pending(self) -> bool:
        """Whether the values could still be computed."""
        return self._resolver is not None

    def settle(self, bounds: Bounds | None) -> None:
        """Take these bounds as the values, unless others are known."""
        self._resolver = None
        if self._bounds is None:
            self._bounds = bounds

    def with_shape(self, shape: PartialShape | Iterable[DimensionLike] | None) -> TensorInfo:
        """Return a tensor of the same element type, another shape, and unknown values."""
        return TensorInfo(self.element_type, shape)

    def with_type(self, element_type: ElementType) -> TensorInfo:
        """Return a tensor of the same shape, another element type, and unknown values."""
        return TensorInfo(element_type, self.shape)

    def __str__(self) -> str:
        return f"{self.element_type}{self.shape}"

    def __repr__(self) -> str:
        return f"<TensorInfo: {self}>"
