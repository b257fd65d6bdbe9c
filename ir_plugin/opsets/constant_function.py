"""The function `constant` of the opsets."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, InputError
from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.type.conversion import converted
from ir_plugin.opsets.nodes import constant_node, is_tensor, new_node
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import NF4_VALUES

log = logging.getLogger(__name__)

_NOT_SHARED = "SHARED MEMORY MODE FOR THIS CONSTANT IS NOT APPLICABLE!"
_PYTHON_TYPES = {int: ElementType.i32, float: ElementType.f32}


def element_type_of(dtype: Any) -> ElementType:
    """Return the element type of an argument `dtype`; Python's int is i32 and float is f32, as in OpenVINO."""
    return _PYTHON_TYPES[dtype] if isinstance(dtype, type) and dtype in _PYTHON_TYPES else ElementType(dtype)


def constant(value: Any, dtype: Any = None, name: str | None = None, *, shared_memory: bool | None = None) -> Node:
    """Return a constant with the values of a number, a text, a list, an array or a tensor.

    With `shared_memory=True` the constant is the memory of an array, unless its values are converted; a tensor's memory
    is shared by default.
    """
    from_tensor = is_tensor(value)
    source = value.values if from_tensor else _array(value)
    if from_tensor and isinstance(dtype, bool):
        dtype, shared_memory = None, dtype
    if from_tensor and dtype is None:
        array = source if shared_memory is None or shared_memory else np.array(source)
        return new_node("Constant", Const.of(array, ElementType(value.element_type)), [], name)
    target = None if dtype is None else element_type_of(dtype)
    if shared_memory and not from_tensor:
        shared = _shared(source, target)
        if shared is not None:
            return new_node("Constant", shared, [], name)
    if target is not None:
        source = _converted(source, target)
    return constant_node(source, target, name)


def _converted(array: Array, target: ElementType) -> Array:
    """Return values as a constant of a type holds them, rounded as OpenVINO rounds."""
    if (target is ElementType.string) != (array.dtype.kind in "OUS"):
        raise ArgumentTypeError(f"values of {array.dtype} cannot be converted to {target.name}")
    if target is ElementType.u1:
        return np.not_equal(array, 0)
    if target is ElementType.nf4 and array.dtype.kind in "iub":
        return np.take(NF4_VALUES, array.astype(np.int64) & 15)
    if target.is_floating and target.bits <= 8:
        return converted(array, target)
    return array


def _array(value: Any) -> Array:
    """Return a number, list or array as an array; raise for a node, None or a single text, as OpenVINO does."""
    if isinstance(value, (Node, str, bytes)) or value is None:
        raise ArgumentTypeError(f"a constant needs numbers or texts, not {type(value).__name__}")
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as fault:
        raise ArgumentValueError(f"a constant needs numbers or texts: {fault}") from None


def _shared(array: Array, target: ElementType | None) -> Const | None:
    """Return a constant that is the memory of an array, or None where its values have to be converted."""
    type = ElementType.from_dtype(array.dtype)
    if array.base is None and not array.ndim:
        return None
    if type is ElementType.string or (target is not None and (target is not type or target.is_low_bit)):
        log.warning("the memory of the array is not shared, as its values are converted")
        return None
    if not array.flags.c_contiguous:
        raise InputError(f"{_NOT_SHARED} The array is not C contiguous; its memory cannot be shared")
    if not array.flags.writeable:
        raise InputError(f"{_NOT_SHARED} The array cannot be written to; its memory cannot be shared")
    return Const.of(array, type)
