"""Element types and shapes of ONNX as ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.tensors import MAX_RANK, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.small_types import DTYPES

_NAMES = {
    1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 8: "string", 9: "boolean", 10: "f16", 11: "f64",
    12: "u32", 13: "u64", 14: "complex64", 15: "complex128", 16: "bf16", 17: "f8e4m3", 18: "f8e4m3fnuz", 19: "f8e5m2",
    20: "f8e5m2fnuz", 21: "u4", 22: "i4", 23: "f4e2m1", 24: "f8e8m0", 25: "u2", 26: "i2",
}  # fmt: skip
"""Our names by the numbers of `TensorProto.DataType`."""


def element_type_of(number: int) -> ElementType:
    """Return the element type of a number of `TensorProto.DataType`."""
    name = _NAMES.get(number)
    if name is None:
        raise OnnxReadError(f"{number} is not an element type of ONNX")
    element_type = ElementType.from_name(name)
    if element_type is None:
        raise OnnxUnsupportedError(f"the element type {name} of ONNX is not supported")
    return element_type


def number_of(element_type: ElementType) -> int:
    """Return the number of `TensorProto.DataType` of an element type; 0 for one that ONNX lacks."""
    return next((number for number, name in _NAMES.items() if name == element_type.name), 0)


def numpy_of(element_type: ElementType) -> np.dtype[Any]:
    """Return the dtype in which the `onnx` package holds an element type; small integers have dtypes of ml_dtypes."""
    return DTYPES.get(element_type.name, element_type.dtype)


def tensor_info(type_proto: Any) -> TensorInfo:
    """Return the type and shape of a `TypeProto`; symbolic and absent dimensions are dynamic."""
    kind = type_proto.WhichOneof("value")
    if kind is None:
        return TensorInfo(ElementType.dynamic, None)
    if kind not in ("tensor_type", "sparse_tensor_type"):
        return TensorInfo(_container(kind, getattr(type_proto, kind)), [-1])
    if kind == "sparse_tensor_type":
        raise OnnxUnsupportedError("values of the kind sparse_tensor are not supported")
    tensor = type_proto.tensor_type
    element_type = element_type_of(tensor.elem_type) if tensor.elem_type else ElementType.dynamic
    return TensorInfo(element_type, _shape(tensor))


def _container(kind: str, type: Any) -> ElementType:
    """Return the type of sequences, optionals or maps."""
    if kind == "map_type":
        key = element_type_of(type.key_type) if type.key_type else ElementType.i64
        value = tensor_info(type.value_type).element_type
        container = ElementType.from_name(f"map_{'string' if key is ElementType.string else 'i64'}_{value.name}")
    elif kind in ("sequence_type", "optional_type"):
        item = tensor_info(type.elem_type).element_type
        container = ElementType.container(kind.removesuffix("_type"), item)
    else:
        container = None
    if container is None:
        raise OnnxUnsupportedError(f"values of the kind {kind.removesuffix('_type')} are not supported")
    return container


def _shape(tensor: Any) -> PartialShape | None:
    if not tensor.HasField("shape"):
        return None
    rank = len(tensor.shape.dim)
    if rank > MAX_RANK:
        raise OnnxReadError(f"it has {rank} dimensions; a tensor has at most {MAX_RANK}")
    return PartialShape([_dimension(dim) for dim in tensor.shape.dim])


def _dimension(dim: Any) -> int:
    return int(dim.dim_value) if dim.HasField("dim_value") and dim.dim_value >= 0 else -1


def type_proto(info: TensorInfo | None) -> Any:
    """Return the `TypeProto` of a type and shape, for the function bodies of operators; empty for an absent input."""
    from onnx import TypeProto

    proto = TypeProto()
    if info is None:
        return proto
    item = info.element_type.item
    if item is not None and info.element_type.kind != "map":
        container = getattr(proto, f"{info.element_type.kind}_type")
        container.elem_type.CopyFrom(type_proto(TensorInfo(item, None)))
        return proto
    proto.tensor_type.elem_type = number_of(info.element_type)
    if info.shape.dims is not None:
        proto.tensor_type.shape.SetInParent()
        for dim in info.shape:
            entry = proto.tensor_type.shape.dim.add()
            if dim.is_static:
                entry.dim_value = dim.get_length()
    return proto
