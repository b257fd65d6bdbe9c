"""Convolution over two spatial axes on memory with channels last: products of rows with packed weights.

Data is read and written as rows of channels. A 1x1 kernel multiplies the rows as they are; a larger one copies the
windows of some rows of the output (im2col) into a buffer that fits the cache, and multiplies that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels.post import Rows
from ir_plugin.tensors import Array

BLOCK_BYTES = 3 * 2**19
"""Bytes of unfolded rows that are multiplied at once; 1.5 MB leave room for weights and output in a 2 MB cache."""

Run: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes the output [N, H, W, O] from the input [N, H, W, C], given the operands of fused stages as rows."""


Form: TypeAlias = "Callable[[Geometry, Array, Rows | None], Run]"
"""Makes the function for a geometry, weights, and fused stages."""


@dataclass(frozen=True)
class Geometry:
    """Sizes of a convolution: data [N, H, W, C], kernel, strides, dilations, pads before, and the output."""

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
        """Whether every window is one element, without pads."""
        return self.kernel == (1, 1) and self.begin == self.end == (0, 0) and self.groups == 1


def pointwise(geometry: Geometry, weights: Array, post: Rows | None) -> Run:
    """Return the convolution with a kernel of one element; `weights` are [O, C]."""
    packed = np.ascontiguousarray(weights.T)
    _, _, _, channels = geometry.data
    step_y, step_x = geometry.strides
    outputs = packed.shape[1]
    count = geometry.data[0] * geometry.output[0] * geometry.output[1]
    rows = max(BLOCK_BYTES // (4 * (channels + outputs)), 64) if post is not None else count
    thin = step_y > 1 or step_x > 1

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        picked = np.ascontiguousarray(data[:, ::step_y, ::step_x]) if thin else data
        flat = picked.reshape(-1, channels)
        target = output.reshape(-1, outputs)
        for first in range(0, count, rows):
            block = target[first : first + rows]
            np.matmul(flat[first : first + rows], packed, out=block)
            if post is not None:
                post(block, first, operands)

    return run


def padded_copy(geometry: Geometry, dtype: np.dtype[np.generic]) -> Callable[[Array], Array]:
    """Return a function that copies data into a buffer with zeros around it, which it keeps; nothing without pads."""
    if geometry.begin == geometry.end == (0, 0):
        return lambda data: data if data.flags.c_contiguous else np.ascontiguousarray(data)
    samples, height, width, channels = geometry.data
    top, left = geometry.begin
    shape = (samples, height + top + geometry.end[0], width + left + geometry.end[1], channels)
    buffer = np.zeros(shape, dtype)
    inner = buffer[:, top : top + height, left : left + width]

    def copy(data: Array) -> Array:
        np.copyto(inner, data)
        return buffer

    return copy


def unfolded(geometry: Geometry, weights: Array, post: Rows | None) -> Run:
    """Return the convolution by im2col; `weights` are [O, C, kh, kw]."""
    outputs, channels, tall, wide = weights.shape
    depth = tall * wide * channels
    packed = np.ascontiguousarray(weights.transpose(2, 3, 1, 0).reshape(depth, outputs))
    samples = geometry.data[0]
    height, width = geometry.output
    lines = max(min(BLOCK_BYTES // (packed.itemsize * width * depth), height), 1)
    columns = np.empty((lines * width, depth), weights.dtype)
    copy = padded_copy(geometry, weights.dtype)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source = copy(data)
        for sample in range(samples):
            windows = _windows(source[sample], geometry)
            target = output[sample].reshape(-1, outputs)
            for line in range(0, height, lines):
                picked = windows[line : line + lines]
                used = columns[: len(picked) * width]
                np.copyto(used.reshape(picked.shape), picked)
                block = target[line * width : line * width + len(used)]
                np.matmul(used, packed, out=block)
                if post is not None:
                    post(block, (sample * height + line) * width, operands)

    return run


def _windows(image: Array, geometry: Geometry) -> Array:
    """Return the windows of a padded image [H, W, C] as a view [height, width, kh, kw * C] (or [.., kh, kw, C])."""
    row, pixel, item = image.strides
    channels = image.shape[2]
    (tall, wide), (step_y, step_x), (far_y, far_x) = geometry.kernel, geometry.strides, geometry.dilations
    height, width = geometry.output
    outer = (step_y * row, step_x * pixel, far_y * row)
    if far_x == 1:
        return as_strided(image, (height, width, tall, wide * channels), (*outer, item), writeable=False)
    return as_strided(image, (height, width, tall, wide, channels), (*outer, far_x * pixel, item), writeable=False)


def depthwise(geometry: Geometry, weights: Array, post: Rows | None) -> Run:
    """Return the convolution of each channel alone; `weights` are [C, kh, kw].

    The sum over the kernel's elements is made line by line of the output, so that it stays in the cache.
    """
    channels, tall, wide = weights.shape
    height, width = geometry.output
    taps = np.ascontiguousarray(weights.transpose(1, 2, 0))
    tiled = np.ascontiguousarray(np.broadcast_to(taps[:, :, None, :], (tall, wide, width, channels)))
    lines = max(min(2**18 // (weights.itemsize * width * channels), height), 1)
    product = np.empty((lines, width, channels), weights.dtype)
    copy = padded_copy(geometry, weights.dtype)
    (step_y, step_x), (far_y, far_x) = geometry.strides, geometry.dilations

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source = copy(data)
        for sample in range(geometry.data[0]):
            image, target = source[sample], output[sample]
            for line in range(0, height, lines):
                block = target[line : line + lines]
                partial = product[: len(block)]
                for y in range(tall):
                    top = line * step_y + y * far_y
                    bottom = top + (len(block) - 1) * step_y + 1
                    for x in range(wide):
                        left = x * far_x
                        view = image[top:bottom:step_y, left : left + (width - 1) * step_x + 1 : step_x]
                        if y == x == 0:
                            np.multiply(view, tiled[0, 0], out=block)
                        else:
                            np.multiply(view, tiled[y, x], out=partial)
                            np.add(block, partial, out=block)
                if post is not None:
                    post(block.reshape(-1, channels), (sample * height + line) * width, operands)

    return run


def grouped(geometry: Geometry, weights: Array, post: Rows | None) -> Run:
    """Return the convolution in groups, as a batch of products; `weights` are [G, O, C, kh, kw]."""
    groups, outputs, channels, tall, wide = weights.shape
    depth = tall * wide * channels
    packed = np.ascontiguousarray(weights.transpose(0, 3, 4, 2, 1).reshape(groups, depth, outputs))
    height, width = geometry.output
    columns = np.empty((groups, height * width, depth), weights.dtype)
    product = np.empty((groups, height * width, outputs), weights.dtype)
    copy = padded_copy(geometry, weights.dtype)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source = copy(data)
        for sample in range(geometry.data[0]):
            target = output[sample].reshape(height * width, groups, outputs)
            for group in range(groups):
                part = np.ascontiguousarray(source[sample][:, :, group * channels : (group + 1) * channels])
                windows = _windows(part, geometry)
                np.copyto(columns[group].reshape(windows.shape), windows)
            np.matmul(columns, packed, out=product)
            np.copyto(target, product.transpose(1, 0, 2))
            if post is not None:
                post(target.reshape(-1, groups * outputs), sample * height * width, operands)

    return run
