"""Tensors that an infer request takes for the inputs of a call, as OpenVINO's dispatcher returns them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_plugin.diagnostics.modules import names_of
from ir_plugin.errors import ArgumentTypeError
from ir_plugin.model import ConstOutput, Output
from ir_plugin.openvino.api import InferRequest, Tensor
from ir_plugin.tensors import Array, ElementType

__all__ = ["data_dispatch"]

_SCALARS = (np.number, int, float, str, bytes)


def data_dispatch(request: InferRequest, inputs: Any = None, is_shared: bool = False) -> dict[Any, Tensor] | Tensor:
    """Return tensors of the inputs, by key or for the only input; arrays that are not shared go into the request."""
    if inputs is None:
        return {}
    if isinstance(inputs, (Tensor, *_SCALARS)):
        return _tensor(request, None, inputs, is_shared)
    if isinstance(inputs, (Mapping, list, tuple)):
        by_key = _by_key(request, inputs)
        if is_shared:
            return {key: _tensor(request, key, value, True) for key, value in by_key.items()}
        return {key: tensor for key, value in by_key.items() for tensor in _copied(request, key, value)}
    array = _array(inputs)
    if is_shared:
        return _tensor(request, None, array, True)
    _fill(request, None, array)
    return {}


def _by_key(request: InferRequest, inputs: Any) -> dict[Any, Any]:
    """Return the inputs by index, name or port; for a model of one input, a list of plain values is its data."""
    if isinstance(inputs, list) and len(request.input_tensors) == 1 and _is_plain(inputs):
        return {0: inputs}
    if not isinstance(inputs, Mapping):
        return dict(enumerate(inputs))
    for key in inputs:
        if not isinstance(key, (str, int, Output)):
            raise ArgumentTypeError(f"Incompatible key type for input: {key!r}; an index, a name or a port is needed")
    return dict(inputs)


def _is_plain(values: list[Any]) -> bool:
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return all(isinstance(item, (str, bytes, int, float)) for item in items)


def _array(value: Any) -> Array:
    if not isinstance(value, np.ndarray) and not hasattr(value, "__array__"):
        raise ArgumentTypeError(f"Incompatible inputs of type: {type(value)}; tensors, arrays and numbers are accepted")
    return np.asarray(value)


def _current(request: InferRequest, key: int | str | ConstOutput | None) -> Tensor:
    """Return the tensor that the request has for a key."""
    if key is None:
        return request.get_input_tensor()
    return request.get_input_tensor(key) if isinstance(key, int) else request.get_tensor(key)


def _tensor(request: InferRequest, key: Any, value: Any, is_shared: bool) -> Tensor:
    """Return a value as a tensor of the input's type, which shares the memory of an array where that is possible."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, list):
        return Tensor(value)
    current = _current(request, key)
    array = np.array(value) if isinstance(value, _SCALARS) else np.asarray(_array(value), order="C")
    type = current.element_type
    if type is ElementType.string:
        return Tensor(array)
    if array.dtype != type.to_dtype():
        array, is_shared = array.astype(type.to_dtype()), False
    if array.ndim == 0 and not isinstance(value, _SCALARS):
        shape = tuple(current.shape) if current.size else (1,)
        is_shared = is_shared and shape == ()
        array = array.reshape(shape)
    if type is ElementType.bf16:
        tensor = Tensor(type, array.shape)
        tensor.data[...] = array
        return tensor
    return Tensor(array, shared_memory=is_shared and array.flags.writeable)


def _copied(request: InferRequest, key: Any, value: Any) -> list[Tensor]:
    """Return the tensor of a list or a tensor; copy anything else into the tensor of the request."""
    if isinstance(value, (Tensor, list)):
        return [_tensor(request, key, value, False)]
    if isinstance(value, _SCALARS):
        value = np.array(value)
    elif not hasattr(value, "__array__"):
        raise ArgumentTypeError(f"Incompatible inputs of type: {type(value)} under {key} key!")
    _fill(request, key, _array(value))
    return []


def _fill(request: InferRequest, key: Any, array: Array) -> None:
    """Copy an array into the tensor that the request has for a key."""
    tensor = _current(request, key) if array.ndim else _tensor(request, key, array, False)
    if array.ndim:
        if tuple(tensor.shape) != array.shape:
            tensor.shape = array.shape
        if tensor.element_type is ElementType.string:
            tensor.bytes_data = array
        else:
            tensor.data[...] = array
    if key is None:
        request.set_input_tensor(tensor)
    elif isinstance(key, int):
        request.set_input_tensor(key, tensor)
    else:
        request.set_tensor(key, tensor)


__getattr__, __dir__ = names_of("utils.data_helpers.data_dispatcher")
