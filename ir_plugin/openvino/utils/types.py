"""Element types, NumPy's types, and numbers as constants, as `openvino.utils.types`."""

from __future__ import annotations

import logging
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ArgumentTypeError
from ir_plugin.model import Node, Output
from ir_plugin.opsets.nodes import constant_node
from ir_plugin.tensors import Array, ElementType

__all__ = [
    "NodeInput",
    "NumericData",
    "NumericType",
    "ScalarData",
    "TensorShape",
    "as_node",
    "as_nodes",
    "get_dtype",
    "get_element_type",
    "get_element_type_str",
    "get_ndarray",
    "get_numpy_ctype",
    "get_shape",
    "make_constant_node",
    "openvino_to_numpy_types_map",
    "openvino_to_numpy_types_str_map",
]

log = logging.getLogger(__name__)

TensorShape: TypeAlias = list[int]
NumericData: TypeAlias = int | float | Array
NumericType: TypeAlias = "type | np.dtype[Any]"
ScalarData: TypeAlias = int | float
NodeInput: TypeAlias = Node | NumericData

_NUMBERS = (
    (ElementType.boolean, bool), (ElementType.boolean, np.bool_), (ElementType.f16, np.float16),
    (ElementType.f32, np.float32), (ElementType.f64, np.float64), (ElementType.i8, np.int8),
    (ElementType.i16, np.int16), (ElementType.i32, np.int32), (ElementType.i64, np.int64),
    (ElementType.u8, np.uint8), (ElementType.u16, np.uint16), (ElementType.u32, np.uint32),
    (ElementType.u64, np.uint64),
)  # fmt: skip
_TEXTS = tuple((ElementType.string, kind) for kind in (str, np.str_, bytes, np.bytes_))

openvino_to_numpy_types_map: list[tuple[ElementType, type]] = [*_NUMBERS, (ElementType.bf16, np.uint16), *_TEXTS]
openvino_to_numpy_types_str_map: list[tuple[str, type]] = [
    (element_type.name, kind) for element_type, kind in (*_NUMBERS, *_TEXTS)
]

_DEFAULTS = {int: ElementType.i32, float: ElementType.f32}


def get_element_type(data_type: npt.DTypeLike) -> ElementType:
    """Return the element type of a Python or NumPy type; int is i32 and float is f32, with a logged warning."""
    if isinstance(data_type, type) and data_type in _DEFAULTS:
        chosen = _DEFAULTS[data_type]
        log.warning("%s has no width; %s is used", data_type.__name__, chosen.name)
        return chosen
    for element_type, kind in openvino_to_numpy_types_map:
        if kind == data_type:
            return element_type
    raise ArgumentTypeError(f"{data_type!r} has no element type")


def get_element_type_str(data_type: npt.DTypeLike) -> str:
    """Return the name of the element type of a Python or NumPy type: `f32`."""
    return get_element_type(data_type).name


def get_dtype(openvino_type: ElementType) -> np.dtype[Any]:
    """Return the NumPy dtype of an element type; for bf16 it is uint16, which holds its bits."""
    return np.dtype(get_numpy_ctype(openvino_type))


def get_numpy_ctype(openvino_type: ElementType) -> type:
    """Return the Python or NumPy type of an element type."""
    for element_type, kind in openvino_to_numpy_types_map:
        if element_type is openvino_type:
            return kind
    raise ArgumentTypeError(f"{openvino_type!r} has no NumPy type")


def get_ndarray(data: Any) -> Array:
    """Return an array itself, and anything else as a new array."""
    return data if isinstance(data, np.ndarray) else np.array(data)


def get_shape(data: Any) -> Any:
    """Return the shape of an array, the length of a list as a list, and `[]` for anything else."""
    if isinstance(data, np.ndarray):
        return data.shape
    return [len(data)] if isinstance(data, list) else []


def make_constant_node(value: Any, dtype: Any = None, *, name: str | None = None) -> Node:
    """Return a constant of an element type; its name begins with `name` and a slash."""
    if dtype is int or dtype is float:
        dtype = get_element_type(dtype)
    node = constant_node(value, dtype)
    if name:
        node.friendly_name = f"{name}/{node.friendly_name}"
    return node


def as_node(input_value: Any, name: str | None = None) -> Node | Output:
    """Return a node or an output itself, and a number or an array as a Constant node."""
    return input_value if isinstance(input_value, (Node, Output)) else make_constant_node(input_value, name=name)


def as_nodes(*input_values: Any, name: str | None = None) -> list[Node | Output]:
    """Return nodes and outputs unchanged, and numbers and arrays as Constant nodes."""
    return [as_node(value, name=name) for value in input_values]
