"""Windows that slide over spatial dimensions: the arithmetic that convolutions and poolings share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.memory import require
from ir_plugin.operations.shapes import unbounded, whole_numbers
from ir_plugin.tensors import UNBOUNDED, Array, Dimension, TensorInfo

LIMIT = 2**31 - 1
"""The largest stride, dilation, pad or kernel that is accepted."""


@dataclass(frozen=True)
class Windows:
    """Strides, dilations and pads of windows per spatial axis; the pads count only where `auto_pad` is explicit."""

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    auto_pad: str

    @staticmethod
    def checked(
        axes: int,
        strides: Sequence[int],
        dilations: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        auto_pad: str,
    ) -> Windows:
        """Return the windows over `axes` spatial axes; an empty list stands for ones (pads: zeros)."""
        explicit = auto_pad == "explicit"
        return Windows(
            checked_list("strides", strides, axes, 1, 1),
            checked_list("dilations", dilations, axes, 1, 1),
            checked_list("pads_begin", pads_begin if explicit else (), axes, 0, 0),
            checked_list("pads_end", pads_end if explicit else (), axes, 0, 0),
            auto_pad,
        )

    @property
    def is_same(self) -> bool:
        """Whether the pads are derived so that `ceil(length / stride)` windows fit."""
        return self.auto_pad in ("same_upper", "same_lower")

    def extent(self, axis: int, kernel: Dimension) -> Dimension:
        """Return the length from the first to the last element of a window."""
        dilation = self.dilations[axis]
        return kernel.map(lambda length: max((length - 1) * dilation + 1, 1))

    def pads(self, lengths: Sequence[int], kernel: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the pads before and after, for known lengths of data and kernel."""
        if not self.is_same:
            return self.pads_begin, self.pads_end
        total = [
            max((-(-length // stride) - 1) * stride + max((size - 1) * dilation + 1, 1) - length, 0)
            for length, size, stride, dilation in zip(lengths, kernel, self.strides, self.dilations, strict=True)
        ]
        small, large = tuple(n // 2 for n in total), tuple(n - n // 2 for n in total)
        return (small, large) if self.auto_pad == "same_upper" else (large, small)

    def inferred_pads(self, lengths: Sequence[Dimension], kernel: Sequence[Dimension]) -> dict[str, tuple[int, ...]]:
        """Return the pads before and after by attribute; derived pads of an axis of unknown length are zeros."""
        begin, end = self.pads([length.lower for length in lengths], [size.lower for size in kernel])
        if self.is_same:
            are_static = [length.is_static and size.is_static for length, size in zip(lengths, kernel, strict=True)]
            begin, end = (
                tuple(n * is_known for n, is_known in zip(side, are_static, strict=True)) for side in (begin, end)
            )
        return {"pads_begin": begin, "pads_end": end}

    def convolved(self, axis: int, length: Dimension, kernel: Dimension) -> Dimension:
        """Return the number of windows that fit: `(length + pads - extent) // stride + 1`."""
        stride = self.strides[axis]
        if self.is_same:
            return length.ceildiv(stride)
        padded = length + (self.pads_begin[axis] + self.pads_end[axis])
        extent = self.fitting(axis, padded, kernel)
        room = Dimension.between(
            max(padded.lower - extent.upper, 0), padded.upper if not padded.is_bounded else padded.upper - extent.lower
        )
        return room // stride + 1

    def fitting(self, axis: int, padded: Dimension, kernel: Dimension) -> Dimension:
        """Return the extent of a window, which must fit into the padded data."""
        extent = self.extent(axis, kernel)
        if padded.upper < extent.lower:
            raise ShapeError(
                "",
                f"a window of {extent} elements (kernel {kernel}, dilation {self.dilations[axis]}) does not fit into "
                f"the {padded} elements of spatial axis {axis} with its pads",
                "enlarge the input or its pads, or use a smaller kernel",
            )
        return extent


def checked_list(part: str, values: Sequence[int], count: int, least: int, default: int | None) -> tuple[int, ...]:
    """Return `count` values of at least `least`; an empty list stands for `count` defaults if there is one."""
    if not values and default is not None:
        return (default,) * count
    if len(values) != count:
        raise ShapeError(part, f"{part} {list(values)} has {len(values)} values for {count} spatial axes")
    if not all(least <= value <= LIMIT for value in values):
        raise ShapeError(part, f"{part} is {list(values)}; every value must be at least {least} and below 2^31")
    return tuple(values)


def lengths_from_values(part: str, tensor: TensorInfo, axes: int) -> list[Dimension]:
    """Return the spatial lengths that an input holds as values."""
    bounds = tensor.bounds
    if bounds is None or bounds.lower.size != axes:
        return [Dimension()] * axes
    limit = UNBOUNDED if bounds.upper.dtype.kind == "f" else unbounded(bounds.upper.dtype)
    pairs = list(zip(whole_numbers(part, bounds.lower), whole_numbers(part, bounds.upper), strict=True))
    for _, upper in pairs:
        if upper < 0:
            raise ShapeError(part, f"{part} holds {upper}; a length cannot be negative")
    return [Dimension.between(lower, UNBOUNDED if upper == limit else upper) for lower, upper in pairs]


def padded(data: Array, begin: Sequence[int], end: Sequence[int], value: float = 0) -> Array:
    """Return the data with pads on the last axes; raises `LimitError` if it takes too much memory."""
    if not any(begin) and not any(end):
        return data
    first = data.ndim - len(begin)
    inner = tuple(slice(b, b + n) for b, n in zip(begin, data.shape[first:], strict=True))
    lengths = [b + n + e for b, n, e in zip(begin, data.shape[first:], end, strict=True)]
    require("the padded data", [*data.shape[:first], *lengths], data.itemsize)
    wide: Array = np.full([*data.shape[:first], *lengths], value, data.dtype)
    wide[tuple([slice(None)] * first) + inner] = data
    return wide


def positions(kernel: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Return the positions in a window, the last axis fastest."""
    return product(*map(range, kernel))


def strided(
    position: Sequence[int], outputs: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[slice, ...]:
    """Return the slices of padded data that hold the element at `position` of each of the windows."""
    return tuple(
        slice(offset * dilation, offset * dilation + (count - 1) * stride + 1 if count else 0, stride)
        for offset, count, stride, dilation in zip(position, outputs, strides, dilations, strict=True)
    )
