"""Softmax and normalization of rows, each row in one pass through the first-level cache."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.math_functions import exp
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobKernel, bound
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

SOFTMAX = struct("rows width parts", IN_OUT)
NORMALIZATION = struct("rows width parts inside variance centred scale offset", IN_OUT, eps=np.float32)
"""The arguments of `normalize`; `scale` and `offset` are addresses."""

_MAGNITUDE = np.int32(0x7FFFFFFF)
_SIGN = np.int32(31)
_TOGETHER = 64
"""Short rows whose softmax is computed at once."""


@compiled("f4(i4[::1])")
def highest(bits: Array) -> float:
    """Return the largest of numbers given as their bits, which compare as integers once negative ones are turned.

    A comparison of floats must heed NaN, for which there is no vector form.
    """
    best = np.int32(-(2**31))
    for column in range(len(bits)):
        number = bits[column] ^ ((bits[column] >> _SIGN) & _MAGNITUDE)
        best = number if number > best else best
    largest: float = np.int32(best ^ ((best >> _SIGN) & _MAGNITUDE)).view(np.float32)
    return largest


@compiled("void(f4[:,::1], f4[::1])")
def exponentials(rows: Array, factors: Array) -> None:
    """Replace rows by exp(x - max(x)), and set `factors` to the reciprocals of their sums."""
    bits = rows.view(np.int32)
    for row in range(rows.shape[0]):
        top, total = highest(bits[row]), np.float32(0)
        for column in range(rows.shape[1]):
            rows[row, column] = exp(rows[row, column] - top)
        for column in range(rows.shape[1]):
            total += rows[row, column]
        factors[row] = np.float32(1) / total


@compiled(f"void({read_only(2)}, f4[:,::1])")
def _softmax_of_columns(data: Array, output: Array) -> None:
    """Do as `softmax` does, for rows too short for vectors: loops run over many rows, column after column."""
    count, width = data.shape
    columns = np.zeros((width, _TOGETHER), np.float32)
    bits = columns.view(np.int32)
    best, total = np.empty(_TOGETHER, np.int32), np.empty(_TOGETHER, np.float32)
    top = best.view(np.float32)
    for first in range(0, count, _TOGETHER):
        rows = min(_TOGETHER, count - first)
        best[:] = np.int32(-(2**31))
        total[:] = np.float32(0)
        for column in range(width):
            for row in range(rows):
                columns[column, row] = data[first + row, column]
            for row in range(_TOGETHER):
                number = bits[column, row] ^ ((bits[column, row] >> _SIGN) & _MAGNITUDE)
                best[row] = number if number > best[row] else best[row]
        for row in range(_TOGETHER):
            best[row] ^= (best[row] >> _SIGN) & _MAGNITUDE
        for column in range(width):
            for row in range(_TOGETHER):
                columns[column, row] = exp(columns[column, row] - top[row])
            for row in range(_TOGETHER):
                total[row] += columns[column, row]
        for row in range(_TOGETHER):
            total[row] = np.float32(1) / total[row]
        for column in range(width):
            for row in range(rows):
                output[first + row, column] = columns[column, row] * total[row]


@compiled(f"void({read_only(2)}, f4[:,::1])")
def softmax(data: Array, output: Array) -> None:
    """Fill rows with the softmax of the data's rows, which the output must not overlap."""
    factors = np.empty(1, np.float32)
    for row in range(data.shape[0]):
        for column in range(data.shape[1]):
            output[row, column] = data[row, column]
        exponentials(output[row : row + 1], factors)
        for column in range(data.shape[1]):
            output[row, column] *= factors[0]


@compiled(f"void({read_only(2)}, f4[:,::1], f4, b1, b1, b1, {read_only(1)}, {read_only(1)})")
def normalize(
    data: Array, output: Array, eps: float, inside: bool, variance: bool, centred: bool, scale: Array, offset: Array
) -> None:
    """Fill rows with the data's rows minus their means, divided by the roots of their variances, scaled and shifted.

    Unless `centred` the mean is taken to be 0.

    The output must not overlap the data: loops over one array under two names are not vectorized.
    """
    width = data.shape[1]
    share = np.float32(1) / np.float32(width)
    for number in range(len(data)):
        source, target = data[number], output[number]
        mean, squares, factor = np.float32(0), np.float32(0), np.float32(1)
        if centred:
            for column in range(width):
                mean += source[column]
            mean *= share
        if variance:
            for column in range(width):
                distance = source[column] - mean
                squares += distance * distance
            squares *= share
            factor /= np.sqrt(squares + eps) if inside else np.sqrt(squares) + eps
        for column in range(width):
            target[column] = (source[column] - mean) * factor * scale[column] + offset[column]


@job
def _softmax_rows(address: int, part: int) -> None:
    """Fill a part of the rows with their softmax."""
    a = arguments_at(address, SOFTMAX)
    first, width = bound(a.rows, a.parts, part), a.width
    shape = (bound(a.rows, a.parts, part + 1) - first, width)
    data = carray(pointer(a.data + 4 * first * width), shape, np.float32)
    softmax(data, carray(pointer(a.output + 4 * first * width), shape, np.float32))


@job
def _softmax_short_rows(address: int, part: int) -> None:
    """Do as `_softmax_rows` does, for short rows."""
    a = arguments_at(address, SOFTMAX)
    first, width = bound(a.rows, a.parts, part), a.width
    shape = (bound(a.rows, a.parts, part + 1) - first, width)
    data = carray(pointer(a.data + 4 * first * width), shape, np.float32)
    _softmax_of_columns(data, carray(pointer(a.output + 4 * first * width), shape, np.float32))


@job
def _normalize_rows(address: int, part: int) -> None:
    """Normalize a part of the rows."""
    a = arguments_at(address, NORMALIZATION)
    first, width = bound(a.rows, a.parts, part), a.width
    shape = (bound(a.rows, a.parts, part + 1) - first, width)
    data = carray(pointer(a.data + 4 * first * width), shape, np.float32)
    output = carray(pointer(a.output + 4 * first * width), shape, np.float32)
    scale, offset = (carray(pointer(a.scale), (width,), np.float32), carray(pointer(a.offset), (width,), np.float32))
    normalize(data, output, a.eps, a.inside != 0, a.variance != 0, a.centred != 0, scale, offset)


@register(keys.SOFTMAX_ROWS)
class SoftmaxRows(JobKernel):
    """The softmax of any number of rows of any width; the output must not overlap the data."""

    def __init__(self, pool: ThreadPool) -> None:
        self._shape = (0, 0)
        super().__init__(pool, filled(SOFTMAX), [], 0)

    def _prepare(self, data: Array) -> None:
        if data.shape == self._shape:
            return
        rows, width = self._shape = data.shape
        parts = self._pool.size if data.size >= policy.SOFTMAX_COMPILED_SHARED_MIN_ELEMENTS else 1
        fill(self._arguments, rows=rows, width=width, parts=parts)
        is_short = width <= policy.SOFTMAX_SHORT_MAX_WIDTH
        self._set_jobs([(_softmax_short_rows if is_short else _softmax_rows).address], parts)


@register(keys.NORMALIZATION)
class Normalization(JobKernel):
    """The normalization of any number of rows as `normalize` describes it."""

    def __init__(self, options: tuple[float, bool, bool, bool], scale: Array, offset: Array, pool: ThreadPool) -> None:
        """Take eps, inside, variance and centred, and a factor and an addend a column."""
        self._scale, self._offset, self._count = scale, offset, 0
        eps, inside, variance, centred = options
        arguments = filled(
            NORMALIZATION, width=scale.size, eps=eps, inside=inside, variance=variance,
            centred=centred, scale=address_of(scale), offset=address_of(offset),
        )  # fmt: skip
        super().__init__(pool, arguments, [], 0)

    def _prepare(self, data: Array) -> None:
        if len(data) == self._count:
            return
        self._count = len(data)
        parts = self._pool.size if data.size >= policy.NORMALIZATION_COMPILED_SHARED_MIN_ELEMENTS else 1
        fill(self._arguments, rows=self._count, parts=parts)
        self._set_jobs([_normalize_rows.address], parts)
