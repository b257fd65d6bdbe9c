"""Reverse: reverse the order of elements along axes. Specification: movement/Reverse-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.operations.shapes import distinct_axes, require_rank, values_of
from ir_plugin.tensors import Array, TensorInfo


class Reverse(Operation, version=1):
    """Reverse `data` along the axes that `axis` lists (mode index) or marks as true (mode mask).

    Specification: movement/Reverse-1.

    Differs from the page: an axis may be repeated, which counts once.
    Example: `axis` [0, 0] is `axis` [0].
    """

    needs_values = (1,)
    widen = False
    carriers = (0,)

    mode: str

    def infer(self, data: TensorInfo, axis: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("axis", axis, "boolean" if self.mode == "mask" else "integer")
        require_rank("axis", axis.shape, 1)
        rank, listed = data.shape.ndim, axis.shape[0]
        if rank is not None and self.mode == "mask" and not listed.contains(rank):
            raise ShapeError("axis", f"axis holds {listed} values; as a mask of data {data.shape} it must hold {rank}")
        axes = values_of(axis)
        if rank is not None and axes is not None and self.mode == "index":
            distinct_axes("axis", axes, rank)
        return data.with_shape(data.shape)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: inputs.axes(0)} if self.mode == "index" else {}

    def evaluate(self, data: Array, axis: Array) -> Array:
        """Return a view of `data`."""
        axes = np.flatnonzero(axis) if self.mode == "mask" else np.unique(axis.astype(np.int64) % max(data.ndim, 1))
        return np.flip(data, tuple(axes.tolist()))
