"""Shapes, pads and window reductions, shared by the poolings with a fixed kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Batched, DataInputs
from ir_plugin.operations.windows import Windows, checked_list
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo

Arrays: TypeAlias = tuple[Array, ...]
Combine: TypeAlias = Callable[[Arrays, Arrays], Arrays]


class Layout(NamedTuple):
    """The geometry of the windows of a pooling on data of known lengths."""

    outputs: tuple[int, ...]
    begin: tuple[int, ...]
    end: tuple[int, ...]
    """Pads at the end, enlarged to the reach of the last windows."""
    windows: Windows


class Pool(Operation):
    """Slide windows of `kernel` elements, `dilations` apart, by `strides` over the axes after the first two.

    Along an axis there are `floor((length + pads - extent) / stride) + 1` windows, where the extent is
    `(kernel - 1) * dilation + 1`; `rounding_type` ceil rounds the quotient up, and ceil_torch also drops a last window
    that would start in the pads at the end. `auto_pad` same_upper and same_lower add the fewest pads with which
    `ceil(length / stride)` windows fit (the specification has `length` windows for every stride).
    """

    traits = (Batched(), DataInputs(1))
    strides: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    kernel: tuple[int, ...]
    rounding_type: str
    auto_pad: str

    dilations: tuple[int, ...] = ()

    def pooled(self, shape: PartialShape) -> PartialShape:
        """Return the output shape."""
        require_rank("data", shape, 3, 4, 5)
        axes = len(shape) - 2 if shape.dims is not None else len(self.kernel)
        if not 1 <= len(self.kernel) <= 3 or len(self.kernel) != axes:
            raise ShapeError("kernel", f"kernel {list(self.kernel)} has {len(self.kernel)} values; data is {shape}")
        windows = self.windows(axes)
        if shape.dims is None:
            return PartialShape.dynamic(axes + 2)
        return shape[:2] + [self._count(windows, axis, shape[2 + axis]) for axis in range(axes)]

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the pads that `auto_pad` chooses."""
        shape = inputs[0].shape
        if shape.ndim is None:
            return {}
        return self.windows(shape.ndim - 2).inferred_pads(shape[2:].dims or (), [Dimension(n) for n in self.kernel])

    def windows(self, axes: int) -> Windows:
        """Return the checked attributes."""
        checked_list("kernel", self.kernel, axes, 1, 1)
        checked_list("strides", self.strides, axes, 1, None)
        return Windows.checked(axes, self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad)

    def _count(self, windows: Windows, axis: int, length: Dimension) -> Dimension:
        kernel = Dimension(self.kernel[axis])
        if windows.is_same:
            return self._same(windows, axis, length) if length.is_static else Dimension()
        extent = windows.fitting(axis, length + (windows.pads_begin[axis] + windows.pads_end[axis]), kernel)
        pads = windows.pads_begin[axis], windows.pads_end[axis]
        return length.map(lambda size: self._rounded(size, extent.lower, windows.strides[axis], *pads))

    def _count_of(self, windows: Windows, axis: int, length: int) -> int:
        """Return the number of windows along an axis of known length, as `_count` does."""
        extent = (self.kernel[axis] - 1) * windows.dilations[axis] + 1
        begin, end = windows.pads_begin[axis], windows.pads_end[axis]
        if windows.is_same or length + begin + end < extent:
            return self._count(windows, axis, Dimension(length)).get_length()
        return self._rounded(length, extent, windows.strides[axis], begin, end)

    def _same(self, windows: Windows, axis: int, length: Dimension) -> Dimension:
        size, stride = length.get_length(), windows.strides[axis]
        extent = windows.extent(axis, Dimension(self.kernel[axis])).lower
        total = max((-(-size // stride) - 1) * stride + extent - size, 0)
        begin = total // 2 if windows.auto_pad == "same_upper" else total - total // 2
        return Dimension(self._rounded(size, extent, stride, begin, total - begin) if size else 0)

    def _rounded(self, length: int, extent: int, stride: int, begin: int, end: int) -> int:
        """Return the number of windows along an axis, from its length and pads."""
        room = max(length + begin + end - extent, 0)
        if self.rounding_type == "floor":
            return room // stride + 1
        count = -(-room // stride) + 1
        beyond = count > 1 and (count - 1) * stride >= length + begin
        return count - (self.rounding_type == "ceil_torch" and beyond)

    def layout(self, shape: Sequence[int]) -> Layout:
        """Return the geometry of the windows."""
        lengths = shape[2:]
        if len(lengths) != len(self.kernel):
            self.pooled(PartialShape(list(shape)))
        windows = self.windows(len(lengths))
        outputs = tuple(self._count_of(windows, axis, length) for axis, length in enumerate(lengths))
        begin, end = windows.pads(lengths, self.kernel)
        reached = [
            (count - 1) * stride + (size - 1) * dilation + 1 - length - before
            for count, stride, size, dilation, length, before in zip(
                outputs, windows.strides, self.kernel, windows.dilations, lengths, begin, strict=True
            )
        ]
        return Layout(outputs, begin, tuple(map(max, end, reached)), windows)

    def reduced(self, combine: Combine, arrays: Arrays, layout: Layout) -> Arrays:
        """Return the reduction of each window of padded arrays by `combine`, the last axis first.

        Within a window, the elements of the first argument of `combine` precede the second's.
        """
        axes = len(self.kernel)
        for axis in reversed(range(axes)):
            stride, dilation = layout.windows.strides[axis], layout.windows.dilations[axis]
            sliding = SlidingWindows(axis - axes, self.kernel[axis], stride, dilation, layout.outputs[axis])
            arrays = _along(combine, arrays, sliding)
        return arrays


MAX_DIRECT_SIZE = 1024
"""The largest window along an axis that is reduced element by element."""


class SlidingWindows(NamedTuple):
    """The windows of `size` elements along one axis."""

    axis: int
    size: int
    stride: int
    dilation: int
    outputs: int

    def elements_at(self, offset: int) -> slice:
        """Return the slice of elements at one offset within all windows."""
        begin = offset * self.dilation
        return slice(begin, begin + (self.outputs - 1) * self.stride + 1 if self.outputs else begin, self.stride)


def _along(combine: Combine, arrays: Arrays, sliding: SlidingWindows) -> Arrays:
    """Return the arrays reduced along one axis; overlapping windows are combined from windows of half their size."""
    reduced: Arrays = ()
    width, offset = 1, 0
    direct = sliding.size * sliding.outputs <= 2 * sliding.size.bit_length() * arrays[0].shape[sliding.axis]
    if direct and sliding.size <= MAX_DIRECT_SIZE:
        parts = (_cut(arrays, sliding.axis, sliding.elements_at(offset)) for offset in range(sliding.size))
        return reduce(combine, parts)
    while sliding.size >= width:
        if sliding.size & width:
            part = _cut(arrays, sliding.axis, sliding.elements_at(offset))
            reduced = combine(reduced, part) if reduced else part
            offset += width
        shift = width * sliding.dilation
        width *= 2
        if sliding.size >= width:
            length = arrays[0].shape[sliding.axis]
            left, right = slice(0, max(length - shift, 0)), slice(shift, None)
            arrays = combine(_cut(arrays, sliding.axis, left), _cut(arrays, sliding.axis, right))
    return reduced


def _cut(arrays: Arrays, axis: int, part: slice) -> Arrays:
    return tuple(array[(Ellipsis, part) + (slice(None),) * (-1 - axis)] for array in arrays)
