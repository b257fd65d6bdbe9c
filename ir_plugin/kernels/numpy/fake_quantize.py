"""Quantization to a number of levels and back, some elements at a time so that they stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

Quantize: TypeAlias = "Callable[[Array, Array], None]"
"""Fills an array [M, N] from another."""

BLOCK_BYTES = 2**17
"""Bytes that go through all steps at once."""

MANY_ELEMENTS = 2**19
"""Elements from which on threads share the rows."""


class Limits(NamedTuple):
    """What quantization needs, as arrays that broadcast to rows: [1, 1], [1, N], or [P, 1] for rows modulo P."""

    low: Array
    high: Array
    width: Array
    """The higher limit less the lower one."""
    scale: Array
    """What one step of the output is."""
    offset: Array
    steps: float

    def of_rows(self, first: int, last: int) -> Limits:
        """Return those of some rows."""
        count = len(self.low)
        if count == 1:
            return self
        places = np.arange(first, last) % count
        low, high, width, scale, offset = (array[places] for array in self[:5])
        return Limits(low, high, width, scale, offset, self.steps)


def quantized(shape: tuple[int, int], limits: Limits, pool: ThreadPool) -> Quantize:
    """Return the quantization of rows: cut to limits, rounded to a step (halves to even), scaled to the output."""
    rows, width = shape
    step = max(BLOCK_BYTES // (limits.low.itemsize * width), 1)
    parts = split(rows, pool.size if rows * width >= MANY_ELEMENTS else 1)
    jobs = [_blocks(limits, start, end, step) for start, end in parts]
    shifted, moved = bool(limits.low.any()), bool(limits.offset.any())
    steps = limits.low.dtype.type(limits.steps)

    def run(data: Array, output: Array) -> None:
        def part(number: int) -> None:
            for first, last, some in jobs[number]:
                block = output[first:last]
                np.maximum(data[first:last], some.low, out=block)
                np.minimum(block, some.high, out=block)
                if shifted:
                    np.subtract(block, some.low, out=block)
                np.divide(block, some.width, out=block)
                np.multiply(block, steps, out=block)
                np.rint(block, out=block)
                np.multiply(block, some.scale, out=block)
                if moved:
                    np.add(block, some.offset, out=block)

        pool.run(part, len(parts))

    return run


def _blocks(limits: Limits, start: int, end: int, step: int) -> list[tuple[int, int, Limits]]:
    """Return some rows at a time, with their limits."""
    ranges = [(first, min(first + step, end)) for first in range(start, end, step)]
    return [(first, last, limits.of_rows(first, last)) for first, last in ranges]
