"""The batch of a model's inputs and outputs: which have one, how long it may be, and the shapes for a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ir_plugin import Dimension, Model, Output, PartialShape, storable
from ir_plugin.errors import InputError


@dataclass(frozen=True)
class OutputForm:
    """The name, type and shape of an output for a batch; unknown lengths are None, an unknown rank is None."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...] | None

    @property
    def is_text(self) -> bool:
        """Whether the elements are strings."""
        return self.dtype == np.object_

    @property
    def stored_dtype(self) -> Any:
        """The type in files: strings of any length, and f32 for small floats that NumPy does not have."""
        return np.dtypes.StringDType() if self.is_text else storable(np.empty(0, self.dtype)).dtype


class BatchPorts:
    """The inputs and the selected outputs of a model, with the axis along which batches are cut and joined."""

    def __init__(self, model: Model, axis: int, outputs: str | Sequence[str] | None) -> None:
        self.model, self.axis = model, axis
        self.inputs, self.input_names = model.inputs, [_name(port) for port in model.inputs]
        keys = [outputs] if isinstance(outputs, str) else outputs
        ports = model.outputs if keys is None else [model.output(key) for key in keys]
        self.output_positions = [model.outputs.index(port) for port in ports]
        names = [_name(port) for port in model.outputs]
        self.output_names = [names[position] for position in self.output_positions]
        if not self.inputs:
            raise InputError(f'the model "{model.name}" has no inputs, so there is no batch to map')

    @cached_property
    def fixed(self) -> int | None:
        """The length of the batch if the model has a fixed one."""
        lengths = [self._length(port) for port in self.inputs]
        declared = [length for length in lengths if length is not None]
        if not declared:
            raise InputError(f"no input has an axis {self.axis} for the batch")
        return declared[0].get_length() if all(length.is_static for length in declared) else None

    @cached_property
    def is_batched(self) -> tuple[bool, ...]:
        """Which inputs have a batch; the others are given whole."""
        lengths = [self._length(port) for port in self.inputs]
        if self.fixed is None:
            return tuple(length is not None and length.is_dynamic for length in lengths)
        return tuple(length is not None and length.get_length() == self.fixed for length in lengths)

    def rows(self, start: int, stop: int) -> tuple[slice, ...]:
        """Return the index of some rows of the batch."""
        return (*[slice(None)] * self.axis, slice(start, stop))

    def _length(self, port: Output) -> Dimension | None:
        shape = port.partial_shape
        if shape.ndim is None:
            return Dimension()
        return shape[self.axis] if shape.ndim > self.axis else None

    def by_position(self, inputs: Any) -> dict[int, Any]:
        """Return the arrays, which may be lazy, by input position; raises for a missing or unknown input."""
        if not isinstance(inputs, Mapping):
            if len(self.inputs) != 1:
                raise InputError(f"the model has {len(self.inputs)} inputs; give a dictionary: {self._listed()}")
            return {0: inputs}
        values = {self.inputs.index(self.model.input(key)): value for key, value in inputs.items()}
        missing = [self.input_names[position] for position in range(len(self.inputs)) if position not in values]
        if missing:
            raise InputError(f"missing inputs: {', '.join(missing)}; the model has {self._listed()}")
        return values

    def _listed(self) -> str:
        return ", ".join(
            f"{name} {port.partial_shape}" for name, port in zip(self.input_names, self.inputs, strict=True)
        )

    def batch_length(self, values: Mapping[int, Any]) -> int:
        """Return the common length of the batch; raises where a shape or type does not fit."""
        lengths: dict[str, int] = {}
        for position, value in values.items():
            port, name, shape = self.inputs[position], self.input_names[position], tuple(value.shape)
            expected = PartialShape(port.partial_shape)
            if self.is_batched[position]:
                if len(shape) <= self.axis:
                    raise InputError(f"input {name} has the shape {list(shape)}, without an axis {self.axis}")
                expected = expected if expected.ndim is None else expected.replace(self.axis, Dimension())
                lengths[name] = shape[self.axis]
            if not expected.compatible(PartialShape(list(shape))):
                raise InputError(f"input {name} has the shape {list(shape)}; the model takes {expected}")
            _require_kind(name, value.dtype, port.element_type.dtype)
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"the inputs differ in length along axis {self.axis}: {listed}")
        return next(iter(lengths.values()))

    def forms(self, values: Mapping[int, Any], length: int) -> list[OutputForm]:
        """Return the outputs for a batch of some length, by shape inference.

        Raises if an output has no batch: its length along the axis differs from the batch's.
        """
        batch = self.fixed or length
        shapes = {
            position: PartialShape(
                [batch if self.is_batched[position] and axis == self.axis else n for axis, n in enumerate(value.shape)]
            )
            for position, value in values.items()
        }
        model = self.model.clone()
        model.reshape(shapes)
        return [
            self._form(model.outputs[position], name, batch, length)
            for position, name in zip(self.output_positions, self.output_names, strict=True)
        ]

    def _form(self, port: Output, name: str, batch: int, length: int) -> OutputForm:
        shape = port.partial_shape
        dtype = port.element_type.dtype
        if shape.ndim is None:
            return OutputForm(name, dtype, None)
        if shape.ndim <= self.axis or not shape[self.axis].compatible(Dimension(batch)):
            raise InputError(
                f"output {name} has no batch along axis {self.axis}: its shape is {shape} for a batch of {batch}; "
                "select other outputs"
            )
        dims = [dim.get_length() if dim.is_static else None for dim in shape]
        dims[self.axis] = length
        return OutputForm(name, dtype, tuple(dims))


def _name(port: Output) -> str:
    """Return the first tensor name in alphabetical order, or the name of the layer."""
    return min(port.names, default=port.node.friendly_name)


def _require_kind(name: str, actual: np.dtype[Any], expected: np.dtype[Any]) -> None:
    """Raise unless numbers are given for numbers, and whole numbers for whole ones."""
    if expected in (np.dtype(object), actual):
        return
    if actual.kind in "OUSc" or (actual.kind == "f" and expected.kind in "iub"):
        raise InputError(f"input {name} has the type {actual}; the model takes {expected}")
