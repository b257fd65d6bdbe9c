"""Inputs of a call: from what users give to one array a parameter, or an error that says what would be right.

And the tensors that stand for inputs and outputs of a request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

from ir_plugin.api.lookup import names_of, position_of
from ir_plugin.api.results import Results
from ir_plugin.api.tensor import Tensor
from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, InputError, require, wrong_type
from ir_plugin.model import Node, Output
from ir_plugin.tensors import Array, ElementType, PartialShape, as_held
from ir_plugin.tensors.strings import string_array

_SIMPLE = (str, bytes, int, float, np.number)


Exact: TypeAlias = "tuple[tuple[int, ...], np.dtype[Any]] | None"
"""The only shape and type of arrays that a port takes as they are, where there is only one."""


def exact(port: Output) -> Exact:
    """Return which arrays a port takes without a look at their values."""
    type, shape = port.element_type, port.partial_shape
    if type.is_dynamic or type.is_low_bit or type is ElementType.string or not shape.is_static:
        return None
    return tuple(shape.to_shape()), type.dtype


def given_by_position(ports: Sequence[Output], inputs: Any) -> dict[int, Array]:
    """Return arrays of the ports' types, in shapes that fit them, by the positions of the inputs that are given.

    `inputs` is an array for the only input, a sequence in the order of the inputs, or a mapping by index, name or port.
    """
    found = fitting_by_position(ports, inputs)
    return {position: value.values if isinstance(value, Tensor) else value for position, value in found.items()}


def fitting_by_position(ports: Sequence[Output], inputs: Any, known: Sequence[Exact] = ()) -> dict[int, Array | Tensor]:
    """Return what `given_by_position` does, but tensors as they are; `known` says what is `exact` for each port."""
    if known:
        listed = (inputs,) if inputs.__class__ is np.ndarray else inputs
        if listed.__class__ in (list, tuple) and _are_exact(listed, known):
            return dict(enumerate(listed))
    return {
        position: value
        if known and value.__class__ is np.ndarray and (value.shape, value.dtype) == known[position]
        else _fitting_as_given(ports[position], value, position)
        for position, value in _by_position(ports, inputs).items()
    }


def _are_exact(values: Sequence[Any], known: Sequence[Exact]) -> bool:
    """Return whether each of as many values as there are ports is an array that its port takes as it is."""
    if len(values) != len(known):
        return False
    pairs = zip(values, known, strict=True)
    return all(value.__class__ is np.ndarray and (value.shape, value.dtype) == one for value, one in pairs)


def require_all(ports: Sequence[Output], given: Collection[int]) -> None:
    """Raise, naming what is missing, unless every input is given."""
    missing = [position for position in range(len(ports)) if position not in given]
    if missing:
        wanted = ", ".join(_described(ports[position]) for position in missing)
        raise InputError(f"{len(given)} of {len(ports)} inputs are given; missing: {wanted}")


def _by_position(ports: Sequence[Output], inputs: Any) -> dict[int, Any]:
    if inputs is None:
        return {}
    if isinstance(inputs, Results):
        inputs = list(inputs.to_tuple())
    if isinstance(inputs, Mapping):
        return _from_mapping(ports, inputs)
    if isinstance(inputs, list) and _is_one_array(ports, inputs):
        return {0: inputs}
    if isinstance(inputs, (list, tuple)):
        if len(inputs) > len(ports):
            listed = ", ".join(" or ".join(names_of(port)) for port in ports) or "none"
            raise InputError(f"{len(inputs)} inputs are given; the model has {len(ports)}: {listed}")
        return dict(enumerate(inputs))
    if not ports:
        raise InputError("one input is given; the model has none")
    require_all(ports, [0])
    return {0: inputs}


def _from_mapping(ports: Sequence[Output], inputs: Mapping[Any, Any]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for key, value in inputs.items():
        require(key, (SupportsIndex, str, Output, Node), "an index, a name or a port", "inputs")
        position = position_of(ports, key, "input")
        if position in found:
            raise InputError(f"input {position} ({' or '.join(names_of(ports[position]))}) is given twice")
        found[position] = value
    return found


def _is_one_array(ports: Sequence[Output], inputs: list[Any]) -> bool:
    """Return whether a list of plain values is the array for the only input, rather than a list of inputs."""
    depth = _depth(inputs) if len(ports) == 1 else 0
    rank = ports[0].partial_shape.ndim if depth else None
    if depth == 1:
        return not (len(inputs) == 1 and rank == 0)
    return depth > 1 and rank in (None, depth)


def _depth(value: Any) -> int:
    """Return how deep lists of plain values are nested; 0 for what is no such list."""
    if not isinstance(value, list) or not value:
        return 0
    if all(isinstance(item, _SIMPLE) for item in value):
        return 1
    depths = set(map(_depth, value))
    return 1 + depths.pop() if len(depths) == 1 and 0 not in depths else 0


def fitting(port: Output, value: Any, position: int, kind: str = "input") -> Array:
    """Return a value as an array of the port's type, or raise, saying what would fit."""
    type, where = port.element_type, f"{kind} {position} ({' or '.join(names_of(port))})"
    array = _array(value, where, f"{type}{port.partial_shape}")
    if array.ndim == 0 and not isinstance(value, Tensor):
        array = _single(array, port.partial_shape)
    if isinstance(value, Tensor) and type.is_static and value.element_type is not type:
        raise InputError(f"{where} is a tensor of type {value.element_type}; the model wants {type}")
    if array.dtype.kind in "US" and type.is_static and type is not ElementType.string:
        raise ArgumentValueError(f"{where} holds strings; the model wants {type}")
    if not port.partial_shape.contains(array.shape):
        fault = ArgumentValueError if array.ndim == 0 else InputError
        raise fault(f"{where} has the shape {list(array.shape)}; the model wants {port.partial_shape} of type {type}")
    return _known(array, where) if type.is_dynamic else _cast(array, type, where)


def _fitting_as_given(port: Output, value: Any, position: int) -> Array | Tensor:
    array = fitting(port, value, position)
    return value if isinstance(value, Tensor) else array


def written(target: Tensor, source: Tensor) -> bool:
    """Copy elements and shape into a tensor and return True, or False where it is of another type or read-only."""
    if target.element_type is not source.element_type or not target.data.flags.writeable:
        return False
    target.copy_from(source)
    return True


def _array(value: Any, where: str, wanted: str) -> Array:
    if isinstance(value, Tensor):
        return value.values
    try:
        array = as_held(np.asarray(value))
    except (ValueError, TypeError, RuntimeError) as fault:
        raise ArgumentValueError(f"{where} is no array ({fault}); the model wants {wanted}") from None
    if array.dtype == np.object_ and not isinstance(value, (np.ndarray, list, tuple)):
        raise ArgumentTypeError(f"{where} is no array, but of type {type(value).__name__}; the model wants {wanted}")
    return array


def _single(array: Array, shape: PartialShape) -> Array:
    """Return a number in the shape of an input that takes one element: `[1]`, `[1,1]`, or `[?]`."""
    lengths = shape.dims or ()
    takes_one = all(dim.contains(1) for dim in lengths) and (shape.is_static or len(lengths) == 1)
    return array.reshape([1] * len(lengths)) if takes_one else array


def _known(array: Array, where: str) -> Array:
    """Return an array for an input of dynamic type, after checking that its own type is one of OpenVINO's."""
    type = ElementType.from_dtype(array.dtype)
    return _cast(array, type, where)


def _cast(array: Array, type: ElementType, where: str) -> Array:
    """Return the array in the port's type; whole numbers and floats are converted where no value changes its kind.

    An array of float16 for bf16 holds the bits, as in OpenVINO, whose `Tensor.data` shows bf16 so.
    """
    if type is ElementType.string:
        return _strings(array, where)
    if array.dtype == type.dtype and not type.is_low_bit:
        return array
    if type is ElementType.bf16 and array.dtype == np.float16:
        return array.view(type.dtype)
    real = array.dtype.kind == "f" or (array.dtype.kind == "V" and array.dtype in _ML_FLOATS)
    if not (array.dtype.kind in "biu" or (real and type.is_floating)):
        raise ArgumentTypeError(f"{where} has the type {array.dtype}; the model wants {type}")
    if type.is_integer and array.size:
        _require_range(array, type, where)
    with np.errstate(all="ignore"):
        return array.astype(type.dtype, copy=False)


_ML_FLOATS = frozenset(known.dtype for known in ElementType.all if known.is_floating)


def _require_range(array: Array, type: ElementType, where: str) -> None:
    sign = int(type.has_sign)
    lowest, highest = -sign << (type.bits - 1), 2 ** (type.bits - sign) - 1
    low, high = int(array.min()), int(array.max())
    if low < lowest or high > highest:
        raise InputError(f"{where} has the value {low if low < lowest else high}, which {type} cannot hold")


def _strings(array: Array, where: str) -> Array:
    if array.dtype.kind not in "USTO":
        raise ArgumentTypeError(f"{where} has the type {array.dtype}; the model wants strings")
    items = array.reshape(-1).tolist()
    if not all(isinstance(item, (str, bytes)) for item in items):
        raise ArgumentTypeError(f"{where} holds something else than strings; the model wants strings")
    return string_array(items, array.shape)


def _described(port: Output) -> str:
    return f"{' or '.join(map(repr, names_of(port)))} ({port.element_type}{port.partial_shape})"


def as_tensor(port: Output, given: Tensor | Array) -> Tensor:
    """Return what an input or output holds as a tensor that shares its memory."""
    if isinstance(given, Tensor):
        return given
    return Tensor.of(given, port.element_type if port.element_type.is_static else ElementType.from_dtype(given.dtype))


def empty(port: Output) -> Tensor:
    """Return zeros; a dimension that is not known has the length 0."""
    type = port.element_type if port.element_type.is_static else ElementType.f32
    return Tensor(type, [dim.lower if dim.is_static else 0 for dim in port.partial_shape.dims or ()])


def require_tensor(tensor: Any) -> None:
    """Raise for what a request is given in the place of a tensor."""
    if not isinstance(tensor, Tensor):
        raise wrong_type("tensor", "a Tensor, such as Tensor(array),", tensor)
