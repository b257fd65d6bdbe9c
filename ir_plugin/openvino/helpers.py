"""Packing of values into bytes and back, as `openvino.helpers`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.tensors import ElementType, Shape
from ir_plugin.tensors.packing import pack_codes, unpack_codes

__all__ = ["pack_data", "unpack_data"]
__path__: list[str] = []

_PACKED = ("u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1")

Values: TypeAlias = "npt.NDArray[Any]"


def pack_data(array: Values, type: ElementType) -> npt.NDArray[np.uint8]:
    """Return bytes that hold the values, or for nf4 and f4e2m1 the codes, of an array.

    The first value stands in the highest bits of the first byte, except for u3 and u6, whose low and high bits stand
    in separate bytes. Bits beyond the width of the type are dropped; the last byte, or group, is padded with zeros.
    """
    require(array, np.ndarray, "a NumPy array", "array")
    bits = _bits(type)
    codes = array.astype(np.int8 if type is ElementType.i4 else np.uint8)
    if bits not in (3, 6) and not np.array_equal(codes, array):
        raise InputError(f"the values {array} cannot be converted to {codes.dtype} without rounding")
    return pack_codes(codes.view(np.uint8).reshape(-1) & np.uint8(2**bits - 1), bits)


def unpack_data(array: Values, type: ElementType, shape: Sequence[int] | Shape) -> Values:
    """Return the values in packed bytes as an array of a shape: uint8, for i4 int8; the inverse of `pack_data`."""
    require(array, np.ndarray, "a NumPy array", "array")
    codes = unpack_codes(array.reshape(-1).view(np.uint8), _bits(type))
    if type is ElementType.i4:
        codes ^= 8
        codes -= 8
    return np.resize(codes.view(np.int8) if type is ElementType.i4 else codes, list(shape))


def _bits(type: ElementType) -> int:
    if not isinstance(type, ElementType) or type.name not in _PACKED:
        raise ArgumentTypeError(f"argument 'type': one of {', '.join(_PACKED)} is needed, not {type!r}")
    return type.bits
