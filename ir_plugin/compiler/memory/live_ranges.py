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
class Life:
    """When the memory of a value is in use: from the step that fills it to the last step that reads it."""

    value: Value
    first: int
    last: int


def place(lives: Sequence[Life]) -> tuple[dict[Value, int], int]:
    """Return an offset for each value, large ones first, so that no two in use together overlap, and the size."""
    placed: list[tuple[Life, int, int]] = []
    size = 0
    for life in sorted(lives, key=lambda life: -life.value.nbytes):
        need = -(-max(life.value.nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
        taken = sorted(
            (start, end) for other, start, end in placed if other.first <= life.last and life.first <= other.last
        )
        offset = 0
        for start, end in taken:
            if offset + need <= start:
                break
            offset = max(offset, end)
        placed.append((life, offset, offset + need))
        size = max(size, offset + need)
    return {life.value: start for life, start, _ in placed}, size


def share(lives: Sequence[Life], candidates: Mapping[Value, Value]) -> tuple[list[Life], dict[Value, Value]]:
    """Return lives in which a value that follows another in place prolongs its life, and the owner of its memory.

    `candidates` says of a value which one's memory it may take; it does where the step that fills it is the last
    that reads the other.
    """
    found: dict[Value, Life] = {}
    owners: dict[Value, Value] = {}
    ends = {life.value: life.last for life in lives}
    for life in lives:
        source = candidates.get(life.value)
        if source is None or ends.get(source) != life.first:
            found[life.value] = life
            continue
        owner = owners.get(source, source)
        owners[life.value] = owner
        found[owner] = Life(owner, found[owner].first, life.last)
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
