"""Samples: layers with inputs, on which every operation is held against OpenVINO and against its specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import to_type


@dataclass(frozen=True)
class In:
    """One input: its value, its element type where the dtype does not tell, and whether it is a Const."""

    value: Array
    type: ElementType
    constant: bool = False


def param(value: Any, type: str = "") -> In:
    """Return an input that is a Parameter of the model; Python floats are f32 and whole numbers i64."""
    array = _array(value, type)
    return In(array, ElementType(type) if type else ElementType.from_dtype(array.dtype))


def const(value: Any, type: str = "") -> In:
    """Return an input that is a Const of the model; Python floats are f32 and whole numbers i64."""
    parameter = param(value, type)
    return In(parameter.value, parameter.type, constant=True)


def _array(value: Any, type: str) -> Array:
    if type:
        return to_type(np.asarray(value, ElementType(type).dtype), ElementType(type))
    array = np.asarray(value)
    if array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
        return array.astype(np.float32)
    return array


@dataclass(frozen=True)
class Sample:
    """One layer with inputs.

    The result is compared with `expected` (from the specification's examples, or a naive computation written in the
    test module) where given, and with OpenVINO's CPU unless `openvino` says why that is no judge (`expected` is
    needed then). Inferred partial shapes are compared as text with OpenVINO's for the static shapes, for all
    dimensions dynamic, for intervals, for an unknown rank, and for each row of `shapes`, unless `openvino_shapes`
    says why not.
    """

    type: str
    version: int | str
    inputs: Sequence[In | None]
    attributes: Mapping[str, object] = field(default_factory=dict)
    expected: Any = None
    """The output, or a list of outputs."""
    oracle: Callable[..., Any] | None = None
    """Computes the output, or a list of outputs, naively from the inputs' arrays."""
    outputs: int = 1
    shapes: Sequence[Sequence[str]] = ()
    """More variants: a partial shape for each Parameter."""
    openvino: str = ""
    openvino_shapes: str = ""
    rtol: float = 1e-5
    atol: float = 1e-6
    name: str = ""


@dataclass(frozen=True)
class ErrorSample:
    """One layer that must be refused while its shapes are inferred, or while it is evaluated (`code` IR701).

    `inputs` are values, or `"f32[1,?,3]"` texts for parameters of which only type and shape matter. `says` must
    occur in the message, and `part` must be the attribute or input that the finding names.
    """

    type: str
    version: int | str
    inputs: Sequence[In | str]
    attributes: Mapping[str, object] = field(default_factory=dict)
    part: str = ""
    says: str = ""
    code: str = "IR301"
    outputs: int = 1
    name: str = ""
