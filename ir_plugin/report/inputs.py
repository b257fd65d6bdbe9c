"""Inputs for a run, with random arrays for the missing ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.errors import InputError, is_index
from ir_plugin.model import Output
from ir_plugin.openvino.api import CompiledModel
from ir_plugin.openvino.api.feeding import arrays_by_position
from ir_plugin.openvino.api.lookup import names_of, position_of
from ir_plugin.operations.memory import memory_for
from ir_plugin.operations.ranges import Range
from ir_plugin.report.indices import index_ranges
from ir_plugin.report.lengths import accepted_shapes, inferred
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.scoped import scoped

MAX_DISTINCT = 2**16
"""The longest range from which distinct numbers are drawn."""
_DRAWN = 2**16
"""The number of random f64 or i64 values drawn at once, before conversion to the input's type."""


@dataclass(frozen=True)
class Random:
    """A request for random values of a shape in place of an array."""

    shape: tuple[int, ...]


Listener: TypeAlias = Callable[[Output, Array], None]
"""Receives each missing input of unknown shape, with its random values."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def guessing(listener: Listener) -> AbstractContextManager[None]:
    """Report the shapes chosen for random inputs within the `with` to the listener."""
    return scoped(_listener, listener)


def complete(compiled: CompiledModel, inputs: Any = None, seed: int = 0) -> list[Array]:
    """Return an array for each input: the arrays of `inputs`, and random ones for the others.

    A dictionary may have `Random` values. Random reals are from a standard normal distribution, whole numbers from 0
    to 9, and indices, lengths and axes from the range that the layers accept. Unknown lengths are as short as the
    graph accepts.
    """
    if not is_index(seed, 2**128):
        raise InputError(f"the seed has to be a whole number from 0 on; it is {seed!r:.40}")
    ports = compiled.inputs
    if isinstance(inputs, dict) and None in inputs:
        inputs = {position_of(ports, key, "input") if key is None else key: value for key, value in inputs.items()}
    shapes = {port: port.partial_shape for port in ports}
    chosen = (
        {key: value for key, value in inputs.items() if isinstance(value, Random)} if isinstance(inputs, dict) else {}
    )
    if chosen:
        shapes |= {ports[position_of(ports, key, "input")]: PartialShape(value.shape) for key, value in chosen.items()}
        inputs = {key: array for key, array in inputs.items() if key not in chosen}
    provided: Mapping[int, Array] = arrays_by_position(ports, inputs)
    if len(provided) == len(ports):
        arrays = [provided[index] for index in range(len(ports))]
    else:
        arrays = _completed(compiled, [shapes[port] for port in ports], provided, np.random.default_rng(seed))
    listener = _listener.get()
    for index, port in enumerate(ports):
        if listener is not None and index not in provided and shapes[port].is_dynamic:
            listener(port, arrays[index])
    return arrays


def _completed(
    compiled: CompiledModel, shapes: Sequence[PartialShape], provided: Mapping[int, Array], rng: np.random.Generator
) -> list[Array]:
    """Return the provided arrays, and random ones whose shapes and ranges fit them and the graph."""
    ports, model = compiled.inputs, compiled.model
    unranked = [port for index, port in enumerate(ports) if index not in provided and shapes[index].dims is None]
    if unranked:
        name = names_of(unranked[0])[0]
        raise InputError(f"the rank of {name} is not known: give it, or a shape for random values: -i {name}=1x3x8x8")
    fixed = {index: PartialShape(array.shape) for index, array in provided.items()}
    chosen = accepted_shapes(model, shapes, fixed)
    compiled.engine.require_inputs(
        [_tensor(port.element_type, shape.to_shape()) for port, shape in zip(ports, chosen, strict=True)]
    )
    ranges = index_ranges(model, inferred(model, chosen))
    arrays = []
    for index, port in enumerate(ports):
        with memory_for(port.node):
            lengths, allowed = chosen[index].to_shape(), ranges.get(port.node)
            arrays.append(
                provided[index] if index in provided else random_array(rng, port.element_type, lengths, allowed)
            )
    return arrays


def random_array(
    rng: np.random.Generator, element_type: ElementType, lengths: Sequence[int], allowed: Range | None = None
) -> Array:
    """Return a random array of this type and shape, of whole numbers within `allowed` if that is not None."""
    if element_type is ElementType.string:
        return np.full(lengths, "text", object)
    array: Array = np.empty(lengths, _tensor(element_type, lengths).element_type.dtype)
    values = array.reshape(-1)
    if allowed is not None and element_type is not ElementType.boolean:
        bits = element_type.bits - element_type.has_sign
        most = 2**bits - 1 if element_type.is_integer else 2**53
        values[...] = _whole_numbers(rng, lengths, allowed, most).reshape(-1)
        return array
    high = 2 if element_type is ElementType.boolean else min(10, 2 ** (element_type.bits - element_type.has_sign))
    is_whole = element_type.is_integer or element_type is ElementType.boolean
    for start in range(0, values.size, _DRAWN):
        part = values[start : start + _DRAWN]
        part[...] = rng.integers(0, high, part.size) if is_whole else rng.standard_normal(part.size)
    return array


def _whole_numbers(rng: np.random.Generator, lengths: Sequence[int], allowed: Range, most: int) -> Array:
    low = min(max(allowed.low, -most), most)
    high = max(min(allowed.high, most), low)
    count = int(np.prod(lengths))
    if allowed.distinct and count <= high - low + 1 <= MAX_DISTINCT:
        return np.asarray(low + rng.permutation(high - low + 1)[:count]).reshape(lengths)
    numbers = rng.integers(low, high, lengths, endpoint=True)
    return np.sort(numbers, axis=0) if allowed.ascending and numbers.ndim else np.asarray(numbers)


def _tensor(element_type: ElementType, lengths: Sequence[int]) -> TensorInfo:
    """Return the type and shape of an input; a dynamic type becomes f32."""
    return TensorInfo(element_type if element_type.is_static else ElementType.f32, lengths)


def by_layer(ports: Sequence[Output], arrays: Sequence[Array]) -> dict[str, Array]:
    """Return the arrays by the names of the Parameter layers."""
    return {port.node.name: array for port, array in zip(ports, arrays, strict=True)}
