"""Operations on each element alone: what unary and binary ones share in all families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import broadcast_by, expand_pdpd
from ir_plugin.tensors import Array, Bounds, ElementType, Tensor


class Unary(Operation):
    """A function of each element; type and shape stay."""

    kinds: ClassVar[Sequence[str]] = ("number",)
    """Element types of the input, as `checks.is_kind` names them."""
    ufunc: ClassVar[Callable[..., Any]]

    def infer(self, data: Tensor) -> Tensor:
        """Return the input's type and shape."""
        require_type("data", data, *self.kinds)
        return Tensor(data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the function of every element."""
        result: Array = type(self).ufunc(data)
        return result


def _nothing(*_: Array) -> None:
    """Say nothing of the interval of results."""


class Binary(Operation):
    """A function of two elements; shapes are broadcast as `auto_broadcast` says, types are equal."""

    kinds: ClassVar[Sequence[str]] = ("number",)
    """Element types of the inputs, as `checks.is_kind` names them."""
    ufunc: ClassVar[Callable[..., Any]]
    result_type: ClassVar[ElementType | None] = None
    """Element type of the output; None for that of the inputs."""

    auto_broadcast: str

    def infer(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the common type and the broadcast shape."""
        require_type("input 0", a, *self.kinds)
        require_type("input 1", b, *self.kinds)
        merged = merge_types(a, b)
        return Tensor(self.result_type or merged, broadcast_by(self.auto_broadcast, a.shape, b.shape))

    def evaluate(self, a: Array, b: Array) -> Array:
        """Return the function of every pair of elements."""
        if self.auto_broadcast == "pdpd":
            b = expand_pdpd(b, a.ndim)
        return self.apply(a, b)

    def apply(self, a: Array, b: Array) -> Array:
        """Return the function of two arrays that broadcast as NumPy's do."""
        result: Array = type(self).ufunc(a, b)
        return result

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the interval of results, for integers computed without overflow."""
        a, b = inputs
        if a is None or b is None or (a.is_exact and b.is_exact) or a.lower.dtype.kind not in "iu":
            return super().infer_bounds(*inputs)
        corners = self.corners(*(_wide(array) for array in (*a, *b)))
        if corners is None:
            return []
        info = np.iinfo(a.lower.dtype)
        return [Bounds(*(_narrow(array, info) for array in corners))]

    corners: Callable[..., tuple[Array, Array] | None] = staticmethod(_nothing)
    """Smallest and largest results of operands in [a, a_max] and [b, b_max], arrays of Python ints; None if unknown."""


UNLIMITED = 2**200
"""Stands for "no upper bound" in arrays of Python ints, so that sums and products stay above every type's range."""


def _wide(array: Array) -> Array:
    wide = array.astype(object)
    wide[array == np.iinfo(array.dtype).max] = UNLIMITED
    return wide


def _narrow(array: Array, info: np.iinfo[Any]) -> Array:
    narrow: Array = np.clip(np.asarray(array, object), info.min, info.max).astype(info.dtype)
    return narrow
