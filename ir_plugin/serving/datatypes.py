"""The data types of the Open Inference Protocol: their names, and tensors as JSON and as bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir_plugin import Tensor, Type
from ir_plugin.errors import UnsupportedError
from ir_plugin.serving.request_error import RequestError

DATATYPES = {
    Type.boolean: "BOOL",
    Type.u8: "UINT8",
    Type.u16: "UINT16",
    Type.u32: "UINT32",
    Type.u64: "UINT64",
    Type.i8: "INT8",
    Type.i16: "INT16",
    Type.i32: "INT32",
    Type.i64: "INT64",
    Type.f16: "FP16",
    Type.bf16: "BF16",
    Type.f32: "FP32",
    Type.f64: "FP64",
    Type.string: "BYTES",
}
"""The protocol's name of each element type that has one."""
_PYTHON_TYPES: dict[str, set[type]] = {"b": {bool}, "u": {int}, "i": {int}, "f": {int, float}}
"""The types of JSON values that an array of a kind takes."""
_LENGTH = struct.Struct("<I")


def datatype_of(name: str, element_type: Type) -> str:
    """Return the protocol's name of the type of a port."""
    datatype = DATATYPES.get(element_type)
    if datatype is None:
        raise UnsupportedError(
            f"{name} has the type {element_type.name}, for which the Open Inference Protocol has no name"
        )
    return datatype


def from_json(name: str, data: Any, element_type: Type, shape: Sequence[int]) -> NDArray[Any]:
    """Return the array of a JSON list, which is flat or nested like the shape."""
    if not isinstance(data, list):
        raise RequestError(f"data of {name!r} is a JSON list, not {type(data).__name__}")
    elements = _flat(name, data, shape)
    if len(elements) != prod(shape):
        raise RequestError(f"data of {name!r} has {len(elements)} elements, its shape says {list(shape)}")
    if element_type is not Type.string:
        array = _numbers(name, elements, element_type)
    elif set(map(type, elements)) <= {str}:
        array = np.array(elements, np.object_)
    else:
        raise RequestError(f"data of {name!r} has elements that are not strings, which BYTES consists of")
    return _reshaped(name, array, shape)


def _flat(name: str, data: list[Any], shape: Sequence[int]) -> list[Any]:
    """Return the elements of a list that is flat or nested like the shape.

    NumPy must not see them before: it converts numbers beside texts to texts as wide as the longest.
    """
    elements, axis = data, 0
    while list in set(map(type, elements)):
        axis += 1
        is_nested = axis < len(shape) and len(elements) == prod(shape[:axis]) and set(map(type, elements)) == {list}
        if not is_nested or set(map(len, elements)) != {shape[axis]}:
            raise RequestError(f"data of {name!r} is neither flat nor nested like its shape {list(shape)}")
        elements = list(chain.from_iterable(elements))
    return elements


def _numbers(name: str, elements: list[Any], element_type: Type) -> NDArray[Any]:
    dtype, datatype = element_type.dtype, DATATYPES[element_type]
    kind = "f" if element_type.is_real else dtype.kind
    if not set(map(type, elements)) <= _PYTHON_TYPES[kind]:
        raise RequestError(f"data of {name!r} has elements that are no {datatype} values")
    if kind in "iu" and elements:
        info = np.iinfo(dtype)
        if min(elements) < info.min or max(elements) > info.max:
            raise RequestError(f"data of {name!r} has values beyond {datatype}, {info.min} to {info.max}")
    if kind != "f":
        return np.array(elements, dtype)
    return _floats(name, elements, element_type)


def _floats(name: str, elements: list[Any], element_type: Type) -> NDArray[Any]:
    beyond = f"data of {name!r} has values beyond {DATATYPES[element_type]}"
    try:
        wide = np.array(elements, np.float64)
    except OverflowError as fault:
        raise RequestError(beyond) from fault
    with np.errstate(over="ignore"):
        array = Tensor.of(wide.astype(element_type.dtype), element_type).values
    if bool(np.any(np.isinf(array.astype(np.float64)) & np.isfinite(wide))):
        raise RequestError(beyond)
    return array


def to_json(array: NDArray[Any], element_type: Type) -> list[Any]:
    """Return the elements of an array as a flat list for JSON."""
    if element_type is Type.string:
        return [str(text) for text in array.reshape(-1)]
    flat = array.reshape(-1)
    elements: list[Any] = (flat.astype(np.float32) if flat.dtype.kind == "V" else flat).tolist()
    return elements


def from_bytes(name: str, data: memoryview, element_type: Type, shape: Sequence[int]) -> NDArray[Any]:
    """Return the array of raw little-endian bytes; strings have a length of 4 bytes each."""
    if element_type is Type.string:
        return _reshaped(name, _strings(name, data, prod(shape)), shape)
    size = prod(shape) * element_type.size
    if size != len(data):
        raise RequestError(
            f"{name!r} has {len(data)} bytes; {DATATYPES[element_type]} of the shape {list(shape)} has {size}"
        )
    array = np.frombuffer(data, np.uint8)
    if element_type is Type.boolean:
        return _reshaped(name, array != 0, shape)
    bits = f"u{element_type.size}"
    memory = array.view(f"<{bits}").astype(bits, copy=False).view(np.uint8)
    return _reshaped(name, Tensor(memory, [prod(shape)], element_type).values, shape)


def _strings(name: str, data: memoryview, count: int) -> NDArray[Any]:
    texts: list[str] = []
    at = 0
    while at < len(data):
        if at + _LENGTH.size > len(data):
            raise RequestError(f"{name!r} ends within the length of element {len(texts)}")
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if at + length > len(data):
            raise RequestError(f"element {len(texts)} of {name!r} has {length} bytes, {len(data) - at} are left")
        try:
            texts.append(str(data[at : at + length], "utf-8"))
        except UnicodeDecodeError as fault:
            raise RequestError(f"element {len(texts)} of {name!r} is not UTF-8: {fault.reason}") from fault
        at += length
    if len(texts) != count:
        raise RequestError(f"{name!r} has {len(texts)} elements, its shape says {count}")
    return np.array(texts, np.object_)


def to_bytes(array: NDArray[Any], element_type: Type) -> bytes:
    """Return the raw little-endian bytes of an array."""
    if element_type is not Type.string:
        bits = f"u{element_type.size}"
        return Tensor.of(array, element_type).data.view(bits).astype(f"<{bits}", copy=False).tobytes()
    encoded = [str(text).encode() for text in array.reshape(-1)]
    return b"".join(_LENGTH.pack(len(text)) + text for text in encoded)


def _reshaped(name: str, array: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
    try:
        return array.reshape(shape)
    except ValueError as fault:
        raise RequestError(f"{name!r} cannot have the shape {list(shape)}") from fault
