"""Inputs of a call: from what users give to one array a parameter, or an error that says what would be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_plugin.api.lookup import names_of, position_of
from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.tensors import Array, ElementType


def arrays_for(ports: Sequence[Output], types: Sequence[ElementType], inputs: Any) -> list[Array]:
    """Return one array for each input port, in order, of the port's type and of a shape that fits it.

    `inputs` is an array for the only input, a sequence in the order of the inputs, or a mapping by index, name or port.
    """
    given = _by_position(ports, inputs)
    missing = [position for position in range(len(ports)) if position not in given]
    if missing:
        wanted = ", ".join(_described(ports[position], types[position]) for position in missing)
        raise InputError(f"{len(given)} of {len(ports)} inputs are given; missing: {wanted}")
    return [_fitting(port, types[position], given[position], position) for position, port in enumerate(ports)]


def _by_position(ports: Sequence[Output], inputs: Any) -> dict[int, Any]:
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        found: dict[int, Any] = {}
        for key, value in inputs.items():
            position = position_of(ports, key, "input")
            if position in found:
                raise InputError(f"input {position} ({' or '.join(names_of(ports[position]))}) is given twice")
            found[position] = value
        return found
    if isinstance(inputs, (list, tuple)):
        if len(inputs) > len(ports):
            listed = ", ".join(" or ".join(names_of(port)) for port in ports) or "none"
            raise InputError(f"{len(inputs)} inputs are given; the model has {len(ports)}: {listed}")
        return dict(enumerate(inputs))
    return {0: inputs} if len(ports) == 1 else dict(enumerate([inputs]))


def _fitting(port: Output, type: ElementType, value: Any, position: int) -> Array:
    array = np.asarray(getattr(value, "data", value) if not isinstance(value, np.ndarray) else value)
    where = f"input {position} ({' or '.join(names_of(port))})"
    if not port.partial_shape.contains(array.shape):
        raise InputError(
            f"{where} has the shape {list(array.shape)}; the model wants {port.partial_shape} of type {type}"
        )
    return array if type.is_dynamic else _cast(array, type, where)


def _cast(array: Array, type: ElementType, where: str) -> Array:
    """Return the array in the port's type; whole numbers and floats are converted where no value changes its kind."""
    if array.dtype == type.dtype:
        return _bytes_to_text(array, where) if type is ElementType.string else array
    if type is ElementType.string:
        if array.dtype.kind not in "USTO":
            raise InputError(f"{where} has the type {array.dtype}; the model wants strings")
        return _bytes_to_text(array.astype(object), where)
    if array.dtype.kind in "USO" or (array.dtype.kind in "fc" and not type.is_real):
        raise InputError(f"{where} has the type {array.dtype}; the model wants {type}")
    if type.is_integral_number and array.dtype.kind in "iu" and array.size:
        _require_range(array, type, where)
    with np.errstate(all="ignore"):
        return array.astype(type.dtype)


def _require_range(array: Array, type: ElementType, where: str) -> None:
    info = np.iinfo(type.dtype)
    low, high = int(array.min()), int(array.max())
    if low < info.min or high > info.max:
        raise InputError(f"{where} has the value {low if low < info.min else high}, which {type} cannot hold")


def _bytes_to_text(array: Array, where: str) -> Array:
    if all(isinstance(item, str) for item in array.reshape(-1)):
        return array
    try:
        items = [item.decode() if isinstance(item, bytes) else str(item) for item in array.reshape(-1)]
    except UnicodeDecodeError as fault:
        raise InputError(f"{where} holds bytes that are no UTF-8 text: {fault}") from None
    found = np.empty(len(items), object)
    found[:] = items
    return found.reshape(array.shape)


def _described(port: Output, type: ElementType) -> str:
    return f"{' or '.join(map(repr, names_of(port)))} ({type}{port.partial_shape})"
