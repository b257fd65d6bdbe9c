"""Tensors of an ONNX model as constants, without copies where the bytes allow it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.faults import OnnxLimitError, OnnxReadError, refused
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.opsets.nodes import new_node
from ir_plugin.tensors import MAX_RANK, Array, ElementType, as_held
from ir_plugin.tensors.packing import packed_size, to_type, unpack
from ir_plugin.tensors.strings import string_array

NO_FILES = ExternalData(None)
MAX_DENSE = 1 << 30
"""Bytes of a sparse tensor with its zeros."""
_BYTE = 8
_SHOWN = 80


def constant_of(array: Array, element_type: ElementType | None = None, name: str | None = None) -> Node:
    """Return a Const that shares the memory of an array."""
    dtype = ElementType.from_dtype(array.dtype) if element_type is None else element_type
    contents = as_held(array)
    const = _const(dtype, contents.shape)
    const.load = lambda: contents
    return new_node("Constant", const, [], name)


def constant_of_tensor(tensor: Any, files: ExternalData = NO_FILES, name: str | None = None) -> Node:
    """Return a Const with the values of a `TensorProto`; external data are mapped when they are first read."""
    element_type = element_type_of(tensor.data_type)
    shape = _shape(tensor)
    if tensor.data_location != 1:
        return constant_of(array_of(tensor), element_type, name)
    weights, offset, size = files.part(tensor)
    needed = packed_size(element_type, prod(shape))
    if size < needed:
        raise OnnxReadError(f'"{tensor.name}" ({element_type.name}{list(shape)}) takes {needed} bytes, not {size}')
    const = _const(element_type, shape)
    const.load = lambda: weights.load(offset, size, element_type, shape)
    const.load_packed = lambda: weights.packed(offset, size)
    const.backing = weights
    return new_node("Constant", const, [], name)


def _const(element_type: ElementType, shape: tuple[int, ...]) -> Const:
    size = 0 if element_type is ElementType.string else packed_size(element_type, prod(shape))
    return Const(element_type=element_type, shape=shape, offset=0, size=size)


def _shape(tensor: Any) -> tuple[int, ...]:
    shape = tuple(map(int, tensor.dims))
    if any(length < 0 for length in shape) or len(shape) > MAX_RANK:
        name = tensor.values.name if hasattr(tensor, "values") else tensor.name
        raise refused("ON404", f'the tensor "{name}" has the shape {str(list(shape))[:_SHOWN]}')
    return shape


def array_of(tensor: Any, files: ExternalData = NO_FILES) -> Array:
    """Return the values of a `TensorProto`; raises if there are not as many as its shape says."""
    element_type, shape = element_type_of(tensor.data_type), _shape(tensor)
    if tensor.data_location == 1:
        weights, offset, size = files.part(tensor)
        return weights.load(offset, size, element_type, shape)
    try:
        if element_type is ElementType.string:
            return string_array(list(tensor.string_data), shape)
        if tensor.HasField("raw_data"):
            return _from_bytes(tensor.raw_data, element_type, shape)
        return _from_fields(tensor, element_type, shape)
    except (Error, ValueError, TypeError, OverflowError) as fault:
        raise refused(
            "ON404", f'the tensor "{tensor.name}" ({element_type.name}{list(shape)}) cannot be read: {fault}'
        ) from None


def _from_bytes(data: bytes, element_type: ElementType, shape: tuple[int, ...]) -> Array:
    needed = packed_size(element_type, prod(shape))
    if len(data) != needed:
        raise OnnxReadError(f"it needs {needed:,} bytes, and has {len(data):,}")
    return unpack(data, element_type, prod(shape)).reshape(shape)


def _from_fields(tensor: Any, element_type: ElementType, shape: tuple[int, ...]) -> Array:
    from onnx import numpy_helper

    _require_codes(tensor.int32_data, element_type, prod(shape))
    array: Array = as_held(np.asarray(numpy_helper.to_array(tensor)))
    return to_type(array, element_type).reshape(shape)


def _require_codes(codes: Any, element_type: ElementType, count: int) -> None:
    """Raise for integers that stand for bits of a type and are no such bits, or are too many."""
    if element_type.bits < _BYTE and len(codes) > packed_size(element_type, count):
        raise OnnxReadError(f"it needs {packed_size(element_type, count):,} bytes, and has {len(codes):,}")
    if element_type.is_floating and element_type.bits in (_BYTE, 2 * _BYTE):
        wrong = next((code for code in codes if not 0 <= code < 1 << element_type.bits), None)
        if wrong is not None:
            raise OnnxReadError(f"int32_data has {wrong}, which are no {element_type.bits} bits")


def dense_of(sparse: Any, files: ExternalData = NO_FILES) -> tuple[Array, ElementType]:
    """Return the values of a `SparseTensorProto` with its zeros, and their type."""
    values, indices, shape = array_of(sparse.values, files), array_of(sparse.indices, files), _shape(sparse)
    fault = _sparse_fault(values, indices, shape)
    if fault:
        raise refused("ON404", f'the sparse tensor "{sparse.values.name}" of the shape {list(shape)} {fault}')
    if prod(shape) * values.dtype.itemsize > MAX_DENSE:
        raise OnnxLimitError(
            f'the sparse tensor "{sparse.values.name}" of the shape {list(shape)} has more than {MAX_DENSE:,} bytes '
            "with its zeros"
        )
    dense = np.zeros(shape, values.dtype)
    if values.size:
        positions = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), shape)
        dense.reshape(-1)[positions] = values
    return dense, element_type_of(sparse.values.data_type)


def _sparse_fault(values: Array, indices: Array, shape: tuple[int, ...]) -> str:
    """Return the error in the values and indices of a sparse tensor of `shape`, or an empty text."""
    if values.ndim != 1:
        return f"has values of the shape {list(values.shape)}; they are a vector"
    if indices.dtype.kind not in "iu":
        return f"has indices of the type {indices.dtype}; they are integers"
    forms = [(values.size,), (values.size, len(shape))]
    if indices.shape not in forms:
        possible = " or ".join(str(list(form)) for form in forms)
        return f"has indices of the shape {list(indices.shape)}; {values.size} values need {possible}"
    limits = np.array([prod(shape)] if indices.ndim == 1 else shape, object)
    outside = (indices < 0) | (indices >= limits)
    return f"has the index {indices[outside][0]}, which is outside" if np.any(outside) else ""
