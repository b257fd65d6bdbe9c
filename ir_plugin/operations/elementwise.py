"""Base classes of unary and binary elementwise operations, and their rounding and wrapping of integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, note_type, require_type
from ir_plugin.operations.shapes import broadcast_by, expand_pdpd
from ir_plugin.operations.traits import Elementwise
from ir_plugin.operations.truncation import truncated
from ir_plugin.tensors import Array, Bounds, ElementType, TensorInfo


class Unary(Operation):
    """A function of each element that keeps the shape, and the type unless `result_type` is set."""

    traits = (Elementwise(),)
    kinds: ClassVar[Sequence[str]] = ("number",)
    """Element types of the input, as `checks.is_kind` names them."""
    accepted: ClassVar[Sequence[str]] = ()
    """Further kinds that OpenVINO accepts."""
    ufunc: ClassVar[Callable[..., Any]]
    result_type: ClassVar[ElementType | None] = None
    """Element type of the output; None for the input's type."""

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        note_type("data", data, *self.kinds, accepted=(*self.kinds, *self.accepted))
        return TensorInfo(self.result_type or data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the function of every element."""
        return wrap_low_bits(self, self.apply(data))

    def apply(self, data: Array) -> Array:
        """Return the function of every element, in NumPy's result type."""
        result: Array = type(self).ufunc(data)
        return result


class RealUnary(Unary):
    """A function of real numbers; for integers the result is rounded to the nearest, halves to even.

    NaN and results that i32 or i64 cannot hold become its lowest number; unsigned types wrap.
    """

    def apply(self, data: Array) -> Array:
        """Return the function of every element."""
        return real_function(self.real, data)

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = type(self).ufunc(data)
        return result


def _unknown(*_: Array) -> None:
    """Return None: the interval of results is unknown."""


class Binary(Operation):
    """A function of two elements of equal type; the shapes are broadcast by `auto_broadcast`."""

    traits = (Elementwise(),)
    kinds: ClassVar[Sequence[str]] = ("number",)
    """Element types of the inputs, as `checks.is_kind` names them."""
    ufunc: ClassVar[Callable[..., Any]]
    result_type: ClassVar[ElementType | None] = None
    """Element type of the output; None for the type of the inputs."""

    auto_broadcast: str
    auto_broadcast_axis: int

    def infer(self, a: TensorInfo, b: TensorInfo) -> TensorInfo:
        """Return the common type and the broadcast shape."""
        require_type("input 0", a, *self.kinds)
        require_type("input 1", b, *self.kinds)
        merged = merge_types(a, b)
        shape = broadcast_by(self.auto_broadcast, a.shape, b.shape, self._axis)
        return TensorInfo(self.result_type or merged, shape)

    @property
    def _axis(self) -> int:
        return self.auto_broadcast_axis if self.auto_broadcast == "pdpd" else -1

    def evaluate(self, a: Array, b: Array) -> Array:
        """Return the function of every pair of elements."""
        if self.auto_broadcast == "pdpd":
            b = expand_pdpd(b, a.ndim, self._axis)
        return wrap_low_bits(self, self.apply(a, b))

    def apply(self, a: Array, b: Array) -> Array:
        """Return the function of two arrays that broadcast as NumPy's do."""
        result: Array = type(self).ufunc(a, b)
        return result

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the bounds of the results: `corners` of the operands' bounds, computed without overflow."""
        a, b = inputs
        if a is None or b is None or (a.is_exact and b.is_exact) or a.lower.dtype.kind not in "iufV":
            return super().infer_bounds(*inputs)
        shape = np.broadcast_shapes(a.lower.shape, b.lower.shape)
        if shape != a.lower.shape and self.auto_broadcast == "pdpd":
            return []
        ends = [np.broadcast_to(_wide(array), shape).reshape(-1) for array in (*a, *b)]
        corners = self.corners(*ends)
        if corners is None:
            return []
        if self.result_type is None:
            corners = _without_limit((ends[1] >= UNLIMITED) | (ends[3] >= UNLIMITED), *corners)
        target = (self.result_type or ElementType.from_dtype(a.lower.dtype)).dtype
        return [Bounds(*(_narrow(array, target).reshape(shape) for array in corners))]

    corners: Callable[..., tuple[Array, Array] | None] = staticmethod(_unknown)
    """Smallest and largest results of operands in [a, a_max] and [b, b_max], 1-D arrays; None if unknown.

    Whole numbers are Python ints, others float64, and `UNLIMITED` stands for no upper bound.
    """


UNLIMITED = 2**200
"""Stands for "no upper bound" in the arrays of `corners`: sums and products of it stay above every type's range."""


def _wide(array: Array) -> Array:
    if array.dtype.kind not in "iu":
        return np.clip(array.astype(np.float64), -float(UNLIMITED), float(UNLIMITED))
    wide = array.astype(object)
    if array.dtype.itemsize >= 4:
        wide[array == np.iinfo(array.dtype).max] = UNLIMITED
    return wide


def _without_limit(unlimited: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return the bounds, widened as in OpenVINO where an operand has no upper bound."""
    return np.where(unlimited, np.minimum(lower, 0), lower), np.where(unlimited, UNLIMITED, upper)


def _narrow(array: Array, dtype: np.dtype[Any]) -> Array:
    if dtype.kind not in "iu":
        with np.errstate(over="ignore"):
            return array.astype(dtype)
    info = np.iinfo(dtype)
    narrow: Array = np.clip(array, info.min, info.max).astype(dtype)
    return narrow


def wrap_low_bits(operation: Operation, array: Array) -> Array:
    """Return integers of fewer than eight bits wrapped into their type's range, and other arrays unchanged."""
    if not operation.output_types or not operation.output_types[0].is_low_bit or array.dtype.kind not in "iu":
        return array
    bits = operation.output_types[0].bits
    low: Array = array & (2**bits - 1)
    if not operation.output_types[0].has_sign:
        return low
    half = 2 ** (bits - 1)
    signed: Array = (low ^ half) - half
    return signed


def real_function(function: Callable[[Array], Array], data: Array) -> Array:
    """Return `function` of floats, or of integers in float64, rounded to the nearest, halves to even."""
    if data.dtype.kind not in "iub":
        return function(data)
    return round_half_even(function(data.astype(np.float64)), data.dtype)


def round_half_even(real: Array, dtype: np.dtype[Any]) -> Array:
    """Return the nearest integers, halves to even.

    What a type of 32 or 64 bits cannot hold is converted as in OpenVINO; for smaller types it is an error.
    """
    rounded = np.rint(real)
    if dtype.kind == "b":
        return np.asarray(rounded > 0)
    if dtype.itemsize >= 4:
        whole: Array = truncated(rounded, ElementType.from_dtype(dtype)).astype(dtype)
        return whole
    info = np.iinfo(dtype)
    wrong = ~((rounded >= float(info.min)) & (rounded < 2.0 ** (info.bits - (info.min < 0))))
    if wrong.any():
        raise EvaluationError(f"the result{first_index(wrong)} is {real[wrong].flat[0]}, which {dtype} cannot hold")
    return rounded.astype(dtype)


def first_index(mask: Array) -> str:
    """Return the position of the first true element as `[1, 2]`; nothing for a scalar."""
    index = np.argwhere(mask)[0].tolist()
    return f"[{', '.join(map(str, index))}]" if index else ""
