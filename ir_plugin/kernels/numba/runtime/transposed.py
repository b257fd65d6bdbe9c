"""Copies to memory in another order, in blocks of two axes, in compiled code.

One axis of a block has the shortest steps in the data, the other in the output, so that both sides stay in the cache.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy import movement
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array

Lengths: TypeAlias = tuple[int, ...]
_Axis: TypeAlias = tuple[int, int, int]
"""The fields of `AXIS`."""

LONGEST = 64
"""Positions of an axis in a block: 64 lines of 64 bytes fit the first-level cache."""

AXIS = struct("length source_step target_step")
"""An axis: its length, and the elements from one position to the next in the data and in the output."""

TRANSPOSE = struct("data output parts count blocks_apart axes axis_count", long=AXIS, short=AXIS)
"""The two axes of a block, the longer one first; the number of blocks, and a table of the other axes, which
`blocks_apart` positions have."""


@compiled("void(i8, i8, i8, i8, i8, i8, i8, i8)")
def _copy_block(
    source: int, target: int, long: int, long_from: int, long_to: int, short: int, short_from: int, short_to: int
) -> None:
    """Copy one block; lengths and steps are in elements."""
    for line in range(short):
        read = carray(pointer(source + 4 * line * short_from), ((long - 1) * long_from + 1,), np.int32)
        write = carray(pointer(target + 4 * line * short_to), ((long - 1) * long_to + 1,), np.int32)
        if long_from == 1 and long_to == 1:
            for position in range(long):
                write[position] = read[position]
        elif long_from == 1:
            for position in range(long):
                write[position * long_to] = read[position]
        elif long_to == 1:
            for position in range(long):
                write[position] = read[position * long_from]
        else:
            for position in range(long):
                write[position * long_to] = read[position * long_from]


@compiled("void(i8, i8, i8)")
def copy_blocks(address: int, first: int, last: int) -> None:
    """Copy the blocks [first, last) of a `TRANSPOSE`; the last block along an axis may be shorter."""
    a = arguments_at(address, TRANSPOSE)
    axes = carray(pointer(a.axes), (a.axis_count,), AXIS)
    long, short = a.long, a.short
    longs, shorts = -(-long.length // LONGEST), -(-short.length // LONGEST)
    for number in range(first, last):
        left, high = number // longs, number % longs * LONGEST
        rest, low = left // shorts, left % shorts * LONGEST
        source = a.data + 4 * (high * long.source_step + low * short.source_step)
        target = a.output + 4 * (high * long.target_step + low * short.target_step)
        for number_of_axis in range(axes.shape[0]):
            axis = axes[number_of_axis]
            position = rest % axis.length
            rest //= axis.length
            source += 4 * position * axis.source_step
            target += 4 * position * axis.target_step
        _copy_block(
            source, target, min(LONGEST, long.length - high), long.source_step, long.target_step,
            min(LONGEST, short.length - low), short.source_step, short.target_step,
        )  # fmt: skip


def described(source: Array, target: Array) -> tuple[Array, Array]:
    """Return the `TRANSPOSE` of arrays, and the table of axes that it refers to."""
    layout, table = _layout(source.shape, source.strides, target.strides)
    arguments = layout.copy()
    arguments["data"], arguments["output"] = address_of(source), address_of(target)
    return arguments, table


@lru_cache(maxsize=256)
def _layout(shape: Lengths, source: Lengths, target: Lengths) -> tuple[Array, Array]:
    """Return the `TRANSPOSE` of arrays of a shape and strides but for their addresses, and the table of axes."""
    long, short, others = _split_axes(_merged_axes(shape, source, target))
    table = np.array(others, AXIS)
    apart = prod(shape) // (long[0] * short[0])
    arguments = filled(
        TRANSPOSE, parts=1, blocks_apart=apart, count=apart * -(-long[0] // LONGEST) * -(-short[0] // LONGEST),
        axes=address_of(table), axis_count=len(others), long=long, short=short,
    )  # fmt: skip
    return arguments, table


def in_order(array: Array) -> Array:
    """Return an array in C order: itself, or a copy."""
    return array if movement.is_in_order(array) else copied(array)


@register(keys.COPIED)
def copied(array: Array) -> Array:
    """Return a copy in C order."""
    target: Array = np.empty(array.shape, array.dtype)
    if array.size >= policy.COPY_BLOCKS_MIN_ELEMENTS and can_transpose(array, target):
        arguments, _table = described(array, target)
        copy_blocks(address_of(arguments), 0, int(arguments["count"]))
    else:
        movement.move(array, target)
    return target


def can_transpose(source: Array, target: Array) -> bool:
    """Return whether the job copies arrays of these types and strides: 4 bytes an element, whole forward steps."""
    both = (source, target)
    whole = all(step >= 0 and step % 4 == 0 for array in both for step in array.strides)
    return (
        whole and source.dtype == target.dtype and source.itemsize == 4 and all(array.flags.aligned for array in both)
    )


def _merged_axes(shape: Lengths, source: Lengths, target: Lengths) -> list[_Axis]:
    """Return the axes, the longest step in the output first; neighbours that lie together on both sides are merged."""
    steps = zip(shape, source, target, strict=True)
    axes = sorted((axis for axis in steps if axis[0] > 1), key=lambda axis: -axis[2])
    merged: list[_Axis] = []
    for length, source_step, target_step in axes:
        if merged and merged[-1][1:] == (length * source_step, length * target_step):
            merged[-1] = (merged[-1][0] * length, source_step, target_step)
        else:
            merged.append((length, source_step, target_step))
    return [(length, source // 4, target // 4) for length, source, target in merged] or [(1, 1, 1)]


def _split_axes(axes: list[_Axis]) -> tuple[_Axis, _Axis, list[_Axis]]:
    """Return the two axes of a block, the longer one first, and the others."""
    last, fast = axes[-1], min(axes, key=lambda axis: axis[1])
    others = [axis for axis in axes if axis not in (last, fast)]
    if last == fast:
        return last, (1, 0, 0), others
    long, short = sorted((last, fast), reverse=True)
    return long, short, others
