"""Quantization to a number of levels and back in one pass, as jobs of a spin pool."""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.fake_quantize import Limits
from ir_plugin.kernels.registry import register_job

FAKE_QUANTIZE = struct("limits count rows width parts", IN_OUT, steps=np.float32)
"""The data [rows, width]; limits are six rows of `count` numbers: low, high, width, span, offset and top."""


@partial(job, exact=True)
def _by_rows(address: int, part: int) -> None:
    """Quantize a part of the rows with one set of limits a row, modulo their number."""
    a = arguments_at(address, FAKE_QUANTIZE)
    limits, steps = carray(pointer(a.limits), (6, a.count), np.float32), a.steps
    for row in range(bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)):
        number = row % a.count
        low, high, width = limits[0, number], limits[1, number], limits[2, number]
        span, offset, top = limits[3, number], limits[4, number], limits[5, number]
        source = carray(pointer(a.data + 4 * row * a.width), (a.width,), np.float32)
        target = carray(pointer(a.output + 4 * row * a.width), (a.width,), np.float32)
        for c in range(source.shape[0]):
            x = source[c]
            clipped = low if x < low else x
            level = np.rint((clipped - low) / width * steps)
            target[c] = top if x > high else level / steps * span + offset


@partial(job, exact=True)
def _by_columns(address: int, part: int) -> None:
    """Quantize a part of the rows with one set of limits a column."""
    a = arguments_at(address, FAKE_QUANTIZE)
    limits, steps = carray(pointer(a.limits), (6, a.count), np.float32), a.steps
    low, high, width = limits[0], limits[1], limits[2]
    span, offset, top = limits[3], limits[4], limits[5]
    for row in range(bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)):
        source = carray(pointer(a.data + 4 * row * a.width), (a.width,), np.float32)
        target = carray(pointer(a.output + 4 * row * a.width), (a.width,), np.float32)
        for c in range(source.shape[0]):
            x = source[c]
            clipped = low[c] if x < low[c] else x
            level = np.rint((clipped - low[c]) / width[c] * steps)
            target[c] = top[c] if x > high[c] else level / steps * span[c] + offset[c]


@register_job(keys.FAKE_QUANTIZE)
class FakeQuantizeRows(JobKernel):
    """The quantization of rows [M, N], with limits as in `kernels.numpy.fake_quantize`."""

    def __init__(self, shape: tuple[int, int], limits: Limits, spin_pool: SpinPool) -> None:
        self._limits = np.ascontiguousarray([np.broadcast_to(a, limits.low.shape).reshape(-1) for a in limits[:6]])
        parts = spin_pool.size if prod(shape) >= policy.FAKE_QUANTIZE_SHARED_MIN_ELEMENTS else 1
        arguments = filled(
            FAKE_QUANTIZE, limits=address_of(self._limits), count=limits.low.size, rows=shape[0], width=shape[1],
            parts=parts, steps=limits.steps,
        )  # fmt: skip
        has_row_limits = len(limits.low) > 1 or limits.low.size == 1
        super().__init__(spin_pool, arguments, [(_by_rows if has_row_limits else _by_columns).address], parts)
