"""Attention of few queries on many cached keys: each row of keys and values is read where it lies."""

from __future__ import annotations

import struct as packing
from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.rows import exponentials
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.strided import STRIDED, strided
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import HEADER, is_packed

_SCALE_AND_OFFSET = 8
"""The bytes before the codes of a packed row, `HEADER`: compiled functions read constants of kernels alone."""


@compiled("i8(i8, i8)")
def _step(length: int, stride: int) -> int:
    """Return the stride along a dimension, 0 where one position stands for all."""
    return 0 if length == 1 else stride


@compiled("f4(i8, i8, i8)")
def _dot(left: int, right: int, width: int) -> float:
    a, b = carray(pointer(left), (width,), np.float32), carray(pointer(right), (width,), np.float32)
    total: float = np.float32(0)
    for column in range(width):
        total += a[column] * b[column]
    return total


@compiled("void(i8, i8, f4, i8)")
def _add_scaled(target: int, source: int, factor: float, width: int) -> None:
    a, b = carray(pointer(target), (width,), np.float32), carray(pointer(source), (width,), np.float32)
    for column in range(width):
        a[column] += factor * b[column]


@compiled("f4(i8, i8)")
def _sum(row: int, width: int) -> float:
    numbers = carray(pointer(row), (width,), np.float32)
    total: float = np.float32(0)
    for column in range(width):
        total += numbers[column]
    return total


@compiled("f4(i8, i8, f4, i8)")
def _dot_packed(left: int, codes: int, total: float, width: int) -> float:
    """Return the product of numbers, whose sum is `total`, with a packed row, whose scale and offset precede it."""
    a, b = carray(pointer(left), (width,), np.float32), carray(pointer(codes), (width,), np.uint8)
    header = carray(pointer(codes - _SCALE_AND_OFFSET), (2,), np.float32)
    product = np.float32(0)
    for column in range(width):
        product += a[column] * np.float32(b[column])
    result: float = product * header[0] + total * header[1]
    return result


@compiled("f4(i8, i8, f4, i8)")
def _add_packed(target: int, codes: int, factor: float, width: int) -> float:
    """Add the codes of a packed row times its scale and a factor, and return its offset times the factor."""
    a, b = carray(pointer(target), (width,), np.float32), carray(pointer(codes), (width,), np.uint8)
    header = carray(pointer(codes - _SCALE_AND_OFFSET), (2,), np.float32)
    scaled = factor * header[0]
    for column in range(width):
        a[column] += scaled * np.float32(b[column])
    offset: float = factor * header[1]
    return offset


@compiled("void(f4[::1], i8, i8, i8, i8, b1, f4)")
def _score(scores: Array, query: int, key: int, step: int, width: int, packed: bool, scale: float) -> None:
    """Fill scores with the scaled products of a query and the keys, which lie `step` bytes apart."""
    if packed:
        total = _sum(query, width)
        for position in range(len(scores)):
            scores[position] = _dot_packed(query, key + position * step, total, width) * scale
    else:
        for position in range(len(scores)):
            scores[position] = _dot(query, key + position * step, width) * scale


@compiled("void(f4[::1], f4, i8, i8, i8, i8, b1)")
def _weigh(scores: Array, factor: float, target: int, value: int, step: int, width: int, packed: bool) -> None:
    """Fill a row with the sum of the values, which lie `step` bytes apart, times their scores and a factor."""
    row = carray(pointer(target), (width,), np.float32)
    for column in range(width):
        row[column] = np.float32(0)
    if packed:
        offset = np.float32(0)
        for position in range(len(scores)):
            offset += _add_packed(target, value + position * step, scores[position] * factor, width)
        for column in range(width):
            row[column] += offset
    else:
        for position in range(len(scores)):
            _add_scaled(target, value + position * step, scores[position] * factor, width)


SHAPED = struct("length_0 length_1 length_2 length_3", STRIDED)
"""An array of four axes, and its lengths along them."""
FEW_QUERIES = struct(
    "parts is_masked is_packed is_refused",
    query=SHAPED, key=SHAPED, value=SHAPED, output=SHAPED, mask=SHAPED, scale=np.float32,
)  # fmt: skip
"""Query [N, H, L, E], key [N, K, S, E], value [N, K, S, Ev], output [N, H, L, Ev], and a mask that broadcasts to
[N, H, L, S]; whether there is one, whether keys and values are codes of packed rows, and whether they are refused."""
_CHANGING = packing.Struct("49q")
"""All fields but the scale."""
_ABSENT = (0, 0, 0, 0, 0, 1, 1, 1, 1)
"""The fields of an absent mask."""


@register_jitable
def _has_rows(fields: Any, item: int) -> bool:
    """Return whether the elements of each row are neighbours, aligned to `item` bytes."""
    bits = fields.address | fields.stride_0 | fields.stride_1 | fields.stride_2
    return bool(fields.stride_3 == item and bits % item == 0)


@compiled("b1(i8)")
def _fits(address: int) -> bool:
    """Return whether rows are contiguous, and the shapes form an attention."""
    a = arguments_at(address, FEW_QUERIES)
    query, key, value, output, mask = a.query, a.key, a.value, a.output, a.mask
    samples, heads, rows, keys = query.length_0, query.length_1, query.length_2, key.length_2
    item = 1 if a.is_packed != 0 else 4
    have_rows = _has_rows(query, 4) and _has_rows(key, item) and _has_rows(value, item) and _has_rows(output, 4)
    bits = mask.address | mask.stride_0 | mask.stride_1 | mask.stride_2 | mask.stride_3
    if not have_rows or bits % 4 != 0:
        return False
    return (
        (output.length_0, output.length_1, output.length_2) == (samples, heads, rows)
        and output.length_3 == value.length_3
        and key.length_3 == query.length_3
        and (key.length_0 in (1, samples) and value.length_0 in (1, samples))
        and (value.length_1 == key.length_1 and value.length_2 in (1, keys))
        and heads % key.length_1 == 0
        and (mask.length_0 in (1, samples) and mask.length_1 in (1, heads))
        and (mask.length_2 in (1, rows) and mask.length_3 in (1, keys))
    )


@job
def _attend(address: int, part: int) -> None:
    """Compute a part of the heads of the queries, counted through all samples."""
    a = arguments_at(address, FEW_QUERIES)
    if not _fits(address):
        a.is_refused = 1
        return
    query, key, value, output, mask = a.query, a.key, a.value, a.output, a.mask
    heads, rows, width, keys = query.length_1, query.length_2, query.length_3, key.length_2
    total, group, has_codes = query.length_0 * heads, heads // key.length_1, a.is_packed != 0
    key_sample, value_sample = _step(key.length_0, key.stride_0), _step(value.length_0, value.stride_0)
    value_step = _step(value.length_2, value.stride_2)
    mask_sample, mask_head = _step(mask.length_0, mask.stride_0), _step(mask.length_1, mask.stride_1)
    mask_row, mask_key = _step(mask.length_2, mask.stride_2), _step(mask.length_3, mask.stride_3)
    scores, factors = np.empty((1, keys), np.float32), np.empty(1, np.float32)
    for number in range(bound(total, a.parts, part), bound(total, a.parts, part + 1)):
        sample, head = number // heads, number % heads
        first_key = key.address + sample * key_sample + head // group * key.stride_1
        first_value = value.address + sample * value_sample + head // group * value.stride_1
        for row in range(rows):
            start = query.address + sample * query.stride_0 + head * query.stride_1 + row * query.stride_2
            _score(scores[0], start, first_key, key.stride_2, width, has_codes, a.scale)
            if a.is_masked != 0:
                first = mask.address + sample * mask_sample + head * mask_head + row * mask_row
                for position in range(keys):
                    scores[0, position] += carray(pointer(first + position * mask_key), (1,), np.float32)[0]
            exponentials(scores, factors)
            target = output.address + sample * output.stride_0 + head * output.stride_1 + row * output.stride_2
            _weigh(scores[0], factors[0], target, first_value, value_step, value.length_3, has_codes)


@register(keys.FEW_QUERIES)
class FewQueries:
    """The attention of few queries, whose heads the threads of a pool share."""

    def __init__(self, scale: float, pool: ThreadPool) -> None:
        self._pool, self._arguments = pool, filled(FEW_QUERIES, scale=scale)
        self._memory = self._arguments.data
        self._address, self._is_refused = address_of(self._arguments), self._arguments["is_refused"]
        self._function = _attend.address

    def __call__(self, query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> bool:
        """Fill the output, as `kernels.numpy.attention.FewQueries` describes; key and value may both be packed rows.

        Return False, with nothing done, where rows are no runs of neighbours, and for shapes that do not fit.
        """
        has_codes = is_packed(key) and is_packed(value)
        if has_codes:
            key, value = key[..., HEADER:], value[..., HEADER:]
        if key.dtype != value.dtype or (mask is not None and (mask.ndim > 4 or mask.dtype != np.float32)):
            return False
        samples, heads, rows, width = query.shape
        total, parts = samples * heads, 1
        work = total * rows * key.shape[2] * (width + value.shape[3])
        if work >= policy.ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS:
            parts = min(self._pool.size, total)
        addend = _ABSENT if mask is None else _of_four_axes(mask)
        _CHANGING.pack_into(
            self._memory, 0, parts, mask is not None, has_codes, 0,
            *strided(query), *query.shape, *strided(key), *key.shape, *strided(value), *value.shape,
            *strided(output), *output.shape, *addend,
        )  # fmt: skip
        self._pool.call(self._function, self._address, parts)
        return not self._is_refused


def _of_four_axes(mask: Array) -> tuple[int, ...]:
    """Return the fields of `SHAPED` for a mask of at most four axes."""
    missing = 4 - mask.ndim
    return address_of(mask), *(0,) * missing, *mask.strides, *(1,) * missing, *mask.shape
