"""Values of ONNX's containers: sequences, optionals and maps as vectors of Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.tensors.element_type import Array, ElementType, as_held
from ir_plugin.tensors.packing import to_type
from ir_plugin.tensors.strings import string_array

Show = Callable[[Array, ElementType], Any]


def vector_of(items: Iterable[Any]) -> Array:
    """Return objects, arrays among them, as the elements of a vector."""
    listed = list(items)
    array = np.empty(len(listed), np.object_)
    for index, item in enumerate(listed):
        array[index] = item
    return array


def held_value(value: Any, type: ElementType) -> Array:
    """Return a Python value as a value of a type: a list for a sequence, None for an empty optional, a dictionary.

    Raises `InputError` for one that does not fit.
    """
    if type.item is None:
        return _tensor(value, type)
    if isinstance(value, np.ndarray) and value.dtype == np.object_ and value.ndim == 1:
        value = list(value) if type.kind == "sequence" else value[0] if len(value) else None
    if type.kind == "optional":
        return vector_of([] if value is None else [held_value(value, type.item)])
    if type.kind == "map":
        return vector_of([_map(value, type)])
    if type.item.kind == "map":
        return vector_of([_map(item, type.item) for item in _sequence(value, type)])
    return vector_of([held_value(item, type.item) for item in _sequence(value, type)])


def _sequence(value: Any, type: ElementType) -> Sequence[Any]:
    if not isinstance(value, (list, tuple, np.ndarray)) or (isinstance(value, np.ndarray) and not value.ndim):
        raise InputError(f"a value of the type {type.name} is a list, not {value.__class__.__name__}")
    return list(value)


def _map(value: Any, type: ElementType) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"a value of the type {type.name} is a dictionary, not {value.__class__.__name__}")
    return dict(value)


def _tensor(value: Any, type: ElementType) -> Array:
    array = as_held(np.asarray(value))
    if type is ElementType.string:
        items = array.reshape(-1).tolist()
        if not all(isinstance(item, (str, bytes)) for item in items):
            raise InputError("an item of a sequence of strings holds something else")
        return string_array(items, array.shape)
    if type.is_dynamic:
        return array
    item_type = ElementType.from_dtype(array.dtype)
    if item_type.kind != type.kind and not (item_type.is_integer and type.is_floating):
        raise InputError(f"an item has the type {item_type.name}; the model wants {type.name}")
    return to_type(array, type)


def shown_value(array: Array, type: ElementType, show: Show) -> Any:
    """Return a value as Python's: a list, None, a dictionary, or what `show` returns for a tensor."""
    if type.item is None:
        return show(array, type)
    if type.kind == "map":
        return array[0]
    if type.kind == "optional":
        return shown_value(array[0], type.item, show) if len(array) else None
    if type.item.kind == "map":
        return list(array)
    return [shown_value(item, type.item, show) for item in array]
