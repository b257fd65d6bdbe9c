"""Bilinear samples of images, and their convolution."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from ir_plugin.tensors import Array

BLOCK_ELEMENTS = 2**18
"""Samples that are multiplied with the weights at a time: 1 MB."""


class Samples(NamedTuple):
    """The coordinates that windows read, and their factors: [groups of channels, elements of the kernel, windows]."""

    y: Array
    x: Array
    factors: Array | None

    def of(self, windows: slice) -> Samples:
        """Return the samples of some windows."""
        factors = None if self.factors is None else self.factors[..., windows]
        return Samples(self.y[..., windows], self.x[..., windows], factors)


class Convolver:
    """How DeformableConvolution samples and multiplies; the compiler may bind a faster implementation."""

    def convolve(self, image: Array, samples: Samples, zero_padded: bool, weights: Array, output: Array) -> None:
        """Fill an output [windows, O] from an image [Y, X, C].

        The weights are [groups, elements * C / groups, O / groups].
        """
        for windows in blocks(output.shape[0], samples.y.shape[1] * image.shape[2]):
            columns = sampled(image, samples.of(windows), zero_padded)
            output[windows] = multiplied(columns, weights)


def blocks(windows: int, row: int) -> list[slice]:
    """Return slices of windows whose samples, `row` for each window, stay in the cache."""
    step = max(BLOCK_ELEMENTS // max(row, 1), 1)
    return [slice(first, min(first + step, windows)) for first in range(0, windows, step)]


def multiplied(columns: Array, weights: Array) -> Array:
    """Return the products [windows, O] of samples [windows, elements, C] and weights of one or more groups."""
    groups = len(weights)
    if groups == 1:
        single: Array = columns.reshape(len(columns), -1) @ weights[0]
        return single
    split = columns.reshape(*columns.shape[:2], groups, -1).transpose(2, 0, 1, 3)
    products: Array = (split.reshape(groups, len(columns), -1) @ weights).transpose(1, 0, 2)
    return products.reshape(len(columns), -1)


def sampled(image: Array, samples: Samples, zero_padded: bool) -> Array:
    """Return bilinear samples [windows, elements, C] of an image [Y, X, C].

    A coordinate one element or more outside reads 0. A closer one is interpolated between the border and zeros if the
    image is `zero_padded`; otherwise it reads 0 before the first element and the border after the last. Pixels without
    weight are not read, so that NaN and infinities do not spread.
    """
    height, width, channels = image.shape
    y, x, factors = samples
    inside = _inside(samples, height, width, zero_padded)
    if not zero_padded:
        y, x = y.clip(0, height - 1), x.clip(0, width - 1)
    y, x = np.where(inside, y, 0), np.where(inside, x, 0)
    top, left = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    groups, elements, windows = y.shape
    flat = np.ascontiguousarray(image.reshape(-1, groups, channels // groups).transpose(1, 0, 2))
    total = np.zeros((windows, elements, groups, channels // groups), image.dtype)
    for down, right in product((0, 1), (0, 1)):
        rows, columns = top + down * (y > top), left + right * (x > left)
        weight = np.abs(1 - down - (y - top)) * np.abs(1 - right - (x - left))
        weight = np.where(inside & (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width), weight, 0)
        if factors is not None:
            weight = weight * factors
        index = rows.clip(0, height - 1) * width + columns.clip(0, width - 1)
        _add_weighted(total, flat, index, weight)
    total[~inside.transpose(2, 1, 0)] = 0
    return total.reshape(windows, elements, channels)


def _inside(samples: Samples, height: int, width: int, zero_padded: bool) -> Array:
    """Return which coordinates read the image, rather than 0."""
    y, x = samples.y, samples.x
    first = (y > -1) & (x > -1) if zero_padded else (y >= 0) & (x >= 0)
    inside: Array = first & (y < height) & (x < width)
    return inside


def _add_weighted(total: Array, pixels: Array, index: Array, weight: Array) -> None:
    """Add to [windows, elements, groups, C] the pixels [groups, Y * X, C] at an index, times a weight."""
    for group, group_pixels in enumerate(pixels):
        corner = group_pixels.take(index[group].T, axis=0)
        corner *= weight[group].T[..., None].astype(pixels.dtype)
        total[:, :, group] += corner
