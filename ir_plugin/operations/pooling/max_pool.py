"""MaxPool: find the maximum of each window. Specification: pooling/MaxPool-14, MaxPool-8, MaxPool-1."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ir_plugin.operations.checks import note_type
from ir_plugin.operations.pooling.pools import Arrays, Pool
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.operations.windows import padded
from ir_plugin.tensors import Array, ElementType, TensorInfo


class MaxPool(Pool, version=14):
    """Find the maximum of each window of `data` [N, C, …] and its index in `data`.

    `Pool` infers the shape of both outputs. The index counts elements of the flattened axes from `axis` on, without
    pads; the first of equal elements wins.

    Differs from the page: only numbers above the lowest finite number count; a window without any (all pads, NaN or
    -inf) gives that number and index 0. Example: of [1, NaN] the largest is 1, of [-inf] it is -3.4028235e38.
    """

    index_element_type: ElementType
    axis: int

    def infer(self, data: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the type of `data` and `index_element_type`, with the shape of the windows."""
        note_type("data", data, "number")
        shape = self.pooled(data.shape)
        normalize_axis("axis", self.axis, len(shape))
        return TensorInfo(data.element_type, shape), TensorInfo(self.index_element_type, shape)

    def evaluate(self, data: Array) -> tuple[Array, ...]:
        """Return the maxima and their indices."""
        layout, least = self.layout(data.shape), lowest(data.dtype)
        counts = data > least
        wide = padded(np.where(counts, data, data.dtype.type(least)), layout.begin, layout.end, least)
        numbers = np.arange(prod(data.shape[2:]), dtype=np.int64).reshape(data.shape[2:])
        numbers = padded(numbers if counts.all() else np.where(counts, numbers, -1), layout.begin, layout.end, -1)
        best, positions = self.reduced(_larger_with_position, (wide, numbers), layout)
        positions = self._slice_positions(np.broadcast_to(np.maximum(positions, 0), best.shape), data.shape)
        return best, positions.astype(self.index_element_type.dtype)

    def _slice_positions(self, positions: Array, shape: tuple[int, ...]) -> Array:
        """Return positions on the spatial axes of each sample and channel as positions on the axes from `axis` on."""
        axis = self.axis + (len(shape) if self.axis < 0 else 0)
        if axis > 2:
            return positions % max(prod(shape[axis:]), 1)
        size, axes = prod(shape[2:]), len(shape) - 2
        channels = np.arange(shape[1], dtype=np.int64) * (size if axis <= 1 else 0)
        samples = np.arange(shape[0], dtype=np.int64) * (size * shape[1] if axis == 0 else 0)
        return np.asarray(positions + (samples[:, None] + channels).reshape(shape[:2] + (1,) * axes))


class MaxPool8(MaxPool, version=8):
    """As MaxPool-14, but without ceil_torch."""


class MaxPool1(Pool, version=1):
    """As MaxPool-8, but without dilations and without indices.

    Differs from the page: `data` may be boolean.
    Example: Of [false, true] the largest is true.
    """

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type of `data` with the shape of the windows."""
        note_type("data", data, "number")
        return data.with_shape(self.pooled(data.shape))

    def evaluate(self, data: Array) -> Array:
        """Return the maxima."""
        layout, least = self.layout(data.shape), lowest(data.dtype)
        wide = padded(np.where(data > least, data, data.dtype.type(least)), layout.begin, layout.end, least)
        return self.reduced(_largest, (wide,), layout)[0]


def _largest(left: Arrays, right: Arrays) -> Arrays:
    return (np.maximum(left[0], right[0]),)


def _larger_with_position(left: Arrays, right: Arrays) -> Arrays:
    """Return the larger values and their positions, the first of equal values; positions of pads are -1."""
    (best, positions), (candidate, candidate_positions) = left, right
    better = candidate > best
    return np.where(better, candidate, best), np.where(better, candidate_positions, positions)


def lowest(dtype: np.dtype[Any]) -> float:
    """Return the lowest finite number of a dtype."""
    if dtype.kind == "b":
        return 0
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else float(np.finfo(dtype).min)
