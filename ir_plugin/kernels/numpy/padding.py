"""Padding kernels: copy the data to the middle of the output, and fill the pads with a value or from the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.tensors import Array

Padding: TypeAlias = "Callable[[Array, Array], None]"
"""Fills a padded (or cropped) output from the data."""


def filled(shape: Sequence[int], begin: Sequence[int], end: Sequence[int], value: Array) -> Padding:
    """Return the kernel that pads with a value; negative pads crop."""
    sources, targets, borders = [], [], []
    for axis, (length, before, after) in enumerate(zip(shape, begin, end, strict=True)):
        total = length + before + after
        first, last = max(-before, 0), min(length, total - before)
        sources.append(slice(first, max(first, last)))
        targets.append(slice(first + before, max(first, last) + before))
        whole = (slice(None),) * axis
        borders += [(*whole, slice(0, targets[-1].start)), (*whole, slice(targets[-1].stop, total))]
    source, target = tuple(sources), tuple(targets)
    borders = [border for border in borders if border[-1].start < border[-1].stop]

    def run(data: Array, output: Array) -> None:
        for border in borders:
            output[border] = value
        output[target] = data[source]

    return run


def mirrored(shape: Sequence[int], begin: Sequence[int], end: Sequence[int], mode: str) -> Padding:
    """Return the kernel that pads in mode edge, reflect or symmetric, axis by axis; pads are not negative."""
    inner = tuple(slice(before, before + length) for before, length in zip(begin, shape, strict=True))
    copies = []
    for axis, (length, before, after) in enumerate(zip(shape, begin, end, strict=True)):
        whole, first, stop = (slice(None),) * axis, before, before + length
        if before:
            source = _backwards(first, before, mode) if mode != "edge" else slice(first, first + 1)
            copies.append(((*whole, slice(0, before)), (*whole, source)))
        if after:
            source = (
                _backwards(stop - after - (mode == "reflect"), after, "") if mode != "edge" else slice(stop - 1, stop)
            )
            copies.append(((*whole, slice(stop, stop + after)), (*whole, source)))

    def run(data: Array, output: Array) -> None:
        output[inner] = data
        for target, source in copies:
            output[target] = output[source]

    return run


def _backwards(first: int, count: int, mode: str) -> slice:
    """Return the reversed slice of `count` elements from `first`, or in mode reflect from the element after it."""
    first += mode == "reflect"
    return slice(first + count - 1, first - 1 if first else None, -1)


def source_positions(length: int, total: int, before: int, mode: str) -> Array:
    """Return the data's position for each output position along an axis, or -1 for the value of pads."""
    positions = np.arange(total) - before
    if mode == "edge":
        return np.clip(positions, 0, length - 1)
    if mode == "constant":
        return np.where((positions < 0) | (positions >= length), -1, positions)
    skipped = int(mode == "reflect")
    mirrored = np.where(positions < 0, -1 - positions + skipped, positions)
    return np.where(mirrored >= length, 2 * length - 1 - mirrored - skipped, mirrored)
