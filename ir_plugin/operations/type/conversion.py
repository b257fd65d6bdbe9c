"""Conversion of arrays between element types, shared by Convert, ConvertLike and ConvertPromoteTypes."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.checks import is_kind
from ir_plugin.operations.truncation import truncated
from ir_plugin.tensors import Array, Bounds, ElementType
from ir_plugin.tensors.packing import pack, to_type, unpack


def require_convertible(part: str, source: ElementType, target: ElementType) -> None:
    """Raise if just one of two types is string."""
    if (source is ElementType.string) != (target is ElementType.string) and source.is_static and target.is_static:
        raise ShapeError(part, f"{source.name} cannot be converted to {target.name}; strings and numbers do not mix")


def converted(array: Array, target: ElementType) -> Array:
    """Return the elements converted to another type.

    Conversions between floating-point types round to nearest, halves to even. Integers wrap into a smaller type.
    Conversions of floating-point numbers to integers truncate, to 32 bits for i32 and types of up to 16 bits and to 64
    bits for others; numbers out of range and NaN become the lowest such integer, as on x86 processors. Everything but
    0, NaN included, is true. Raises `EvaluationError` for a target that is no type of elements.
    """
    if target is ElementType.dynamic:
        raise EvaluationError("elements cannot be converted to dynamic; destination_type must be a type of elements")
    if array.dtype.kind in "fV" and array.dtype.itemsize < 4 and array.dtype != target.dtype:
        array = array.astype(np.float32)
    if target.is_integer:
        integers = truncated(array, target) if array.dtype.kind in "fV" else array
        return _wrapped(integers, target)
    if target is ElementType.nf4:
        values = np.nan_to_num(array.astype(np.float32).reshape(-1), nan=-1.0)
        return unpack(pack(values, target), target, array.size).reshape(array.shape)
    if target is ElementType.f8e8m0:
        return to_type(_powers_of_two(array.astype(np.float32)), target)
    if target is ElementType.f4e2m1 and array.dtype != target.dtype:
        array = np.nan_to_num(array.astype(np.float32), nan=6.0)
    if target.is_floating and target.bits < 32 and array.dtype.kind in "iub":
        array = array.astype(np.float64 if target is ElementType.f16 else np.float32)
    return to_type(array, target)


def _wrapped(integers: Array, target: ElementType) -> Array:
    """Return integers or booleans modulo the range of the type."""
    result: Array = integers.astype(target.dtype, copy=False)
    if not target.is_low_bit:
        return result
    result = result & (2**target.bits - 1)
    sign = 1 << target.bits - 1
    return (result ^ sign) - sign if target.has_sign else result


def _powers_of_two(real: Array) -> Array:
    """Return the nearest powers of two of f8e8m0, halves to the even exponent; 2^-127 for 0 and negative numbers."""
    mantissa, exponent = np.frexp(np.abs(real))
    up = (mantissa > 0.75) | ((mantissa == 0.75) & (exponent % 2 == 1))
    power = np.clip(exponent - 1 + up, -127, 127)
    rounded = np.ldexp(np.ones_like(real), np.where(real > 0, power, -127))
    rounded = np.where(np.isposinf(real), np.float32(2.0**127), rounded)
    return np.where(np.isnan(real), real, rounded)


def converted_bounds(bounds: Bounds, target: ElementType) -> Bounds | None:
    """Return the converted interval, cut to the range of a smaller type; unlimited bounds stay unlimited."""
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
            return to_type(np.where(unlimited, np.inf, array.astype(np.float64)), target)
        info = np.iinfo(target.dtype)
        result = np.where(unlimited, info.max, np.clip(array.astype(object), info.min, info.max)).astype(target.dtype)
        return result
    if target.is_floating:
        return to_type(array, target)
    info = np.iinfo(target.dtype)
    real = array.astype(np.float64)
    inside = (real > info.min) & (real < float(info.max))
    integers = np.where(inside, real, 0).astype(target.dtype)
    result = np.where(inside, integers, np.where(real > 0, info.max, info.min)).astype(target.dtype)
    return result
