"""Conversion of arrays between element types: what Convert, ConvertLike and ConvertPromoteTypes share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import is_kind
from ir_plugin.tensors import Array, Bounds, ElementType
from ir_plugin.tensors.packing import pack, unpack

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def require_convertible(part: str, source: ElementType, target: ElementType) -> None:
    """Raise where one of two types is string and the other is not."""
    if (source is ElementType.string) != (target is ElementType.string) and source.is_static and target.is_static:
        raise ShapeError(part, f"{source} cannot be converted to {target}; strings and numbers do not mix")


def converted(array: Array, target: ElementType) -> Array:
    """Return the elements as another type.

    Floating-point numbers are rounded to the nearest, halves to even; whole numbers wrap into a smaller type. Of a
    floating-point number the whole part counts: as an integer of 32 bits for the types of up to 16 bits and i32, of 64
    bits for others, and of a number beyond (NaN too) the lowest such integer, as x86 processors have it. Whatever is
    not 0, NaN included, is true.
    """
    if array.dtype.kind in "fV" and array.dtype.itemsize < 4 and array.dtype != target.dtype:
        array = array.astype(np.float32)
    if target.is_integer:
        integers = _truncated(array, target) if array.dtype.kind in "fV" else array
        return _wrapped(integers, target)
    if target is ElementType.nf4:
        return unpack(pack(array.astype(np.float32).reshape(-1), target), target, array.size).reshape(array.shape)
    if target is ElementType.f8e8m0:
        return _powers_of_two(array.astype(np.float32)).astype(target.dtype)
    if target is ElementType.f4e2m1 and array.dtype != target.dtype:
        array = np.nan_to_num(array.astype(np.float32), nan=6.0)
    if target.is_floating and target.dtype.itemsize < 4 and array.dtype.kind in "iub":
        array = array.astype(np.float64 if target is ElementType.f16 else np.float32)
    result: Array = array.astype(target.dtype, copy=False)
    return result


def _truncated(array: Array, target: ElementType) -> Array:
    """Return the whole parts as integers of 32 or 64 bits."""
    narrow = target.bits <= 16 or target is ElementType.i32
    info = _INT32 if narrow else _INT64
    if target is ElementType.u64:
        above = (array >= 2.0**63) & (array < 2.0**64)
        high = np.where(above, array, 0).astype(np.uint64)
        return np.where(above, high, _cut(array, info).astype(np.uint64))
    return _cut(array, info)


def _cut(real: Array, info: np.iinfo[Any]) -> Array:
    fits = (real > info.min - 1.0) & (real < -float(info.min))
    if fits.all():
        return real.astype(info.dtype)
    return np.where(fits, np.where(fits, real, 0).astype(info.dtype), info.min)


def _wrapped(integers: Array, target: ElementType) -> Array:
    """Return whole numbers or booleans modulo the type's range."""
    result: Array = integers.astype(target.dtype, copy=False)
    if not target.is_low_bit:
        return result
    result = result & (2**target.bits - 1)
    return (result ^ 8) - 8 if target is ElementType.i4 else result


def _powers_of_two(real: Array) -> Array:
    """Return the nearest powers of two that f8e8m0 holds, halves to the even exponent; 2^-127 for 0 and below."""
    mantissa, exponent = np.frexp(np.abs(real))
    up = (mantissa > 0.75) | ((mantissa == 0.75) & (exponent % 2 == 1))
    power = np.clip(exponent - 1 + up, -127, 127)
    rounded = np.ldexp(np.ones_like(real), np.where(real > 0, power, -127))
    rounded = np.where(np.isposinf(real), np.float32(2.0**127), rounded)
    return np.where(np.isnan(real), real, rounded)


def converted_bounds(bounds: Bounds, target: ElementType) -> Bounds | None:
    """Return the interval after conversion: cut to the range of a smaller type, unlimited where it was."""
    if bounds.is_exact:
        with np.errstate(all="ignore"):
            value = converted(bounds.lower, target)
        return Bounds(value, value)
    if target.bits < 8 or not is_kind(target, "number") or bounds.lower.dtype == np.object_:
        return None
    with np.errstate(all="ignore"):
        return Bounds(*(_bound(array, target) for array in bounds))


def _bound(array: Array, target: ElementType) -> Array:
    result: Array
    if array.dtype.kind == "b":
        array = array.astype(np.int8)
    if array.dtype.kind in "iu":
        unlimited = (array == np.iinfo(array.dtype).max) & (array.dtype.itemsize >= 4)
        if target.is_floating:
            result = np.where(unlimited, np.inf, array.astype(np.float64)).astype(target.dtype)
            return result
        info = np.iinfo(target.dtype)
        result = np.where(unlimited, info.max, np.clip(array.astype(object), info.min, info.max)).astype(target.dtype)
        return result
    if target.is_floating:
        result = array.astype(target.dtype)
        return result
    info = np.iinfo(target.dtype)
    real = array.astype(np.float64)
    inside = (real > info.min) & (real < float(info.max))
    integers = np.where(inside, real, 0).astype(target.dtype)
    result = np.where(inside, integers, np.where(real > 0, info.max, info.min)).astype(target.dtype)
    return result
