"""Axes and sizes of Fourier transforms, and complex numbers as pairs of real numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import normalize_axes, require_rank, unbounded, values_of
from ir_plugin.tensors import UNBOUNDED, Array, Bounds, Dimension, PartialShape, TensorInfo

Complex = npt.NDArray[Any]


class Fourier(Operation):
    """The inputs of the transforms over axes of a tensor."""

    def _transformed_axes(self, data: TensorInfo, axes: TensorInfo, rank: int | None) -> tuple[int, ...] | None:
        """Return the axes of `rank` dimensions, counted from the front, or None if they are unknown."""
        require_type("data", data, "float")
        require_type("axes", axes, "i32", "i64")
        require_rank("axes", axes.shape, 1)
        values = values_of(axes)
        if values is None or rank is None:
            return None
        if len(values) > rank:
            raise ShapeError("axes", f"axes has {len(values)} elements, and data only {rank} dimensions to transform")
        return normalize_axes("axes", values, rank)

    def _sizes(self, axes: TensorInfo, signal_size: TensorInfo | None) -> Bounds | None:
        """Return the bounds of the signal sizes, or None if they are unknown or not connected."""
        if signal_size is None:
            return None
        require_type("signal_size", signal_size, "i32", "i64")
        require_rank("signal_size", signal_size.shape, 1)
        if not axes.shape[:1].compatible(signal_size.shape[:1]):
            raise ShapeError(
                "signal_size", f"signal_size has {signal_size.shape[0]} elements; it must have {axes.shape[0]}, as axes"
            )
        bounds = signal_size.bounds
        for i, size in enumerate([] if bounds is None else bounds.upper.tolist()):
            if size < 1 and size != -1:
                raise ShapeError("signal_size", f"signal_size[{i}] is {size}; it must be positive, or -1 for all")
        return bounds


def resized_dim(length: Dimension, sizes: Bounds | None, position: int) -> Dimension:
    """Return the length of an axis after the size at `position` is applied to `length`."""
    if sizes is None:
        return Dimension()
    low, high = int(sizes.lower[position]), int(sizes.upper[position])
    if low == high == -1:
        return length
    if low < 1:
        return Dimension()
    return Dimension.between(low, UNBOUNDED if high == unbounded(sizes.upper.dtype) else high)


def pairs_of(name: str, shape: PartialShape) -> PartialShape:
    """Return the shape without its last dimension, which must be 2: the real and the imaginary part."""
    if shape.ndim is not None and shape.ndim < 2:
        raise ShapeError(name, f"{name} has the shape {shape}; the rank must be 2 or more")
    if not shape[-1].contains(2):
        raise ShapeError(
            name, f"{name} has the shape {shape}; its last dimension must be 2, a real and an imaginary part"
        )
    return shape[:-1]


def as_complex(pairs: Array) -> Complex:
    """Return the complex numbers whose parts are along the last axis."""
    kind = np.complex128 if pairs.dtype == np.float64 else np.complex64
    numbers: Complex = np.ascontiguousarray(pairs).view(kind)[..., 0]
    return numbers


def as_pairs(numbers: Complex) -> Array:
    """Return the real and imaginary parts along a new last axis."""
    kind = np.float64 if numbers.dtype == np.complex128 else np.float32
    return np.ascontiguousarray(numbers)[..., None].view(kind)


def resized(array: Array, axes: Sequence[int], sizes: Sequence[int]) -> Array:
    """Return the array with the axes truncated, or zero-padded at the end, to the sizes."""
    for axis, size in zip(axes, sizes, strict=True):
        length = array.shape[axis]
        if size < length:
            array = array[(slice(None),) * axis + (slice(size),)]
        elif size > length:
            array = np.pad(array, [(0, size - length if i == axis else 0) for i in range(array.ndim)])
    return array


def full_sizes(shape: Sequence[int], axes: Sequence[int], signal_size: Array | None) -> list[int]:
    """Return the signal size of each axis, its length by default."""
    sizes = [-1] * len(axes) if signal_size is None else signal_size.tolist()
    return [shape[axis] if size == -1 else size for axis, size in zip(axes, sizes, strict=True)]


def from_front(axes: Array, rank: int) -> list[int]:
    """Return the axes counted from the front."""
    return list(normalize_axes("axes", axes.tolist(), rank))
