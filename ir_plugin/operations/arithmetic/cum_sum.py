"""CumSum: sums of all elements up to each one. Specification: arithmetic/CumSum-3."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import axis_or_scalar, scalar_of
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, TensorInfo


class Cumulative(Operation):
    """The base of CumSum-3 and of the extension's CumProd."""

    ufunc: ClassVar[np.ufunc]
    exclusive: bool
    reverse: bool

    def _inferred(self, data: TensorInfo, axis: TensorInfo | None) -> TensorInfo:
        if axis is not None:
            require_type("axis", axis, "integer")
            position = scalar_of("axis", axis)
            if position is not None and data.shape.ndim is not None:
                axis_or_scalar("axis", position, data.shape.ndim)
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array, axis: Array | None = None) -> Array:
        """Return the results of `ufunc` for all elements up to each one."""
        position = axis_or_scalar("axis", 0 if axis is None else int(axis.reshape(-1)[0]), data.ndim)
        if data.ndim == 0:
            return np.full_like(data, self.ufunc.identity) if self.exclusive else data
        source = np.flip(data, position) if self.reverse else data
        results: Array = self.ufunc.accumulate(source, axis=position, dtype=data.dtype)
        if self.exclusive:
            results = self._shifted(results, position)
        return np.flip(results, position) if self.reverse else results

    def _shifted(self, results: Array, axis: int) -> Array:
        """Return the results shifted by one element along `axis`; the first is the identity of the sum or product."""
        shifted = np.full_like(results, self.ufunc.identity)
        moved, source = np.moveaxis(shifted, axis, 0), np.moveaxis(results, axis, 0)
        moved[1:] = source[:-1]
        return shifted


class CumSum(Cumulative, version=3):
    """Sums along `axis` (0 where it is not connected) of the elements up to each one, or before it if `exclusive`.

    With `reverse` the sums start at the end of the axis. Whole numbers wrap; floats of 16 bits are added up in f32.

    Differs from the page: `data` may be boolean, where a sum is whether any element is true.
    Example: [false, true, false] gives [false, true, true]; the page has numbers only.

    Differs from the page: a scalar may have the axis 0 or -1. Example: 2.5 gives 2.5, and 0 with `exclusive`.
    """

    ufunc = np.add

    traits = (Along(1),)
    needs_values = (1,)

    def infer(self, data: TensorInfo, axis: TensorInfo | None = None) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "number")
        return self._inferred(data, axis)

    def ranges_for(self, needed: Range, inputs: KnownInputs) -> Ranges:
        """Return the range for elements whose sums are in a range."""
        low = max(needed.low, 0)
        return {0: Range(low, max(needed.high // inputs.length(0, inputs.scalar(1)), low))}
