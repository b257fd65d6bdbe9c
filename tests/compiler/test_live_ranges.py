"""Offsets in the arena: the lowest gap among the values that are live at the same time, largest values first."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin.compiler.graph import Value
from ir_plugin.compiler.memory.live_ranges import LiveRange, assign_offsets
from ir_plugin.tensors import ElementType


def by_search(live_ranges: list[LiveRange]) -> tuple[dict[Value, int], int]:
    """Return the offsets that trying every offset from 0 on finds."""
    blocks: list[tuple[LiveRange, range]] = []
    for live_range in sorted(live_ranges, key=lambda item: -item.value.nbytes):
        size = -(-max(live_range.value.nbytes, 1) // 64)
        live = [block for other, block in blocks if other.first <= live_range.last and live_range.first <= other.last]
        offset = 0
        while any(block.start < offset + size and offset < block.stop for block in live):
            offset += 1
        blocks.append((live_range, range(offset, offset + size)))
    offsets = {live_range.value: 64 * block.start for live_range, block in blocks}
    return offsets, 64 * max((block.stop for _, block in blocks), default=0)


@pytest.mark.parametrize("seed", range(30))
def test_offsets_are_the_lowest_gaps(seed: int) -> None:
    generator = np.random.default_rng(seed)
    live_ranges = []
    for _ in range(int(generator.integers(0, 40))):
        value = Value(ElementType("f32"), (int(generator.integers(0, 200)),))
        first = int(generator.integers(0, 20))
        live_ranges.append(LiveRange(value, first, first + int(generator.integers(0, 8))))
    assert assign_offsets(live_ranges) == by_search(live_ranges)
