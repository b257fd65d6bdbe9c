"""CumSum: sums of all elements up to each one. Specification: arithmetic/CumSum-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.tensors import Array, TensorInfo


class CumSum(Operation, version=3):
    """Sums along `axis` (0 where it is not connected) of the elements up to each one, or before it if `exclusive`.

    With `reverse` the sums start at the end of the axis. Whole numbers wrap; floats of 16 bits are added up in f32.

    Differs from the page: `data` may be boolean, where a sum is whether any element is true.
    Example: [false, true, false] gives [false, true, true]; the page has numbers only.
    """

    exclusive: bool
    reverse: bool

    def infer(self, data: TensorInfo, axis: TensorInfo | None = None) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "number")
        if axis is not None:
            require_type("axis", axis, "integer")
            position = scalar_of("axis", axis)
            if position is not None and data.shape.ndim is not None:
                normalize_axis("axis", position, data.shape.ndim)
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array, axis: Array | None = None) -> Array:
        """Return the sums."""
        position = normalize_axis("axis", 0 if axis is None else int(axis.reshape(-1)[0]), data.ndim)
        source = np.flip(data, position) if self.reverse else data
        sums: Array = np.cumsum(source, axis=position, dtype=data.dtype)
        if self.exclusive:
            sums = _shifted(sums, position)
        return np.flip(sums, position) if self.reverse else sums


def _shifted(sums: Array, axis: int) -> Array:
    """Return the sums moved on by one element, the first of them 0."""
    shifted = np.zeros_like(sums)
    moved, source = np.moveaxis(shifted, axis, 0), np.moveaxis(sums, axis, 0)
    moved[1:] = source[:-1]
    return shifted
