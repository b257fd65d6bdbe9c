"""Quantization to a number of levels and back, in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

Quantize: TypeAlias = "Callable[[Array, Array], None]"
"""Fills an output [M, N] from data [M, N]."""

BLOCK_BYTES = 2**17
"""Bytes of one block."""


class Limits(NamedTuple):
    """The limits of a quantization, as arrays that broadcast to rows: [1, 1], [1, N], or [P, 1] for rows modulo P."""

    low: Array
    high: Array
    width: Array
    """`high - low`."""
    span: Array
    """The width of the output."""
    offset: Array
    top: Array
    """The output above `high`, which `span + offset` may miss by its last digit."""
    steps: float

    def of_rows(self, first: int, last: int) -> Limits:
        """Return the limits of the rows from `first` to before `last`."""
        count = len(self.low)
        if count == 1:
            return self
        rows = np.arange(first, last) % count
        low, high, width, span, offset, top = (array[rows] for array in self[:6])
        return Limits(low, high, width, span, offset, top, self.steps)


def quantized(shape: tuple[int, int], limits: Limits, pool: ThreadPool) -> Quantize:
    """Return the kernel that clips rows to limits, rounds them to steps (halves to even), and scales them."""
    rows, width = shape
    step = max(BLOCK_BYTES // (limits.low.itemsize * width), 1)
    parts = split(rows, pool.size if rows * width >= policy.FAKE_QUANTIZE_SHARED_MIN_ELEMENTS else 1)
    jobs = [_blocks(limits, start, end, step) for start, end in parts]

    def run(data: Array, output: Array) -> None:
        def part(number: int) -> None:
            for first, last, bounds in jobs[number]:
                _quantize(data[first:last], output[first:last], bounds)

        pool.run(part, len(parts))

    return run


def _quantize(data: Array, block: Array, limits: Limits) -> None:
    """Fill a block by the operations of `FakeQuantize.evaluate`; `data` may be the block."""
    steps = limits.low.dtype.type(limits.steps)
    above = None if np.array_equal(limits.span + limits.offset, limits.top) else data > limits.high
    np.maximum(data, limits.low, out=block)
    np.minimum(block, limits.high, out=block)
    if limits.low.any():
        np.subtract(block, limits.low, out=block)
    np.divide(block, limits.width, out=block)
    np.multiply(block, steps, out=block)
    np.rint(block, out=block)
    np.divide(block, steps, out=block)
    np.multiply(block, limits.span, out=block)
    if limits.offset.any():
        np.add(block, limits.offset, out=block)
    if above is not None:
        np.copyto(block, limits.top, where=above)


def _blocks(limits: Limits, start: int, end: int, step: int) -> list[tuple[int, int, Limits]]:
    """Return the first and last row of each block, with their limits."""
    ranges = [(first, min(first + step, end)) for first in range(start, end, step)]
    return [(first, last, limits.of_rows(first, last)) for first, last in ranges]
