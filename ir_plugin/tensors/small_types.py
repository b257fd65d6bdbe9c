"""Element types that NumPy lacks: their dtypes, which the optional package ml_dtypes has, and their bits.

This module alone knows whether ml_dtypes is installed. Without it, numbers of these types are held as f32.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ml_dtypes: Any = None
with suppress(ImportError):
    import ml_dtypes

Array = npt.NDArray[Any]

_PACKAGE_NAMES = {
    "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0": "float8_e8m0fnu",
    "f4e2m1": "float4_e2m1fn", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
    "i2": "int2", "i4": "int4", "u2": "uint2", "u4": "uint4",
}  # fmt: skip

DTYPES: Mapping[str, np.dtype[Any]] = (
    {} if ml_dtypes is None else {name: np.dtype(getattr(ml_dtypes, own)) for name, own in _PACKAGE_NAMES.items()}
)
"""The dtypes of ml_dtypes by the names of element types; empty where it is not installed."""


class _Format(NamedTuple):
    """How the bits of a float of at most eight bits are read: the sign first, then the exponent, then the mantissa.

    The code after the largest finite number's stands for larger ones; a format without one saturates.
    """

    mantissa: int
    bias: int
    finite: int
    """The number of codes of finite numbers that are not negative."""
    sign: int
    """The bit of the sign; 0 for a format without negative numbers."""
    nan: tuple[int, int]
    """The codes of NaN, and of NaN with a sign."""
    saturates: bool = False

    @property
    def is_unsigned_zero(self) -> bool:
        """Whether the code of a negative zero is NaN."""
        return self.nan == (self.sign, self.sign)


_FORMATS = {
    "f8e4m3": _Format(3, 7, 0x7F, 0x80, (0x7F, 0xFF)),
    "f8e5m2": _Format(2, 15, 0x7C, 0x80, (0x7E, 0xFE)),
    "f8e8m0": _Format(0, 127, 0xFF, 0, (0xFF, 0xFF)),
    "f4e2m1": _Format(1, 1, 8, 8, (0x8, 0x0), saturates=True),
    "f8e4m3fnuz": _Format(3, 8, 0x80, 0x80, (0x80, 0x80)),
    "f8e5m2fnuz": _Format(2, 16, 0x80, 0x80, (0x80, 0x80)),
}

BITS: Mapping[str, np.dtype[Any]] = {
    name: np.dtype(np.uint16 if name == "bf16" else np.uint8) for name in ("bf16", *_FORMATS) if name not in DTYPES
}
"""The dtypes of the bits of floats that have no dtype here, and of which the numbers are held as f32."""


def dtype_of(name: str) -> np.dtype[Any]:
    """Return the dtype that holds the numbers of a float that NumPy lacks."""
    return DTYPES.get(name, np.dtype(np.float32))


def as_held(array: Array) -> Array:
    """Return an array of small integers of ml_dtypes in the dtype that stores them; other arrays unchanged."""
    held = _HELD.get(array.dtype)
    return array if held is None else array.astype(held)


_HELD = {
    DTYPES[name]: np.dtype(np.int8 if name.startswith("i") else np.uint8)
    for name in ("i2", "i4", "u2", "u4")
    if name in DTYPES
}


def encode(values: Array, name: str) -> Array:
    """Return the bits of numbers rounded to a float that NumPy lacks, as ml_dtypes rounds.

    Numbers are converted to f32 first. Half-way numbers round to even codes, for f8e8m0 up.
    """
    real = values.astype(np.float32, copy=False).reshape(-1)
    codes = _brain_bits(real) if name == "bf16" else _codes(real, name)
    return codes.reshape(values.shape)


def _codes(real: Array, name: str) -> Array:
    """Return the codes of a vector of f32 in a float of at most eight bits."""
    format, negative = _FORMATS[name], np.signbit(real)
    codes = np.searchsorted(_limits(name), np.abs(real)).astype(np.uint8)
    if name == "f8e8m0":
        codes[real <= 0] = format.nan[0]
    else:
        codes[negative & (codes > 0) if format.is_unsigned_zero else negative] |= np.uint8(format.sign)
    undefined = np.isnan(real)
    if undefined.any():
        codes[undefined] = np.where(negative[undefined], *reversed(format.nan))
    return codes


def decode(bits: Array, name: str) -> Array:
    """Return the f32 of the bits of a float that NumPy lacks."""
    if name == "bf16":
        return np.left_shift(bits, 16, dtype=np.uint32).view(np.float32)
    numbers: Array = _table(name)[bits]
    return numbers


def _brain_bits(real: Array) -> Array:
    """Return the upper halves of f32, rounded to even; NaN keeps its sign alone."""
    whole = np.ascontiguousarray(real).view(np.uint32)
    rounded = whole + (np.uint32(0x7FFF) + (whole >> np.uint32(16) & np.uint32(1)))
    rounded = np.where(np.isnan(real), whole & np.uint32(0x80000000) | np.uint32(0x7FC00000), rounded)
    upper: Array = (rounded >> np.uint32(16)).astype(np.uint16)
    return upper


@lru_cache(maxsize=16)
def _magnitudes(name: str) -> Array:
    """Return the numbers of the codes from 0 to the one after the largest finite number."""
    format = _FORMATS[name]
    codes = np.arange(format.finite + 1)
    exponent, fraction = codes >> format.mantissa, codes % (1 << format.mantissa) / (1 << format.mantissa)
    is_normal = (exponent > 0) | (name == "f8e8m0")
    magnitudes: Array = np.ldexp(fraction + is_normal, np.where(is_normal, exponent, 1) - format.bias)
    return magnitudes


@lru_cache(maxsize=16)
def _limits(name: str) -> Array:
    """Return the largest f32 that rounds to each code; half-way numbers round to even codes."""
    magnitudes = _magnitudes(name)[: -1 if _FORMATS[name].saturates else None]
    middles = ((magnitudes[:-1] + magnitudes[1:]) / 2).astype(np.float32)
    below: Array = np.nextafter(middles, np.float32(0))
    if name == "f8e8m0":
        below[0] = magnitudes[0]  # ml_dtypes rounds everything between its two smallest numbers up
        return below
    limits: Array = np.where(np.arange(middles.size) % 2 == 1, below, middles)
    return limits


@lru_cache(maxsize=16)
def _table(name: str) -> Array:
    """Return the f32 of each byte; the codes of f4e2m1 end at 15."""
    format, codes = _FORMATS[name], np.arange(256)
    numbers = np.full(256, np.nan)
    magnitude = codes & (2 * format.sign - 1 if format.sign else 0xFF) & ~format.sign
    finite = magnitude < format.finite
    numbers[finite] = _magnitudes(name)[magnitude[finite]]
    if name == "f8e5m2":
        numbers[magnitude == format.finite] = np.inf
    negative = codes & format.sign != 0
    if format.is_unsigned_zero:
        numbers[format.sign] = np.nan
    table: Array = np.where(negative, -numbers, numbers).astype(np.float32)
    return table
