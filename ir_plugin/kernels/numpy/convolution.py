"""2-D convolution with channels last, as matrix products with packed weights.

Data is read and written as rows of channels. A 1x1 kernel multiplies the rows in place; a larger one copies the windows
of a block of output rows (im2col) into a buffer that fits the cache, and multiplies that.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels import policy
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.numpy.movement import in_order, move
from ir_plugin.kernels.numpy.pads import Pads
from ir_plugin.kernels.numpy.products import with_weights
from ir_plugin.kernels.thread_pool import Scratch, ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 3 * 2**19
"""Bytes of unfolded rows in one product; 1.5 MB leave room for weights and output in a 2 MB cache."""

Run: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes the output [N, H, W, O] from the input [N, H, W, C] and the epilogue's operands as rows."""


Form: TypeAlias = "Callable[[Geometry, Array, Rows | None, ThreadPool, Derived], Run]"
"""Returns the kernel for a geometry, weights, an epilogue, the threads that share the work, and a cache of weights."""


@dataclass(frozen=True)
class Geometry:
    """Sizes of a convolution: data [N, H, W, C], kernel, strides, dilations, pads (begin, end), and the output."""

    data: tuple[int, int, int, int]
    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    begin: tuple[int, int]
    end: tuple[int, int]
    output: tuple[int, int]
    groups: int
    channels: int
    """Channels of the output."""

    @property
    def is_pointwise(self) -> bool:
        """Whether the kernel is 1x1, without pads and groups."""
        return self.kernel == (1, 1) and self.begin == self.end == (0, 0) and self.groups == 1


@runtime_checkable
class Resizable(Protocol):
    """A kernel that may serve other lengths, for less than what it takes to make one."""

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Compute the output as a `Run` does."""

    def resize(self, geometry: Geometry) -> None:
        """Serve data and output of these lengths from now on; all else is as before."""


def pointwise(
    geometry: Geometry, weights: Array, epilogue: Rows | None, pool: ThreadPool, derived: Derived = underived
) -> Run:
    """Return the kernel of a 1x1 convolution; `weights` are [O, C]."""
    (packed,) = derived("pointwise", [weights], lambda: [np.ascontiguousarray(weights.T)])
    channels, outputs = packed.shape
    step_y, step_x = geometry.strides
    product = with_weights(packed, geometry.data[0] * geometry.output[0] * geometry.output[1], epilogue, pool)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        strided = data[:, ::step_y, ::step_x] if step_y > 1 or step_x > 1 else data
        product(strided.reshape(-1, channels), output.reshape(-1, outputs), operands)

    return run


def parts_for(pool: ThreadPool, work: int) -> int:
    """Return into how many parts threads split `work` multiplications."""
    return pool.size if work >= policy.SHARED_MIN_MULTIPLICATIONS else 1


class PaddedData:
    """The data of a convolution between its pads, or the data itself where there are none."""

    def __init__(self, geometry: Geometry, dtype: np.dtype[np.generic]) -> None:
        samples, height, width, channels = geometry.data
        (top, left), (bottom, right) = geometry.begin, geometry.end
        self._inner = slice(None), slice(top, top + height), slice(left, left + width)
        shape = (samples, height + top + bottom, width + left + right, channels)
        is_plain = geometry.begin == geometry.end == (0, 0)
        self._pads = None if is_plain else Pads(shape, dtype, (top, top + height), (left, left + width))
        self.scratch_shape = (0,) if self._pads is None else self._pads.scratch_shape

    def __call__(self, scratch: Array, data: Array, pool: ThreadPool) -> Array:
        """Return the padded data [N, H, W, C]; `scratch` has `scratch_shape`."""
        if self._pads is None:
            return in_order(data)
        buffer = self._pads.buffer(scratch)
        inner = buffer[self._inner]
        ranges = split(inner.shape[1], parts_for(pool, 4 * inner.size))

        if len(ranges) == 1 and data.flags.c_contiguous:
            np.copyto(inner, data)
            return buffer

        def part(number: int) -> None:
            start, end = ranges[number]
            move(data[:, start:end], inner[:, start:end])

        pool.run(part, len(ranges))
        return buffer


def unfolded(
    geometry: Geometry, weights: Array, epilogue: Rows | None, pool: ThreadPool, derived: Derived = underived
) -> Run:
    """Return the kernel of a convolution by im2col; `weights` are [O, C, kh, kw]."""
    (packed,) = derived("unfolded", [weights], lambda: [_packed(weights)])
    return with_packed(geometry, packed, epilogue, pool)


def _packed(weights: Array) -> Array:
    """Return weights [O, C, kh, kw] as [kh * kw * C, O], no view: the cache forgets an array that only views keep."""
    outputs, channels, tall, wide = weights.shape
    packed = np.empty((tall * wide * channels, outputs), weights.dtype)
    packed.reshape(tall, wide, channels, outputs)[...] = weights.transpose(2, 3, 1, 0)
    return packed


def with_packed(geometry: Geometry, packed: Array, epilogue: Rows | None, pool: ThreadPool) -> Run:
    """Return the kernel of a convolution by im2col; the packed weights are [kh * kw * C, O]."""
    height, width = geometry.output
    few = geometry.data[0] * height * width < policy.GEMM_ROWS_SHARED_MIN_ROWS
    return (_unfolded_whole if few else _unfolded_in_blocks)(geometry, packed, epilogue, pool)


def _unfolded_whole(geometry: Geometry, packed: Array, epilogue: Rows | None, pool: ThreadPool) -> Run:
    """Return the kernel for few windows: it copies all of them, then threads share the output's channels."""
    samples, (height, width) = geometry.data[0], geometry.output
    depth, outputs = packed.shape
    rows = samples * height * width
    padded = PaddedData(geometry, packed.dtype)
    scratch = Scratch(pool, packed.dtype, padded.scratch_shape, (rows, depth))
    product = with_weights(packed, rows, epilogue, pool)
    parts = split(height, parts_for(pool, 4 * rows * depth))

    def copies(source: Array, columns: Array) -> list[tuple[Array, Array]]:
        windows = [_windows(image, geometry) for image in source]
        lines = columns.reshape(samples, *windows[0].shape)
        return [(lines[n, slice(*part)], windows[n][slice(*part)]) for part in parts for n in range(samples)]

    copies_of = _LastCalled(copies)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        memory, columns = scratch.arrays()
        copied = copies_of(padded(memory, data, pool), columns)

        def part(number: int) -> None:
            for target, windows in copied[number * samples : (number + 1) * samples]:
                np.copyto(target, windows)

        pool.run(part, len(parts))
        product(columns, output.reshape(-1, outputs), operands)

    return run


class _LastCalled:
    """A function of data and scratch memory that keeps its last result, from the second call in a row with both on.

    Memory that is the same in every run is kept, and an input of the model, which is another in each, is not.
    """

    def __init__(self, function: Callable[[Array, Array], list[tuple[Array, Array]]]) -> None:
        self._function = function
        self._seen: Callable[[], Array | None] = lambda: None
        self._last: tuple[Array, Array, list[tuple[Array, Array]]] | None = None

    def __call__(self, data: Array, scratch: Array) -> list[tuple[Array, Array]]:
        """Return the function of the arrays."""
        if self._last is not None and self._last[0] is data and self._last[1] is scratch:
            return self._last[2]
        result, self._last = self._function(data, scratch), None
        if self._seen() is data:
            self._last = data, scratch, result
        self._seen = weakref.ref(data)
        return result


def _unfolded_in_blocks(geometry: Geometry, packed: Array, epilogue: Rows | None, pool: ThreadPool) -> Run:
    """Return the kernel for many windows: threads share the lines, and copy and multiply a block of them at a time."""
    height, width = geometry.output
    depth, outputs = packed.shape
    parts = split(height, parts_for(pool, height * width * depth * outputs))
    longest = max(end - start for start, end in parts)
    lines = max(min(BLOCK_BYTES // (packed.itemsize * width * depth), longest), 1)
    padded = PaddedData(geometry, packed.dtype)
    scratch = Scratch(pool, packed.dtype, padded.scratch_shape, (len(parts), lines * width, depth))

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        memory, columns = scratch.arrays()
        source = padded(memory, data, pool)

        def part(number: int) -> None:
            start, end = parts[number]
            for sample in range(geometry.data[0]):
                windows = _windows(source[sample], geometry)
                target = output[sample].reshape(-1, outputs)
                for line in range(start, end, lines):
                    block_windows = windows[line : min(line + lines, end)]
                    unfolded_rows = columns[number, : len(block_windows) * width]
                    block = target[line * width : line * width + len(unfolded_rows)]
                    _multiply_windows(block_windows, packed, unfolded_rows, block)
                    if epilogue is not None:
                        epilogue(block, (sample * height + line) * width, operands)

        pool.run(part, len(parts))

    return run


def _multiply_windows(windows: Array, packed: Array, unfolded_rows: Array, output: Array) -> None:
    """Copy windows to rows, whose products with the packed weights fill the output."""
    np.copyto(unfolded_rows.reshape(windows.shape), windows)
    np.matmul(unfolded_rows, packed, out=output)


def _windows(image: Array, geometry: Geometry) -> Array:
    """Return a view of the windows of a padded image [H, W, C]: [height, width, kh, kw * C] or [.., kh, kw, C]."""
    row, pixel, item = image.strides
    channels = image.shape[2]
    (tall, wide), (step_y, step_x), (far_y, far_x) = geometry.kernel, geometry.strides, geometry.dilations
    height, width = geometry.output
    outer = (step_y * row, step_x * pixel, far_y * row)
    if far_x == 1 and pixel == channels * item:
        return as_strided(image, (height, width, tall, wide * channels), (*outer, item), writeable=False)
    return as_strided(image, (height, width, tall, wide, channels), (*outer, far_x * pixel, item), writeable=False)


def grouped(
    geometry: Geometry, weights: Array, epilogue: Rows | None, pool: ThreadPool, derived: Derived = underived
) -> Run:
    """Return the kernel of a grouped convolution, as a batch of products; `weights` are [G, O, C, kh, kw]."""
    groups, outputs, channels, tall, wide = weights.shape
    depth = tall * wide * channels
    (packed,) = derived("grouped", [weights], lambda: [_packed_groups(weights)])
    height, width = geometry.output
    padded = PaddedData(geometry, weights.dtype)
    shapes = padded.scratch_shape, (groups, height * width, depth), (groups, height * width, outputs)
    scratch = Scratch(pool, weights.dtype, *shapes)
    parts = split(groups, parts_for(pool, groups * height * width * depth * outputs))

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        memory, columns, product = scratch.arrays()
        source = padded(memory, data, pool)
        for sample in range(geometry.data[0]):
            image, target = source[sample], output[sample].reshape(height * width, groups, outputs)

            def part(number: int, image: Array = image, target: Array = target) -> None:
                start, end = parts[number]
                _unfold_groups(image, geometry, columns, range(start, end))
                np.matmul(columns[start:end], packed[start:end], out=product[start:end])
                np.copyto(target[:, start:end], product[start:end].transpose(1, 0, 2))

            pool.run(part, len(parts))
            if epilogue is not None:
                epilogue(target.reshape(-1, groups * outputs), sample * height * width, operands)

    return run


def _packed_groups(weights: Array) -> Array:
    """Return weights [G, O, C, kh, kw] as [G, kh * kw * C, O]."""
    groups, outputs = weights.shape[:2]
    return np.ascontiguousarray(weights.transpose(0, 3, 4, 2, 1).reshape(groups, -1, outputs))


def _unfold_groups(image: Array, geometry: Geometry, columns: Array, groups: range) -> None:
    """Copy the windows of some groups of a padded image [H, W, G * C] to columns [G, windows, kh * kw * C]."""
    channels = image.shape[2] // len(columns)
    for group in groups:
        windows = _windows(image[:, :, group * channels : (group + 1) * channels], geometry)
        np.copyto(columns[group].reshape(windows.shape), windows)


def grouped_pointwise(
    geometry: Geometry, weights: Array, epilogue: Rows | None, pool: ThreadPool, derived: Derived = underived
) -> Run:
    """Return the kernel of a grouped 1x1 convolution; `weights` are [G, O, C].

    BLAS reads and writes a group's channels in place, as rows with gaps; that takes half the time of copying them.
    """
    groups, outputs, channels = weights.shape
    (packed,) = derived("grouped pointwise", [weights], lambda: [np.ascontiguousarray(weights.transpose(0, 2, 1))])
    rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
    parts = split(rows, parts_for(pool, rows * weights.size))

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source, target = data.reshape(rows, groups, channels), output.reshape(rows, groups, outputs)

        def part(number: int) -> None:
            start, end = parts[number]
            np.matmul(source[start:end].transpose(1, 0, 2), packed, out=target[start:end].transpose(1, 0, 2))
            if epilogue is not None:
                epilogue(output.reshape(rows, -1)[start:end], start, operands)

        pool.run(part, len(parts))

    return run
