"""LRN: local response normalization. Specification: normalization/LRN-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.normalization.axes import axis_tuple, check_axes
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, TensorInfo


class LRN(Operation, version=1):
    """`data / (bias + alpha / size ** len(axes) * sum) ** beta`, the sum of squares over a region of side `size`.

    The region spans `reach` elements before and after each element along `axes`, cut at the edges of `data`.

    Differs from the page: an even `size` reaches `(size - 1) // 2` elements to each side, not `size // 2`.
    Example: a `size` of 2 counts each element alone.

    Differs from the page: `data` may have an integer or boolean type; results are rounded.
    Example: [3] of i32 with `alpha` 1, `beta` 0.5, `bias` 1 and `size` 1 becomes [1].
    """

    traits = (Along(1),)
    needs_values = (1,)
    float_inputs = (0,)

    alpha: float
    beta: float
    bias: float
    size: int

    @property
    def reach(self) -> int:
        """The number of elements of the region before and after each element."""
        return (self.size - 1) // 2

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "float")
        check_axes(data, axes, 1)
        if self.size < 1:
            raise ShapeError("size", f"size is {self.size}; it must be at least 1")
        return data.with_shape(data.shape)

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the normalized data."""
        positions = axis_tuple(axes, data.ndim)
        total = np.square(data)
        for axis in positions:
            total = _window_sums(total, axis, self.reach)
        scale = data.dtype.type(self.alpha / self.size ** len(positions))
        return np.asarray(data / (data.dtype.type(self.bias) + scale * total) ** data.dtype.type(self.beta))


def _window_sums(data: Array, axis: int, reach: int) -> Array:
    """Return the sums over up to `reach` elements before and after each element."""
    moved = np.moveaxis(data, axis, -1)
    length = moved.shape[-1]
    total = moved.copy()
    for offset in range(1, min(reach, length - 1) + 1):
        total[..., offset:] += moved[..., :-offset]
        total[..., :-offset] += moved[..., offset:]
    return np.moveaxis(total, -1, axis)
