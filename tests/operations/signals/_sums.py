"""Fourier transforms computed by their defining sums, axis by axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.tensors import Array

RANDOM = np.random.default_rng(7)


def normal(*shape: int) -> Array:
    """Return random numbers as f32."""
    return RANDOM.standard_normal(shape).astype(np.float32)


def transform(numbers: Array, axes: Sequence[int], sizes: Sequence[int] | None, sign: int) -> Array:
    """Return the unscaled sums over the axes, each truncated or zero-padded to its size (-1 keeps its length)."""
    for axis, requested in zip(axes, sizes or [-1] * len(axes), strict=True):
        length = numbers.shape[axis]
        size = length if requested == -1 else requested
        matrix = np.exp(sign * 2j * np.pi * np.outer(np.arange(size), np.arange(length)) / size)
        matrix[:, size:] = 0
        numbers = np.moveaxis(np.tensordot(matrix, numbers, (1, axis)), 0, axis)
    return numbers


def joined(pairs: Array) -> Array:
    """Return the complex numbers of pairs of parts."""
    numbers: Array = pairs[..., 0] + 1j * pairs[..., 1].astype(np.float64)
    return numbers


def pairs(numbers: Array) -> Array:
    """Return the pairs of parts of complex numbers."""
    return np.stack([numbers.real, numbers.imag], axis=-1)


def axes_from_front(axes: Array, rank: int) -> list[int]:
    """Return axes counted from the front."""
    return [int(axis) % rank for axis in axes]
