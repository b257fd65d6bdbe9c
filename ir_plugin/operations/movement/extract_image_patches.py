"""ExtractImagePatches: stack the windows of an image as channels. Specification: movement/ExtractImagePatches-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.indices import zeros
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.windows import checked_list
from ir_plugin.tensors import Array, Dimension, TensorInfo


class ExtractImagePatches(Operation, version=3):
    """Take patches of `sizes` elements, `rates` apart, at steps of `strides` from `data` [batch, depth, rows, columns].

    The output is [batch, sizes[0] * sizes[1] * depth, rows of patches, columns of patches]; the position within a patch
    is the outer part of the channel index. `auto_pad` valid takes complete patches only; same_upper and same_lower pad
    with zeros so that there are ceil(length / stride) patches. Specification: movement/ExtractImagePatches-3.
    """

    widen = False

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    rates: tuple[int, ...]
    auto_pad: str

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape of the patches."""
        sizes, strides, rates = self.checked_lists()
        require_rank("data", data.shape, 4)
        if data.shape.dims is None:
            return data.with_shape([-1, -1, -1, -1])
        batch, depth, *space = data.shape
        counts = [self._count(*axis) for axis in zip(space, sizes, strides, rates, strict=True)]
        return data.with_shape([batch, depth * (sizes[0] * sizes[1]), *counts])

    def checked_lists(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the sizes, strides and rates of both spatial axes; raise where one is wrong."""
        names = ("sizes", "strides", "rates")
        first, second, third = (checked_list(name, getattr(self, name), 2, 1, None) for name in names)
        return first, second, third

    def _count(self, length: Dimension, size: int, stride: int, rate: int) -> Dimension:
        if self.auto_pad != "valid":
            return length.ceildiv(stride)
        extent = (size - 1) * rate + 1
        return length.map(lambda size_of_axis: max((size_of_axis - extent) // stride + 1, 0))

    def evaluate(self, data: Array) -> Array:
        """Return the patches."""
        sizes, strides, rates = self.checked_lists()
        batch, depth, *space = data.shape
        extents = [(size - 1) * rate + 1 for size, rate in zip(sizes, rates, strict=True)]
        padded = data if self.auto_pad == "valid" else self._padded(data, extents, strides)
        if min(length - extent for length, extent in zip(padded.shape[2:], extents, strict=True)) < 0:
            counts = [self._count(Dimension(n), *axis) for n, *axis in zip(space, sizes, strides, rates, strict=True)]
            return zeros((batch, depth * sizes[0] * sizes[1], *map(int, counts)), data.dtype)
        windows = np.lib.stride_tricks.sliding_window_view(padded, extents, axis=(2, 3))
        patches = windows[:, :, :: strides[0], :: strides[1], :: rates[0], :: rates[1]].transpose(0, 4, 5, 1, 2, 3)
        result: Array = patches.reshape(batch, sizes[0] * sizes[1] * depth, *patches.shape[4:])
        return result

    def _padded(self, data: Array, extents: list[int], strides: tuple[int, ...]) -> Array:
        space = data.shape[2:]
        totals = [
            max((-(-length // stride) - 1) * stride + extent - length, 0)
            for length, stride, extent in zip(space, strides, extents, strict=True)
        ]
        starts = [(total + (self.auto_pad == "same_lower")) // 2 for total in totals]
        padded = zeros((*data.shape[:2], *(n + total for n, total in zip(space, totals, strict=True))), data.dtype)
        padded[:, :, starts[0] : starts[0] + space[0], starts[1] : starts[1] + space[1]] = data
        return padded
