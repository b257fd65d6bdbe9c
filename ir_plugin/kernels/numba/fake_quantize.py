"""Quantization to a number of levels and back in one pass."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.keys import FakeQuantizeKernels
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array


@compiled(f"void({read_only(2)}, f4[:,::1], {read_only(2)}, f4, i8, i8)", exact=True)
def by_rows(data: Array, output: Array, limits: Array, steps: float, first: int, last: int) -> None:
    """Compute the rows [first, last) with one set of limits a row, modulo their number.

    Limits are the rows low, high, width, span, offset and top; see `kernels.numpy.fake_quantize.Limits`.
    """
    for row in range(first, last):
        number = row % limits.shape[1]
        low, high, width = limits[0, number], limits[1, number], limits[2, number]
        span, offset, top = limits[3, number], limits[4, number], limits[5, number]
        source, target = data[row], output[row]
        for c in range(source.shape[0]):
            x = source[c]
            clipped = low if x < low else x
            level = np.rint((clipped - low) / width * steps)
            target[c] = top if x > high else level / steps * span + offset


@compiled(f"void({read_only(2)}, f4[:,::1], {read_only(2)}, f4, i8, i8)", exact=True)
def by_columns(data: Array, output: Array, limits: Array, steps: float, first: int, last: int) -> None:
    """Compute the rows [first, last) with one set of limits a column."""
    low, high, width = limits[0], limits[1], limits[2]
    span, offset, top = limits[3], limits[4], limits[5]
    for row in range(first, last):
        source, target = data[row], output[row]
        for c in range(source.shape[0]):
            x = source[c]
            clipped = low[c] if x < low[c] else x
            level = np.rint((clipped - low[c]) / width[c] * steps)
            target[c] = top[c] if x > high[c] else level / steps * span[c] + offset[c]


register(keys.FAKE_QUANTIZE)(FakeQuantizeKernels(by_rows, by_columns))
