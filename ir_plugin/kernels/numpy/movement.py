"""Copies between memory orders."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.tensors import Array

BLOCK_ROWS = 64
"""Positions along the innermost axis that a copy in blocks copies at once."""


def copy_transposed(source: Array, target: Array) -> None:
    """Copy an array to memory in another order, in blocks that stay in the cache on both sides.

    A single copy from NHWC to NCHW reads or writes a cache line for each number.
    """
    if source.size < policy.COPY_BLOCKS_MIN_ELEMENTS or source.ndim < 2:
        np.copyto(target, source)
        return
    pixels = _joined(source), _joined(target)
    if pixels[0] is not None and pixels[1] is not None:
        source, target = pixels[0], pixels[1]
    length = source.shape[-1]
    if length >= BLOCK_ROWS:
        for first in range(0, length, BLOCK_ROWS):
            np.copyto(target[..., first : first + BLOCK_ROWS], source[..., first : first + BLOCK_ROWS])
        return
    step = max(BLOCK_ROWS // length, 1)
    for first in range(0, source.shape[-2], step):
        np.copyto(target[..., first : first + step, :], source[..., first : first + step, :])


def _joined(array: Array) -> Array | None:
    """Return a view with the last two axes merged, or None where that needs a copy."""
    try:
        return np.reshape(array, (*array.shape[:-2], array.shape[-2] * array.shape[-1]), copy=False)
    except ValueError:
        return None


def move(source: Array, target: Array) -> None:
    """Copy an array to memory in another order, with a long axis as the inner loop.

    NumPy's inner loop is the axis of the target with the smallest stride, which may be a few channels of a group:
    groups that are interleaved are copied one after the other.
    """
    inner, source_inner = _fastest(target), _fastest(source)
    same_inner = inner == source_inner
    if inner is None or source_inner is None or (same_inner and target.shape[inner] > policy.COPY_INNER_MIN_ELEMENTS):
        np.copyto(target, source)
        return
    for axis in (inner, source_inner):
        if (
            target.shape[axis] <= policy.COPY_PARTS_MAX_POSITIONS
            and target.size // target.shape[axis] >= policy.COPY_PART_MIN_ELEMENTS
        ):
            before = (slice(None),) * axis
            for position in range(target.shape[axis]):
                line: tuple[slice | int, ...] = (*before, position)
                move(source[line], target[line])
            return
    copy_transposed(source, target)


def _fastest(array: Array) -> int | None:
    """Return the axis with the smallest stride among those with several elements; None if there is none."""
    axes = [axis for axis, length in enumerate(array.shape) if length > 1]
    return min(axes, key=lambda axis: (abs(array.strides[axis]), -axis)) if axes else None


def copied(array: Array) -> Array:
    """Return a copy in C order."""
    target: Array = np.empty(array.shape, array.dtype)
    move(array, target)
    return target


def is_in_order(array: Array) -> bool:
    """Return whether compiled code can read an array in C order as it lies."""
    return array.flags.c_contiguous and array.flags.aligned


def in_order(array: Array) -> Array:
    """Return an array in C order: itself, or a copy."""
    return array if is_in_order(array) else copied(array)


def as_numbers(array: Array) -> Array:
    """Return an array flattened, as unsigned numbers of its item size; a view if it is in C order."""
    return in_order(array).reshape(-1).view(f"u{array.dtype.itemsize}")
