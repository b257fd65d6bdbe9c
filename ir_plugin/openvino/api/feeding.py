"""Conversion of user inputs to an array for each parameter, with errors that name what is expected.

Also the tensors for inputs and outputs of a request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np

from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, Error, InputError, wrong_type
from ir_plugin.model import Node, Output
from ir_plugin.openvino.api.lookup import names_of, position_of
from ir_plugin.openvino.api.results import Results
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.tensors import Array, ElementType, PartialShape, as_held
from ir_plugin.tensors.containers import held_value
from ir_plugin.tensors.packing import from_memory, to_type
from ir_plugin.tensors.strings import string_array

_SIMPLE = (str, bytes, int, float, np.number)


class Accepted:
    """The arrays that the ports of a model accept unchanged, and the positions of their names."""

    def __init__(self, ports: Sequence[Output]) -> None:
        self._fits = [_fit_of(port) for port in ports]
        self.positions: dict[str, int] = {}
        for position, port in enumerate(ports):
            for name in port.names:
                self.positions.setdefault(name, position)

    def accepts(self, position: int, value: Any) -> bool:
        """Return whether a port takes the value unchanged: an array of its type and of one of its shapes."""
        fit = self._fits[position]
        if fit is None or value.__class__ is not np.ndarray or value.dtype != fit[0]:
            return False
        ends = fit[1]
        if len(value.shape) != len(ends):
            return False
        return all(low <= length <= high for length, (low, high) in zip(value.shape, ends, strict=True))

    def accepts_all(self, values: Sequence[Any]) -> bool:
        """Return whether each port takes its value unchanged."""
        return len(values) == len(self._fits) and all(map(self.accepts, range(len(values)), values))


def _fit_of(port: Output) -> tuple[np.dtype[Any], list[tuple[int, int]]] | None:
    """Return the type and the ends of the lengths of the arrays that a port accepts without conversion, if any."""
    type, dims = port.element_type, port.partial_shape.dims
    if type.is_dynamic or type.is_low_bit or type.is_container or type is ElementType.string or dims is None:
        return None
    if type.memory_dtype != type.dtype:
        return None
    return type.dtype, [(dim.lower, dim.upper) for dim in dims]


def arrays_by_position(ports: Sequence[Output], inputs: Any) -> dict[int, Array]:
    """Return the inputs by position, as arrays of the ports' types and shapes.

    `inputs` is an array for the only input, a sequence in the order of the inputs, or a mapping by index, name or port.
    """
    values = fitting_by_position(ports, inputs)
    return {position: value.values if isinstance(value, Tensor) else value for position, value in values.items()}


def fitting_by_position(
    ports: Sequence[Output], inputs: Any, accepted: Accepted | None = None
) -> dict[int, Array | Tensor]:
    """Return the inputs by position like `arrays_by_position`, but tensors unchanged."""
    if accepted is None:
        values = _by_position(ports, inputs)
        return {position: _fitting_or_tensor(ports[position], value, position) for position, value in values.items()}
    listed = (inputs,) if inputs.__class__ is np.ndarray else inputs
    if listed.__class__ in (list, tuple) and accepted.accepts_all(listed):
        return dict(enumerate(listed))
    named = accepted.positions if inputs.__class__ is dict else {}
    positions = [named.get(key, -1) if key.__class__ is str else -1 for key in inputs] if named else [-1]
    if -1 in positions or len(set(positions)) < len(positions):
        values = _by_position(ports, inputs)
    else:
        values = dict(zip(positions, inputs.values(), strict=True))
    return {
        position: value if accepted.accepts(position, value) else _fitting_or_tensor(ports[position], value, position)
        for position, value in values.items()
    }


def require_all(ports: Sequence[Output], positions: Collection[int]) -> None:
    """Raise with the missing inputs unless there is a value for every port."""
    missing = [position for position in range(len(ports)) if position not in positions]
    if missing:
        listed = ", ".join(_port_text(ports[position]) for position in missing)
        raise InputError(f"{len(positions)} of {len(ports)} inputs are given; missing: {listed}")


def _by_position(ports: Sequence[Output], inputs: Any) -> dict[int, Any]:
    if inputs is None:
        return {}
    if isinstance(inputs, Results):
        inputs = list(inputs.to_tuple())
    if isinstance(inputs, Mapping):
        return _from_mapping(ports, inputs)
    if isinstance(inputs, list) and _is_single_array(ports, inputs):
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
    by_position: dict[int, Any] = {}
    for key, value in inputs.items():
        if not isinstance(key, (SupportsIndex, str, Output, Node)):
            raise ArgumentTypeError(f"Incompatible key type for input: {key!r}; an index, a name or a port is needed")
        position = position_of(ports, key, "input")
        if position in by_position:
            raise InputError(f"input {position} ({' or '.join(names_of(ports[position]))}) is given twice")
        by_position[position] = value
    return by_position


def _is_single_array(ports: Sequence[Output], inputs: list[Any]) -> bool:
    """Return whether a list of plain values is the array for the only input, rather than a list of inputs."""
    depth = _depth(inputs) if len(ports) == 1 else 0
    rank = ports[0].partial_shape.ndim if depth else None
    if depth == 1:
        return not (len(inputs) == 1 and rank == 0)
    return depth > 1 and rank in (None, depth)


def _depth(value: Any) -> int:
    """Return the depth of nested lists of plain values; 0 for anything else."""
    if not isinstance(value, list) or not value:
        return 0
    if all(isinstance(item, _SIMPLE) for item in value):
        return 1
    depths = set(map(_depth, value))
    return 1 + depths.pop() if len(depths) == 1 and 0 not in depths else 0


def fitting(port: Output, value: Any, position: int, kind: str = "input") -> Array:
    """Return a value as an array of the port's type and shape, or raise with what the port expects."""
    type, where = port.element_type, f"{kind} {position} ({' or '.join(names_of(port))})"
    if type.is_container:
        return _container(value, type, where)
    array = _array(value, where, f"{type.name}{port.partial_shape}")
    if array.ndim == 0 and not isinstance(value, Tensor):
        array = _single(array, port.partial_shape)
    if isinstance(value, Tensor) and type.is_static and value.element_type is not type:
        raise InputError(f"{where} is a tensor of type {value.element_type.name}; the model wants {type.name}")
    if array.dtype.kind in "US" and type.is_static and type is not ElementType.string:
        raise ArgumentValueError(f"{where} holds strings; the model wants {type.name}")
    if not port.partial_shape.contains(array.shape):
        fault = ArgumentValueError if array.ndim == 0 else InputError
        raise fault(
            f"{where} has the shape {list(array.shape)}; the model wants {port.partial_shape} of type {type.name}"
        )
    return _of_own_type(array, where) if type.is_dynamic else _cast(array, type, where)


def _container(value: Any, type: ElementType, where: str) -> Array:
    """Return a list, a dictionary, None or a tensor of objects as a value of a container's type."""
    if isinstance(value, Tensor):
        if value.element_type is not type:
            raise InputError(f"{where} is a tensor of type {value.element_type.name}; the model wants {type.name}")
        return value.values
    try:
        return held_value(value, type)
    except Error as fault:
        raise InputError(f"{where}: {fault}") from None


def _fitting_or_tensor(port: Output, value: Any, position: int) -> Array | Tensor:
    array = fitting(port, value, position)
    return value if isinstance(value, Tensor) else array


def copied_into(target: Tensor, source: Tensor) -> bool:
    """Copy elements and shape into a tensor; return False if it is of another type or read-only."""
    if target.element_type is not source.element_type or not target.data.flags.writeable:
        return False
    target.copy_from(source)
    return True


def _array(value: Any, where: str, expected: str) -> Array:
    if isinstance(value, Tensor):
        return value.values
    try:
        array = as_held(np.asarray(value))
    except (ValueError, TypeError, RuntimeError) as fault:
        raise ArgumentValueError(f"{where} is not an array ({fault}); the model wants {expected}") from None
    if array.dtype == np.object_ and not isinstance(value, (np.ndarray, list, tuple)):
        raise ArgumentTypeError(
            f"{where} is not an array, but of type {type(value).__name__}; the model wants {expected}"
        )
    return array


def _single(array: Array, shape: PartialShape) -> Array:
    """Return a number in the shape of an input with a single element: `[1]`, `[1,1]`, or `[?]`."""
    lengths = shape.dims or ()
    is_single = all(dim.contains(1) for dim in lengths) and (shape.is_static or len(lengths) == 1)
    return array.reshape([1] * len(lengths)) if is_single else array


def _of_own_type(array: Array, where: str) -> Array:
    """Return an array for an input of dynamic type in its own element type."""
    type = ElementType.from_dtype(array.dtype)
    return _cast(array, type, where)


def _cast(array: Array, type: ElementType, where: str) -> Array:
    """Return the array in the port's type; integers convert to any number type, floats to floats only.

    An array of float16 for bf16, or of uint8 for a float of eight bits, holds the bits, as in OpenVINO's `Tensor.data`.
    """
    if type is ElementType.string:
        return _strings(array, where)
    if array.dtype == type.dtype == type.memory_dtype and not type.is_low_bit:
        return array
    if type.bits >= 8 and type.is_shown_as_bits and array.dtype == type.to_dtype():
        return from_memory(array.view(type.memory_dtype), type)
    real = array.dtype.kind == "f" or (array.dtype.kind == "V" and array.dtype in _ML_FLOATS)
    if not (array.dtype.kind in "biu" or (real and type.is_floating)):
        raise ArgumentTypeError(f"{where} has the type {array.dtype}; the model wants {type.name}")
    if type.is_integer and array.size:
        _require_range(array, type, where)
    with np.errstate(all="ignore"):
        return to_type(array, type)


_ML_FLOATS = frozenset(type.dtype for type in ElementType.all + ElementType.extended if type.is_floating)


def _require_range(array: Array, type: ElementType, where: str) -> None:
    sign = int(type.has_sign)
    lowest, highest = -sign << (type.bits - 1), 2 ** (type.bits - sign) - 1
    low, high = int(array.min()), int(array.max())
    if low < lowest or high > highest:
        raise InputError(f"{where} has the value {low if low < lowest else high}, which {type.name} cannot hold")


def _strings(array: Array, where: str) -> Array:
    if array.dtype.kind not in "USTO":
        raise ArgumentTypeError(f"{where} has the type {array.dtype}; the model wants strings")
    items = array.reshape(-1).tolist()
    if not all(isinstance(item, (str, bytes)) for item in items):
        raise ArgumentTypeError(f"{where} holds something else than strings; the model wants strings")
    return string_array(items, array.shape)


def _port_text(port: Output) -> str:
    return f"{' or '.join(map(repr, names_of(port)))} ({port.element_type.name}{port.partial_shape})"


def as_tensor(port: Output, value: Tensor | Array) -> Tensor:
    """Return the value of an input or output as a tensor that shares its memory."""
    if isinstance(value, Tensor):
        return value
    return Tensor.of(value, port.element_type if port.element_type.is_static else ElementType.from_dtype(value.dtype))


def empty(port: Output) -> Tensor:
    """Return a tensor of zeros for a port, with length 0 for unknown dimensions."""
    type = port.element_type if port.element_type.is_static else ElementType.f32
    return Tensor(type, [dim.lower if dim.is_static else 0 for dim in port.partial_shape.dims or ()])


def require_tensor(tensor: Any) -> None:
    """Raise unless the value is a tensor."""
    if not isinstance(tensor, Tensor):
        raise wrong_type("tensor", "a Tensor, such as Tensor(array),", tensor)
