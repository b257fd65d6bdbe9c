"""Select: elements of one tensor or another. Specification: condition/Select-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import broadcast, broadcast_by, broadcast_pdpd, expand_pdpd
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, Bounds, PartialShape, TensorInfo


class Select(Operation, version=1):
    """The elements of `then` where `cond` is true, of `otherwise` elsewhere.

    With numpy's rule all three are broadcast to one another; with pdpd's, `cond` and `otherwise` to `then`.
    """

    traits = (Elementwise(),)
    widen = False
    carriers = (1, 2)

    auto_broadcast: str
    auto_broadcast_axis: int

    def infer(self, cond: TensorInfo, then: TensorInfo, otherwise: TensorInfo) -> TensorInfo:
        """Return the common type of both tensors and the broadcast shape."""
        require_type("cond", cond, "boolean")
        if then.element_type.merge(otherwise.element_type) is None:
            raise ShapeError(
                "else", f"then has the element type {then.element_type.name}, else {otherwise.element_type.name}"
            )
        return TensorInfo(merge_types(then, otherwise), self._shape(cond.shape, then.shape, otherwise.shape))

    def _shape(self, cond: PartialShape, then: PartialShape, otherwise: PartialShape) -> PartialShape:
        if self.auto_broadcast == "numpy":
            both = broadcast(then, otherwise, ("then", "else"))
            return broadcast(both, cond, ("then and else", "cond"))
        if self.auto_broadcast == "pdpd":
            fitted = broadcast_pdpd(then, otherwise, self.auto_broadcast_axis)
            return broadcast_pdpd(fitted, cond, self.auto_broadcast_axis)
        return broadcast_by("none", broadcast_by("none", then, otherwise), cond)

    def evaluate(self, cond: Array, then: Array, otherwise: Array) -> Array:
        """Return the selected elements."""
        if self.auto_broadcast == "pdpd":
            otherwise = expand_pdpd(otherwise, then.ndim, self.auto_broadcast_axis)
            cond = expand_pdpd(cond, then.ndim, self.auto_broadcast_axis)
        return np.where(cond, then, otherwise)

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the bounds of the selected elements, where the condition is known."""
        cond, then, otherwise = inputs
        if cond is None or then is None or otherwise is None or not cond.is_exact:
            return []
        lower = self.evaluate(cond.lower, then.lower, otherwise.lower)
        return [Bounds(lower, self.evaluate(cond.lower, then.upper, otherwise.upper))]
