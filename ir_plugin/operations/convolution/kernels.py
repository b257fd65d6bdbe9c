"""Convolution and transposed convolution of arrays as products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np

from ir_plugin.operations.base import Lengths
from ir_plugin.operations.exact_products import exact_product
from ir_plugin.operations.memory import require
from ir_plugin.operations.windows import positions, strided
from ir_plugin.tensors import Array

BLOCK = 2**23
"""Elements of unfolded data (im2col) that are multiplied at once."""


def multiplications(elements: Lengths, filters: Lengths) -> int | None:
    """Return the multiplications of each element by its filters, or None if a shape is not known.

    Filters of groups have one more dimension than the elements.
    """
    if elements is None or filters is None:
        return None
    return prod(elements) * prod(filters[1 + len(filters) - len(elements) :])


def convolve(data: Array, filters: Array, strides: Sequence[int], dilations: Sequence[int]) -> Array:
    """Return the convolution of padded data [N, G*I, …] and filters [G, O, I, …]: [N, G*O, …]."""
    product = partial(_convolve, strides=strides, dilations=dilations)
    return exact_product(product, data, filters, prod(filters.shape[2:]))


def _convolve(data: Array, filters: Array, strides: Sequence[int], dilations: Sequence[int]) -> Array:
    groups, per_group, channels, *kernel = filters.shape
    extents = [max((size - 1) * dilation + 1, 1) for size, dilation in zip(kernel, dilations, strict=True)]
    outputs = [
        (length - extent) // stride + 1 for length, extent, stride in zip(data.shape[2:], extents, strides, strict=True)
    ]
    result: Array = np.zeros((data.shape[0], groups * per_group, *outputs), data.dtype)
    depth = channels * prod(kernel)
    if depth == 0 or result.size == 0:
        return result
    weights = filters.reshape(groups, per_group, depth)
    windows = np.lib.stride_tricks.sliding_window_view(data, extents, axis=tuple(range(2, data.ndim)))
    steps = [slice(None, None, step) for step in (1, 1, *strides, *dilations)]
    windows = windows[tuple(steps)]
    rows = max(BLOCK // (groups * depth * prod(outputs[1:])), 1)
    for sample, images in zip(result, windows, strict=True):
        for start in range(0, outputs[0], rows):
            block = images[:, start : start + rows]
            product = weights @ _unfolded(block, groups, depth, len(kernel))
            sample[:, start : start + rows] = product.reshape(-1, *block.shape[1 : 1 + len(kernel)])
    return result


def _unfolded(block: Array, groups: int, depth: int, axes: int) -> Array:
    order = (0, *range(1 + axes, 1 + 2 * axes), *range(1, 1 + axes))
    columns: Array = block.transpose(order).reshape(groups, depth, -1)
    return columns


def transposed(
    data: Array, filters: Array, strides: Sequence[int], dilations: Sequence[int], lengths: Sequence[int]
) -> Array:
    """Return the transposed convolution of data [N, G*I, …] and filters [G, I, O, …], of the given spatial lengths.

    Element `i` of the data meets element `k` of the kernel at `i * stride + k * dilation`; elements
    beyond `lengths` are dropped.
    """
    product = partial(_transposed, strides=strides, dilations=dilations, lengths=lengths)
    return exact_product(product, data, filters, filters.shape[1] * prod(filters.shape[3:]))


def _transposed(
    data: Array, filters: Array, strides: Sequence[int], dilations: Sequence[int], lengths: Sequence[int]
) -> Array:
    groups, channels, per_group, *kernel = filters.shape
    inputs = data.shape[2:]
    whole = [
        max((count - 1) * stride + (size - 1) * dilation + 1, length, 0)
        for count, size, stride, dilation, length in zip(inputs, kernel, strides, dilations, lengths, strict=True)
    ]
    require("the whole result", [data.shape[0], groups * per_group, *whole], data.itemsize)
    result: Array = np.zeros((data.shape[0], groups, per_group, *whole), data.dtype)
    if data.size and filters.size:
        weights = filters.reshape(groups, channels, per_group, -1)
        columns = data.reshape(data.shape[0], groups, channels, -1)
        for index, position in enumerate(positions(kernel)):
            part = weights[..., index].swapaxes(1, 2) @ columns
            slices = strided(position, inputs, strides, dilations)
            result[tuple([slice(None)] * 3) + slices] += part.reshape(data.shape[0], groups, per_group, *inputs)
    result = result[tuple([slice(None)] * 3 + [slice(0, length) for length in lengths])]
    return result.reshape(data.shape[0], groups * per_group, *lengths)
