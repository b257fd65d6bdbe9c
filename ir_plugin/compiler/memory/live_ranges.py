"""The arena of a plan: one block of memory in which values whose live ranges do not overlap share bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from ir_plugin.compiler.graph import Value
from ir_plugin.tensors import Array

_ALIGNMENT = 64


@dataclass(frozen=True)
class LiveRange:
    """The steps during which the memory of a value is in use: from the one that fills it to the last that reads it."""

    value: Value
    first: int
    last: int


def assign_offsets(live_ranges: Sequence[LiveRange]) -> tuple[dict[Value, int], int]:
    """Return an offset for each value, and the size of the arena; values that are live together do not overlap.

    Large values get their offsets first.
    """
    first, last, start, end = np.empty((4, len(live_ranges)), np.int64)
    offsets: dict[Value, int] = {}
    for count, live_range in enumerate(sorted(live_ranges, key=lambda live_range: -live_range.value.nbytes)):
        size = -(-max(live_range.value.nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
        is_live = (first[:count] <= live_range.last) & (last[:count] >= live_range.first)
        offset = _first_gap(start[:count][is_live], end[:count][is_live], size)
        position = int(start[:count].searchsorted(offset))
        for column, number in (
            (first, live_range.first), (last, live_range.last), (start, offset), (end, offset + size)
        ):  # fmt: skip
            column[position + 1 : count + 1] = column[position:count]
            column[position] = number
        offsets[live_range.value] = offset
    return offsets, int(end.max(initial=0))


def _first_gap(start: npt.NDArray[np.int64], end: npt.NDArray[np.int64], size: int) -> int:
    """Return the lowest offset of `size` free bytes between blocks that are sorted by their start."""
    before = np.concatenate(([0], np.maximum.accumulate(end)))
    is_free = start - before[:-1] >= size
    return int(before[is_free.argmax() if is_free.any() else -1])


def reuse_in_place(
    live_ranges: Sequence[LiveRange], candidates: Mapping[Value, Value]
) -> tuple[list[LiveRange], dict[Value, Value]]:
    """Merge the live range of each in-place output into its input's; return the ranges and the outputs' owners.

    `candidates` maps a value to the input whose memory it may take. It takes it where the step that fills the value
    is the last one that reads the input.
    """
    ranges: dict[Value, LiveRange] = {}
    owners: dict[Value, Value] = {}
    ends = {live_range.value: live_range.last for live_range in live_ranges}
    for live_range in live_ranges:
        source = candidates.get(live_range.value)
        if source is None or ends.get(source) != live_range.first:
            ranges[live_range.value] = live_range
            continue
        owner = owners.get(source, source)
        owners[live_range.value] = owner
        ranges[owner] = LiveRange(owner, ranges[owner].first, live_range.last)
    return list(ranges.values()), owners


def allocate(offsets: Mapping[Value, int], size: int) -> dict[Value, Array]:
    """Return an array for each value at its offset in a new block."""
    block = np.empty(size + _ALIGNMENT, np.uint8)
    shift = -block.ctypes.data % _ALIGNMENT
    return {value: layout_array(value, block[shift + offset :]) for value, offset in offsets.items()}


def layout_array(value: Value, memory: Array | None = None) -> Array:
    """Return an uninitialized array of the value's shape and layout, in `memory` or newly allocated."""
    shape = value.shape or ()
    stored = (shape[0], *shape[2:], shape[1]) if value.channels_last else shape
    if memory is None:
        array = np.empty(stored, value.dtype)
    else:
        array = memory[: prod(stored) * value.dtype.itemsize].view(value.dtype).reshape(stored)
    return np.moveaxis(array, -1, 1) if value.channels_last else array


def layout_strides(value: Value) -> tuple[int, ...]:
    """Return the strides of the array that `layout_array` returns for a value."""
    shape = value.shape or ()
    stored = (shape[0], *shape[2:], shape[1]) if value.channels_last else shape
    steps = [value.dtype.itemsize * prod(stored[axis + 1 :]) for axis in range(len(stored))]
    return (steps[0], steps[-1], *steps[1:-1]) if value.channels_last else tuple(steps)
