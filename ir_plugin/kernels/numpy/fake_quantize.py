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


class _Block(NamedTuple):
    """Rows that are quantized together, their limits, and which operations of `FakeQuantize.evaluate` change them."""

    rows: slice
    limits: Limits
    has_low: bool
    has_offset: bool
    needs_top: bool

    @classmethod
    def of(cls, rows: slice, limits: Limits) -> _Block:
        needs_top = not np.array_equal(limits.span + limits.offset, limits.top)
        return cls(rows, limits, bool(limits.low.any()), bool(limits.offset.any()), needs_top)


def quantized(shape: tuple[int, int], limits: Limits, pool: ThreadPool) -> Quantize:
    """Return the kernel that clips rows to limits, rounds them to steps (halves to even), and scales them."""
    rows, width = shape
    step = max(BLOCK_BYTES // (limits.low.itemsize * width), 1)
    parts = split(rows, pool.size if rows * width >= policy.FAKE_QUANTIZE_SHARED_MIN_ELEMENTS else 1)
    jobs = [_blocks(limits, start, end, step) for start, end in parts]

    def run(data: Array, output: Array) -> None:
        def part(number: int) -> None:
            for block in jobs[number]:
                _quantize(data[block.rows], output[block.rows], block)

        pool.run(part, len(parts))

    return run


def _quantize(data: Array, output: Array, block: _Block) -> None:
    """Fill the rows of a block by the operations of `FakeQuantize.evaluate`; `data` may be `output`."""
    limits = block.limits
    steps = limits.low.dtype.type(limits.steps)
    above = data > limits.high if block.needs_top else None
    np.maximum(data, limits.low, out=output)
    np.minimum(output, limits.high, out=output)
    if block.has_low:
        np.subtract(output, limits.low, out=output)
    np.divide(output, limits.width, out=output)
    np.multiply(output, steps, out=output)
    np.rint(output, out=output)
    np.divide(output, steps, out=output)
    np.multiply(output, limits.span, out=output)
    if block.has_offset:
        np.add(output, limits.offset, out=output)
    if above is not None:
        np.copyto(output, limits.top, where=above)


def _blocks(limits: Limits, start: int, end: int, step: int) -> list[_Block]:
    """Return the blocks of at most `step` rows from `start` to before `end`."""
    ranges = [(first, min(first + step, end)) for first in range(start, end, step)]
    return [_Block.of(slice(first, last), limits.of_rows(first, last)) for first, last in ranges]
