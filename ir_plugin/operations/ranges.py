"""The whole numbers that inputs may hold as indices, lengths or axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ir_plugin.tensors import Array, PartialShape, TensorInfo


@dataclass(frozen=True)
class Range:
    """The whole numbers from `low` to `high`, for elements that may have to ascend or be distinct."""

    low: int
    high: int
    ascending: bool = False
    distinct: bool = False

    @classmethod
    def below(cls, count: int, *, ascending: bool = False, distinct: bool = False) -> Range:
        """Return the range of indices into `count` elements."""
        return cls(0, max(count - 1, 0), ascending, distinct)

    def meet(self, other: Range | None) -> Range:
        """Return the intersection of two ranges, or this range if it is empty."""
        if other is None:
            return self
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            return self
        return Range(low, high, self.ascending or other.ascending, self.distinct or other.distinct)

    def sum_with(self, low: int, high: int) -> Range:
        """Return the range of addends whose sums with numbers from `low` to `high` stay in this range."""
        return replace(self, low=self.low - low, high=max(self.high - high, self.low - low))

    def of_both(self, high: int) -> Ranges:
        """Return the range up to `high` for both operands, or none if this range excludes 0 and 1."""
        if self.low > 1 or self.high < 0:
            return {}
        low = max(self.low, 0)
        return dict.fromkeys((0, 1), Range(low, max(high, low)))


Ranges: TypeAlias = Mapping[int, Range]
"""Ranges by the position of the input."""


class KnownInputs:
    """The shapes and values of an operation's inputs, as far as they are known."""

    def __init__(self, tensors: Sequence[TensorInfo | None]) -> None:
        self._tensors = tensors

    def __len__(self) -> int:
        return len(self._tensors)

    def tensor(self, position: int) -> TensorInfo | None:
        """Return the type and shape of an input, or None if it is not connected."""
        return self._tensors[position] if position < len(self._tensors) else None

    def shape(self, position: int) -> PartialShape:
        """Return the shape of an input."""
        tensor = self.tensor(position)
        return PartialShape(None) if tensor is None else tensor.shape

    def rank(self, position: int) -> int:
        """Return the rank of an input, or 1 if it is unknown."""
        dims = self.shape(position).dims
        return 1 if dims is None else len(dims)

    def axes(self, position: int) -> Range:
        """Return the range of distinct axes of an input."""
        return Range.below(self.rank(position), distinct=True)

    def length(self, position: int, axis: int | None) -> int:
        """Return the lower bound of a dimension, at least 1."""
        dims = self.shape(position).dims
        if dims is None or axis is None or not -len(dims) <= axis < len(dims):
            return 1
        return max(dims[axis].lower, 1)

    def value(self, position: int) -> Array | None:
        """Return the elements of an input if they are known, else None."""
        tensor = self.tensor(position)
        return None if tensor is None else tensor.value

    def scalar(self, position: int) -> int | None:
        """Return the only element of an input if it is known, else None."""
        value = self.value(position)
        return int(value.reshape(-1)[0]) if value is not None and value.size == 1 else None

    def extent(self, position: int) -> tuple[int, int] | None:
        """Return the least and the largest element of an input, rounded outwards, if they are known, else None."""
        value = self.value(position)
        if value is None or value.size == 0 or value.dtype.kind not in "iuf" or not np.isfinite(value).all():
            return None
        return int(np.floor(value.min())), int(np.ceil(value.max()))
