"""Values of constants in the forms that OpenVINO's `Constant` shows: its memory, numbers of a dtype, texts."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ArgumentTypeError, UnsupportedError
from ir_plugin.model.attribute_access import accessor
from ir_plugin.model.hooks import HOOKS
from ir_plugin.model.node_base import NodeBase
from ir_plugin.tensors import Array, ElementType, Strides
from ir_plugin.tensors.packing import NF4_VALUES, pack, packed_size, to_memory
from ir_plugin.tensors.strings import encoded, readable


class Const(Protocol):
    """The operation of a constant."""

    element_type: ElementType
    shape: tuple[int, ...]

    def evaluate(self) -> Array:
        """Return the values."""


_WITHOUT_VECTOR = frozenset(["bf16", "i4", "nf4", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1", "string"])


def memory(constant: Const) -> Array:
    """Return the values as `Tensor.data` shows memory, read-only: low-bit types packed, small floats as bits."""
    values, type = constant.evaluate(), constant.element_type
    if type is ElementType.string:
        shown = encoded(values)
    elif type.is_low_bit:
        shown = np.frombuffer(pack(values, type), np.int8 if type is ElementType.i4 else np.uint8)
    else:
        shown = np.ascontiguousarray(to_memory(values, type)).reshape(values.shape).view(type.to_dtype())
    shown.flags.writeable = False
    return shown


def data(constant: Const, dtype: npt.DTypeLike | None, copy: bool) -> Array:
    """Return the memory, or the values converted to a dtype; a copy if one is asked for or needed."""
    shown = memory(constant)
    if dtype is None or (shown.dtype == np.dtype(dtype) and not constant.element_type.is_low_bit):
        return shown.copy() if copy else shown
    target = np.dtype(dtype)
    if constant.element_type is ElementType.string:
        return _texts(constant.evaluate(), target)
    return _numbers(constant, target.kind in "iub").astype(target)


def _texts(values: Array, dtype: np.dtype[Any]) -> Array:
    if dtype.kind not in "US":
        raise ArgumentTypeError(f"a constant of strings cannot be converted to {dtype}")
    return readable(values) if dtype.kind == "U" else encoded(values)


def _numbers(constant: Const, as_codes: bool) -> Array:
    """Return the values; for nf4 with `as_codes` its codes."""
    values = constant.evaluate()
    return np.searchsorted(NF4_VALUES, values) if as_codes and constant.element_type is ElementType.nf4 else values


def vector(constant: Const) -> Array:
    """Return the values as a one-dimensional array; raises for types that OpenVINO has no vector of."""
    type = constant.element_type
    if type.name in _WITHOUT_VECTOR:
        raise UnsupportedError(f"a constant of {type.name} has no vector; use get_data(dtype=…)")
    flat = constant.evaluate().reshape(-1)
    return flat.astype(np.int8) if type is ElementType.boolean else flat


def texts(constant: Const) -> list[str]:
    """Return the values as C++ prints them; nf4 is printed as codes."""
    if constant.element_type is ElementType.string:
        return [str(value) for value in constant.evaluate().reshape(-1).tolist()]
    numbers = _numbers(constant, as_codes=True).reshape(-1)
    is_float = constant.element_type.is_floating and constant.element_type is not ElementType.nf4
    return [_float_text(float(value)) if is_float else str(int(value)) for value in numbers]


def _float_text(value: float) -> str:
    if math.isfinite(value):
        return f"{value:g}"
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def byte_size(constant: Const) -> int:
    """Return the number of bytes of the memory; 32 for each string, as in OpenVINO."""
    count = math.prod(constant.shape)
    return 32 * count if constant.element_type is ElementType.string else packed_size(constant.element_type, count)


def tensor_view(constant: Const) -> Any:
    """Return a tensor of the values, which shares their memory where the type is not packed."""
    return HOOKS.api().Tensor.of(constant.evaluate(), constant.element_type)


class ConstantAccess(NodeBase):
    """The methods of a node that return the values of a Constant."""

    __slots__ = ()

    @property
    def data(self) -> Array:
        """The memory of a Constant, read-only, as `Tensor.data` shows it: low-bit types packed, f8 as bytes."""
        return self.get_data()

    def get_data(self, *, dtype: npt.DTypeLike | None = None, copy: bool = False) -> Array:
        """Return the memory of a Constant, or its values converted to a dtype."""
        return data(self._of("Constant", "data"), dtype, copy)

    def get_vector(self) -> Array:
        """Return the values of a Constant as a 1-D array."""
        return vector(self._of("Constant", "get_vector"))

    def get_value_strings(self) -> list[str]:
        """Return the values of a Constant as texts."""
        return texts(self._of("Constant", "get_value_strings"))

    @property
    def tensor_view(self) -> Any:
        """A tensor of the values of a Constant, which shares their memory unless they are packed."""
        return self.get_tensor_view()

    def get_tensor_view(self) -> Any:
        """Return a tensor of the values of a Constant, which shares their memory unless they are packed."""
        return tensor_view(self._of("Constant", "tensor_view"))

    @property
    def strides(self) -> Strides:
        """The distances between neighbouring elements of a Constant, in bytes."""
        return Strides(self.get_tensor_view().strides)

    def get_strides(self) -> Any:
        """Return the strides of a Constant in bytes, or the attribute `strides` of another node."""
        read = None if self.get_type_name() == "Constant" else accessor(self, "get_strides")
        return self.strides if read is None else read()

    def get_byte_size(self) -> int:
        """Return the number of bytes of the values of a Constant."""
        return byte_size(self._of("Constant", "get_byte_size"))
