"""One block of memory for all values that prepared calls write, shared by those that are not needed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Value
from ir_plugin.tensors import Array

_ALIGNMENT = 64


@dataclass(frozen=True)
class LiveRange:
    """When the memory of a value is in use: from the step that fills it to the last step that reads it."""

    value: Value
    first: int
    last: int


def place(live_ranges: Sequence[LiveRange]) -> tuple[dict[Value, int], int]:
    """Return an offset for each value, large ones first, so that no two in use together overlap, and the size."""
    assigned: list[tuple[LiveRange, int, int]] = []
    size = 0
    for live_range in sorted(live_ranges, key=lambda live_range: -live_range.value.nbytes):
        need = -(-max(live_range.value.nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
        taken = sorted(
            (start, end)
            for other, start, end in assigned
            if other.first <= live_range.last and live_range.first <= other.last
        )
        offset = 0
        for start, end in taken:
            if offset + need <= start:
                break
            offset = max(offset, end)
        assigned.append((live_range, offset, offset + need))
        size = max(size, offset + need)
    return {live_range.value: start for live_range, start, _ in assigned}, size


def share(
    live_ranges: Sequence[LiveRange], candidates: Mapping[Value, Value]
) -> tuple[list[LiveRange], dict[Value, Value]]:
    """Return lives in which a value that follows another in place prolongs its life, and the owner of its memory.

    `candidates` says of a value which one's memory it may take; it does where the step that fills it is the last
    that reads the other.
    """
    found: dict[Value, LiveRange] = {}
    owners: dict[Value, Value] = {}
    ends = {live_range.value: live_range.last for live_range in live_ranges}
    for live_range in live_ranges:
        source = candidates.get(live_range.value)
        if source is None or ends.get(source) != live_range.first:
            found[live_range.value] = live_range
            continue
        owner = owners.get(source, source)
        owners[live_range.value] = owner
        found[owner] = LiveRange(owner, found[owner].first, live_range.last)
    return list(found.values()), owners


def allocate(offsets: Mapping[Value, int], size: int) -> dict[Value, Array]:
    """Return an array for each value, in a new block."""
    block = np.empty(size + _ALIGNMENT, np.uint8)
    shift = -block.ctypes.data % _ALIGNMENT
    return {value: form(value, block[shift + offset :]) for value, offset in offsets.items()}


def form(value: Value, memory: Array | None = None) -> Array:
    """Return an array of the value's shape and layout in the memory, or in memory of its own."""
    shape = value.shape or ()
    stored = (shape[0], *shape[2:], shape[1]) if value.channels_last else shape
    if memory is None:
        array = np.empty(stored, value.dtype)
    else:
        array = memory[: prod(stored) * value.dtype.itemsize].view(value.dtype).reshape(stored)
    return np.moveaxis(array, -1, 1) if value.channels_last else array


def strides_of(value: Value) -> tuple[int, ...]:
    """Return the strides of the array that `form` makes of a value."""
    shape = value.shape or ()
    stored = (shape[0], *shape[2:], shape[1]) if value.channels_last else shape
    steps = [value.dtype.itemsize * prod(stored[place + 1 :]) for place in range(len(stored))]
    return (steps[0], steps[-1], *steps[1:-1]) if value.channels_last else tuple(steps)
