"""Constants of arrays, tensors, or a type, a shape and values."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, InputError
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.opsets.nodes import is_tensor
from ir_plugin.tensors import Array, ElementType, Shape
from ir_plugin.tensors.packing import to_type

_FORMS = "(array, shared_memory=False), (tensor, shared_memory=True) or (type, shape, values)"


def constant_of(*arguments: Any, **named: Any) -> Const:
    """Return the operation of a constant of any of the forms that `op.Constant` takes."""
    values = list(arguments)
    for first in ("array", "tensor"):
        if first in named and not values:
            values.append(named.pop(first))
    if len(values) == 3 and not named:
        return _of_values(*values)
    shared = named.pop("shared_memory", values[1] if len(values) == 2 else None)
    if named or len(values) not in (1, 2) or not isinstance(shared, (bool, type(None))):
        raise ArgumentTypeError(f"a Constant is built of {_FORMS}")
    source = values[0]
    if is_tensor(source):
        array = source.values if shared is None or shared else np.array(source.values)
        return Const.of(array, ElementType(source.element_type))
    if not isinstance(source, np.ndarray):
        raise ArgumentTypeError(f"a Constant is built of {_FORMS}, not of {type(source).__name__}")
    return shared_const(source) if shared else copied_const(source)


def copied_const(array: Array) -> Const:
    """Return a constant with a copy of an array."""
    if array.dtype.kind in "US":
        array = array.astype(object)
    return Const.of(np.array(array, order="C"), ElementType.from_dtype(array.dtype))


def shared_const(array: Array) -> Const:
    """Return a constant that shares the memory of an array: what is written there later is read."""
    if not array.flags.c_contiguous:
        raise InputError("the array is not C contiguous; its memory cannot be shared")
    if not array.flags.writeable:
        raise ArgumentValueError("the array cannot be written to; its memory cannot be shared")
    return Const.of(array, ElementType.from_dtype(array.dtype))


def _of_values(element_type: ElementType, shape: Any, values: Any) -> Const:
    """Return a constant of a type and a shape with these values, or one that fills it."""
    if not isinstance(element_type, ElementType) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"a Constant is built of {_FORMS}")
    lengths = tuple(Shape(shape))
    items = np.array(list(values), object if element_type is ElementType.string else None)
    if items.size not in (1, prod(lengths)):
        raise InputError(f"{items.size} values are given for a Constant of the shape {list(lengths)}")
    array = items.reshape(lengths) if items.size == prod(lengths) else np.full(lengths, items.reshape(()), items.dtype)
    return Const.of(to_type(array, element_type), element_type)
