"""Packing of constants: the bytes of each element type in `.bin` files, and the arrays they encode."""

from __future__ import annotations

from itertools import pairwise
from operator import index
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import PackingError
from ir_plugin.tensors.byte_order import from_little_endian, to_little_endian
from ir_plugin.tensors.element_type import Array, ElementType
from ir_plugin.tensors.small_types import BITS, decode, encode
from ir_plugin.tensors.strings import from_bytes, to_bytes

Bytes: TypeAlias = "bytes | bytearray | memoryview | npt.NDArray[np.uint8]"
Codes: TypeAlias = "npt.NDArray[np.uint8]"

# fmt: off
NF4_VALUES = np.array([
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
    -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
    0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
], np.float32)
"""The value of each nf4 code."""

# The largest value of each code but the last. NumPy's midpoints of the values above differ by one unit in the
# last place from OpenVINO's, which are read from decimal text.
_NF4_LIMITS = np.array([
    -0.8480964303016663, -0.6106328964233398, -0.4599952697753906, -0.33967941999435425, -0.23460739850997925,
    -0.13791173696517944, -0.045525018125772476, 0.03979014977812767, 0.1202552542090416, 0.2035212516784668,
    0.2920137643814087, 0.3893125355243683, 0.5016633868217468, 0.6427869200706482, 0.8614783883094788,
], np.float32)
# fmt: on

_FIRST_IS_HIGH = {1: True, 2: False, 4: False}
_INT32_MAX = 2**31 - 1


def packed_size(element_type: ElementType, count: int, *, minimum: bool = False) -> int:
    """Return the number of bytes of `count` elements in a `.bin` file, for strings the least number.

    Types of three and six bits are written in complete groups of three bytes; with `minimum` the result is the
    size that OpenVINO's reader requires, which may end within the last group.
    """
    count = index(count)
    if count < 0:
        raise PackingError(f"{count} is not a number of elements")
    if element_type.is_dynamic:
        raise PackingError("a constant cannot be of element type dynamic")
    if element_type is ElementType.string:
        return 4 * (count + 2)
    if element_type.bits in (3, 6) and not minimum:
        return 3 * -(-count * element_type.bits // 24)
    return -(-count * element_type.bits // 8)


def unpack(data: Bytes, element_type: ElementType, count: int) -> Array:
    """Return the first `count` elements of `data` as a one-dimensional array of `element_type.dtype`.

    Types of at least eight bits, except boolean, are a view of `data`: read-only if `data` is, and unaligned
    (`flags.aligned` is false) if `data` begins at an unaligned address, which NumPy allows and compiled code may not.
    Missing bits of the last u3 or u6 group count as zero.
    """
    raw = np.frombuffer(data, np.uint8)
    if element_type is ElementType.string:
        return _unpack_strings(raw, index(count))
    size = packed_size(element_type, count, minimum=True)
    if raw.size < size:
        raise PackingError(f"{count} elements of type {element_type.name} take {size} bytes, not {raw.size}")
    if element_type is ElementType.boolean:
        return np.not_equal(raw[:size], 0)
    if not element_type.is_low_bit:
        return from_memory(from_little_endian(raw[:size], element_type.memory_dtype), element_type)
    if element_type.bits in (3, 6):
        groups = raw[: packed_size(element_type, count)]
        return _split_groups(groups, element_type.bits).reshape(-1)[:count]
    codes = _split(raw[:size], element_type.bits, first_is_high=_FIRST_IS_HIGH[element_type.bits])
    return _values(codes.reshape(-1)[:count], element_type)


def pack(array: npt.ArrayLike, element_type: ElementType) -> bytes:
    """Return the bytes that hold the elements of `array`, in C order; the inverse of `unpack`.

    Integers must fit the type; real numbers are rounded to it, for nf4 to the nearest code.
    """
    values = np.asarray(array).reshape(-1)
    packed_size(element_type, values.size)
    if element_type is ElementType.string:
        return _pack_strings(values)
    values = _cast(values, element_type)
    if not element_type.is_low_bit:
        return to_little_endian(to_memory(values, element_type)).tobytes()
    codes, bits = _codes(values, element_type), element_type.bits
    if bits in (3, 6):
        return _join_groups(codes, bits).tobytes()
    return _join(codes, bits, first_is_high=_FIRST_IS_HIGH[bits]).tobytes()


def to_memory(values: Array, element_type: ElementType) -> Array:
    """Return elements as memory holds them: bits where NumPy lacks the type, else the values themselves."""
    return encode(values, element_type.name) if element_type.name in BITS else values


def from_memory(elements: Array, element_type: ElementType) -> Array:
    """Return the values of elements as memory holds them; the inverse of `to_memory`."""
    return decode(elements, element_type.name) if element_type.name in BITS else elements


def to_type(array: Array, element_type: ElementType) -> Array:
    """Return an array in the dtype of an element type, numbers rounded to it; itself where it has the dtype."""
    if element_type.name in BITS:
        return from_memory(to_memory(array, element_type), element_type)
    return array if array.dtype == element_type.dtype else array.astype(element_type.dtype)


def pack_codes(codes: Codes, bits: int) -> Codes:
    """Return the bytes of codes as OpenVINO's `pack_data` orders them: the first code in the highest bits."""
    if bits in (3, 6):
        return _join_groups(codes, bits).reshape(-1)
    return _join(codes, bits, first_is_high=True)


def unpack_codes(raw: Codes, bits: int) -> Codes:
    """Return the codes in bytes, incomplete groups of three bytes left out; the inverse of `pack_codes`."""
    if bits in (3, 6):
        return _split_groups(raw[: raw.size // 3 * 3], bits).reshape(-1)
    return _split(raw, bits, first_is_high=True).reshape(-1)


def _split(raw: Codes, bits: int, *, first_is_high: bool) -> Codes:
    """Return one row per byte with its bit fields."""
    lanes = 8 // bits
    fields = np.empty((raw.size, lanes), np.uint8)
    for lane in range(lanes):
        np.right_shift(raw, bits * (lanes - 1 - lane if first_is_high else lane), out=fields[:, lane])
    fields &= 2**bits - 1
    return fields


def _join(codes: Codes, bits: int, *, first_is_high: bool) -> Codes:
    """Return the bytes whose bit fields are `codes`, the last byte padded with zeros."""
    lanes = 8 // bits
    fields = _rows(codes, lanes)
    joined = np.zeros(len(fields), np.uint8)
    for lane in range(lanes):
        joined |= fields[:, lane] << bits * (lanes - 1 - lane if first_is_high else lane)
    return joined


def _split_groups(raw: Codes, bits: int) -> Codes:
    """Return one row per group of three bytes with its elements: two bytes of low bits, one byte of high bits."""
    groups = _rows(raw, 3)
    high_bits = bits // 3
    low_bits = 2 * high_bits
    high = _split(groups[:, 2], high_bits, first_is_high=True)
    high <<= low_bits
    high |= _split(groups[:, :2].reshape(-1), low_bits, first_is_high=True).reshape(high.shape)
    return high


def _join_groups(codes: Codes, bits: int) -> Codes:
    """Return the three bytes of each group of elements."""
    high_bits = bits // 3
    low_bits = 2 * high_bits
    padded = _rows(codes, 24 // bits).reshape(-1)
    low = _join(padded & (2**low_bits - 1), low_bits, first_is_high=True)
    high = _join(padded >> np.uint8(low_bits), high_bits, first_is_high=True)
    return np.concatenate([low.reshape(-1, 2), high[:, None]], axis=1)


def _rows(codes: Codes, length: int) -> Codes:
    """Return `codes` in rows of `length`, the last row padded with zeros."""
    missing = -codes.size % length
    return (np.append(codes, np.zeros(missing, np.uint8)) if missing else codes).reshape(-1, length)


def _values(codes: Codes, element_type: ElementType) -> Array:
    """Return the values of the codes of a low-bit type; `codes` may be overwritten."""
    if element_type is ElementType.nf4:
        return NF4_VALUES[codes]
    if element_type in (ElementType.i2, ElementType.i4):
        sign = np.uint8(1 << element_type.bits - 1)
        codes ^= sign
        codes -= sign
    return from_memory(codes.view(element_type.memory_dtype), element_type)


def _codes(values: Array, element_type: ElementType) -> Codes:
    """Return the codes of values of a low-bit type."""
    if element_type is ElementType.nf4:
        return np.searchsorted(_NF4_LIMITS, values).astype(np.uint8)
    codes: Codes = to_memory(values, element_type).view(np.uint8) & np.uint8(2**element_type.bits - 1)
    return codes


def _cast(values: Array, element_type: ElementType) -> Array:
    """Return `values` converted to the dtype of `element_type`."""
    if values.size == 0:
        return values.astype(element_type.dtype)
    integral = element_type.is_integer
    if values.dtype.kind not in ("biu" if integral else "biufV") or values.dtype.names is not None:
        raise PackingError(f"values of the NumPy dtype {values.dtype} cannot be packed as {element_type.name}")
    if integral and (values.dtype != element_type.dtype or element_type.is_low_bit):
        _check_range(values, element_type)
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(element_type.dtype, copy=False)


def _check_range(values: Array, element_type: ElementType) -> None:
    sign = int(element_type.has_sign)
    lowest, highest = -sign << (element_type.bits - 1), 2 ** (element_type.bits - sign) - 1
    if lowest <= int(values.min()) and int(values.max()) <= highest:
        return
    at = int(values.argmin() if int(values.min()) < lowest else values.argmax())
    raise PackingError(f"element {at} is {values[at]}; {element_type.name} holds {lowest} to {highest}")


def _pack_strings(values: Array) -> bytes:
    """Return the bytes of strings: their number, the start of each, the end of the last, and their UTF-8 text."""
    encoded = [_encode(at, text) for at, text in enumerate(values.tolist())]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    if max(int(offsets[-1]), len(encoded)) > _INT32_MAX:
        raise PackingError(f"{len(encoded)} strings of {offsets[-1]} bytes; a constant holds at most {_INT32_MAX}")
    return np.array([len(encoded), *offsets], "<i4").tobytes() + b"".join(encoded)


def _encode(at: int, text: object) -> bytes:
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise PackingError(f"string {at} is a {type(text).__name__}")
    try:
        return to_bytes(text)
    except UnicodeEncodeError as error:
        raise PackingError(f"string {at} cannot be written as UTF-8: {error.reason}") from None


def _unpack_strings(raw: Codes, count: int) -> Array:
    offsets = _string_offsets(raw, count)
    text = raw[packed_size(ElementType.string, count) :].tobytes()
    strings = np.empty(count, np.object_)
    strings[:] = [from_bytes(text[begin:end]) for begin, end in pairwise(offsets)]
    return strings


def _string_offsets(raw: Codes, count: int) -> list[int]:
    """Return the start of each string and the end of the last, counted from the end of the header."""
    header = packed_size(ElementType.string, count)
    if raw.size < 4:
        raise PackingError(f"the number of strings takes 4 bytes, not {raw.size}")
    stored = int(raw[:4].view("<i4")[0])
    if stored != count:
        raise PackingError(f"the data says it holds {stored} strings, not {count}")
    if raw.size < header:
        raise PackingError(f"the offsets of {count} strings end at byte {header}, the data at byte {raw.size}")
    offsets: list[int] = raw[4:header].view("<i4").tolist()
    if offsets[0] != 0:
        raise PackingError(f"the first string begins at offset {offsets[0]}, not 0")
    for at, (begin, end) in enumerate(pairwise(offsets)):
        if end < begin:
            raise PackingError(f"string {at} ends at offset {end}, before it begins at {begin}")
    if offsets[-1] > raw.size - header:
        raise PackingError(f"the last string ends at offset {offsets[-1]} of {raw.size - header} bytes of text")
    return offsets
