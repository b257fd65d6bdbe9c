"""Fourier transforms as the sums that define them, one axis after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.tensors import Array

RANDOM = np.random.default_rng(7)


def normal(*shape: int) -> Array:
    """Return random numbers as f32."""
    return RANDOM.standard_normal(shape).astype(np.float32)


def transform(numbers: Array, axes: Sequence[int], sizes: Sequence[int] | None, sign: int) -> Array:
    """Return the sums over the axes, each cut or filled with zeros to its size (-1: its length), without a factor."""
    for axis, wanted in zip(axes, sizes or [-1] * len(axes), strict=True):
        length = numbers.shape[axis]
        size = length if wanted == -1 else wanted
        matrix = np.exp(sign * 2j * np.pi * np.outer(np.arange(size), np.arange(length)) / size)
        matrix[:, size:] = 0
        numbers = np.moveaxis(np.tensordot(matrix, numbers, (1, axis)), 0, axis)
    return numbers


def joined(pairs: Array) -> Array:
    """Return complex numbers of pairs."""
    found: Array = pairs[..., 0] + 1j * pairs[..., 1].astype(np.float64)
    return found


def pairs(numbers: Array) -> Array:
    """Return pairs of complex numbers."""
    return np.stack([numbers.real, numbers.imag], axis=-1)


def places(axes: Array, rank: int) -> list[int]:
    """Return axes counted from the front."""
    return [int(axis) % rank for axis in axes]
