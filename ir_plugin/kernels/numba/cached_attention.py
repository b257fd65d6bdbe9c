"""Attention of few queries on many cached keys: each row of keys and values is read where it lies."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.rows import exponentials
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import HEADER, is_packed

_ANY = "Array(f4, 4, 'A', True)"
_CODES = "Array(u1, 4, 'A', True)"
_NO_MASK = np.zeros((1, 1, 1, 1), np.float32)
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


@register_jitable
def _attend(
    query: Array, key: Array, value: Array, mask: Array, masked: bool, scale: float, output: Array, begin: int, end: int
) -> None:
    """Compute the heads [begin, end) of the queries, counted through all samples; keys and values of u8 are packed."""
    packed = key.itemsize == 1
    heads, rows, width = query.shape[1], query.shape[2], query.shape[3]
    keys, group = key.shape[2], heads // key.shape[1]
    key_sample, value_sample = _step(key.shape[0], key.strides[0]), _step(value.shape[0], value.strides[0])
    value_step = _step(value.shape[2], value.strides[2])
    (samples, head_masks, row_masks, columns), (far, high, long, short) = mask.shape, mask.strides
    mask_steps = _step(samples, far), _step(head_masks, high), _step(row_masks, long), _step(columns, short)
    scores, factors = np.empty((1, keys), np.float32), np.empty(1, np.float32)
    for number in range(begin, end):
        sample, head = number // heads, number % heads
        first_key = key.ctypes.data + sample * key_sample + head // group * key.strides[1]
        first_value = value.ctypes.data + sample * value_sample + head // group * value.strides[1]
        for row in range(rows):
            start = query.ctypes.data + sample * query.strides[0] + head * query.strides[1] + row * query.strides[2]
            _score(scores[0], start, first_key, key.strides[2], width, packed, scale)
            if masked:
                first = mask.ctypes.data + sample * mask_steps[0] + head * mask_steps[1] + row * mask_steps[2]
                for position in range(keys):
                    scores[0, position] += carray(pointer(first + position * mask_steps[3]), (1,), np.float32)[0]
            exponentials(scores, factors)
            address = (
                output.ctypes.data + sample * output.strides[0] + head * output.strides[1] + row * output.strides[2]
            )
            _weigh(scores[0], factors[0], address, first_value, value_step, value.shape[3], packed)


@compiled(f"void({_ANY}, {_ANY}, {_ANY}, {_ANY}, b1, f4, f4[:,:,:,:], i8, i8)")
def _attend_numbers(
    query: Array, key: Array, value: Array, mask: Array, masked: bool, scale: float, output: Array, begin: int, end: int
) -> None:
    _attend(query, key, value, mask, masked, scale, output, begin, end)


@compiled(f"void({_ANY}, {_CODES}, {_CODES}, {_ANY}, b1, f4, f4[:,:,:,:], i8, i8)")
def _attend_packed(
    query: Array, key: Array, value: Array, mask: Array, masked: bool, scale: float, output: Array, begin: int, end: int
) -> None:
    _attend(query, key, value, mask, masked, scale, output, begin, end)


@register(keys.FEW_QUERIES)
def few_queries(
    query: Array, key: Array, value: Array, mask: Array | None, scale: float, output: Array, pool: ThreadPool
) -> bool:
    """Fill the output [N, H, L, Ev] from query [N, H, L, E], key [N, K, S, E] and value [N, K, S, Ev].

    The mask broadcasts to [N, H, L, S]. Key and value may both be packed rows of u8. Return False, with nothing done,
    for arrays whose rows are no runs of neighbours, and for shapes that do not fit.
    """
    kernel = _attend_numbers
    if is_packed(key) and is_packed(value):
        key, value, kernel = key[..., HEADER:], value[..., HEADER:], _attend_packed
    if not _fits(query, key, value, mask, output) or key.dtype != value.dtype:
        return False
    masked = mask is not None
    addend = _NO_MASK if mask is None else mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    total = query.shape[0] * query.shape[1]
    work = total * query.shape[2] * key.shape[2] * (query.shape[3] + value.shape[3])
    if work < policy.ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS or pool.size == 1:
        kernel(query, key, value, addend, masked, scale, output, 0, total)
        return True
    parts = split(total, pool.size)
    pool.run(lambda part: kernel(query, key, value, addend, masked, scale, output, *parts[part]), len(parts))
    return True


def _fits(query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> bool:
    """Return whether rows are contiguous, and the shapes form an attention."""
    samples, heads, rows, width = query.shape
    batch, shared, keys, _ = key.shape
    if any(array.strides[3] != array.itemsize or not array.flags.aligned for array in (query, key, value, output)):
        return False
    if mask is not None and (mask.ndim > 4 or mask.dtype != np.float32):
        return False
    full = (samples, heads, rows, keys)
    masks = () if mask is None else zip(mask.shape[::-1], full[::-1], strict=False)
    return (
        output.shape == (samples, heads, rows, value.shape[3])
        and key.shape[3] == width
        and batch in (1, samples)
        and value.shape[0] in (1, samples)
        and value.shape[1:3] in ((shared, keys), (shared, 1))
        and heads % shared == 0
        and all(length in (1, expected) for length, expected in masks)
    )
