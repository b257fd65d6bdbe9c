"""Inputs for a run: those that are given, and random ones for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.api import CompiledModel
from ir_plugin.api.feeding import given_by_position
from ir_plugin.api.lookup import position_of
from ir_plugin.errors import InputError, is_index
from ir_plugin.model import Output
from ir_plugin.operations.memory import memory_for
from ir_plugin.tensors import UNBOUNDED, Array, ElementType, PartialShape, Tensor

_DRAWN = 2**16
"""Random values that are drawn at once, as f64 or i64, before they become values of the input's type."""


@dataclass(frozen=True)
class Random:
    """Random values of a shape, given in place of an array."""

    shape: tuple[int, ...]


Listener: TypeAlias = Callable[[Output, Array], None]
"""Told of an input whose shape is not known and that is not given, and of the random values that it gets."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def guessing(listener: Listener) -> Iterator[None]:
    """Tell the listener of the shapes that are chosen for random inputs within the `with`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def complete(compiled: CompiledModel, inputs: Any = None, seed: int = 0) -> list[Array]:
    """Return an array for each input: those that are given, as a call takes them, and random ones for the others.

    A dictionary may have `Random` values. Random reals are from a standard normal distribution, whole numbers from 0
    to 9; lengths that are not known are as short as they can be.
    """
    if not is_index(seed, 2**128):
        raise InputError(f"the seed has to be a whole number from 0 on; it is {seed!r:.40}")
    ports = compiled.inputs
    shapes = {port: port.partial_shape for port in ports}
    chosen = {key: one for key, one in inputs.items() if isinstance(one, Random)} if isinstance(inputs, dict) else {}
    if chosen:
        shapes |= {ports[position_of(ports, key, "input")]: PartialShape(one.shape) for key, one in chosen.items()}
        inputs = {key: array for key, array in inputs.items() if key not in chosen}
    given: Mapping[int, Array] = given_by_position(ports, inputs)
    rng = np.random.default_rng(seed)
    compiled.engine.require_inputs(
        [
            _tensor(port.element_type, given[index].shape if index in given else lengths_of(shapes[port]))
            for index, port in enumerate(ports)
        ]
    )
    arrays = []
    for index, port in enumerate(ports):
        with memory_for(port.node):
            arrays.append(given[index] if index in given else random_array(rng, port.element_type, shapes[port]))
    listener = _listener.get()
    for index, port in enumerate(ports):
        if listener is not None and index not in given and shapes[port].is_dynamic:
            listener(port, arrays[index])
    return arrays


def random_array(rng: np.random.Generator, element_type: ElementType, shape: PartialShape) -> Array:
    """Return an array for an input of this type and shape; a dimension that is not known is as short as it can be."""
    lengths = lengths_of(shape)
    if element_type is ElementType.string:
        return np.full(lengths, "text", object)
    array = np.empty(lengths, _tensor(element_type, lengths).element_type.dtype)
    values = array.reshape(-1)
    high = 2 if element_type is ElementType.boolean else min(10, 2 ** (element_type.bits - element_type.is_signed))
    for start in range(0, values.size, _DRAWN):
        part = values[start : start + _DRAWN]
        part[...] = rng.integers(0, high, part.size) if element_type.is_integral else rng.standard_normal(part.size)
    return array


def lengths_of(shape: PartialShape) -> list[int]:
    """Return the lengths that a random input of a shape gets."""
    if shape.dims is None:
        raise InputError("an input has an unknown rank: give it, or a shape for random values, with -i NAME=1x3x8x8")
    return [dim.lower if dim.is_static else min(max(dim.lower, 1), dim.upper, UNBOUNDED) for dim in shape.dims]


def _tensor(element_type: ElementType, lengths: Sequence[int]) -> Tensor:
    """Return the tensor of an input; one of dynamic type gets f32."""
    return Tensor(element_type if element_type.is_static else ElementType.f32, lengths)


def by_layer(ports: Sequence[Output], arrays: Sequence[Array]) -> dict[str, Array]:
    """Return the arrays by the names of the Parameter layers."""
    return {port.node.name: array for port, array in zip(ports, arrays, strict=True)}
