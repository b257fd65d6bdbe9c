"""Unsqueeze: insert dimensions of length 1. Specification: shape/Unsqueeze-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, note_repeated, values_of
from ir_plugin.tensors import Array, Dimension, TensorInfo


class Unsqueeze(Operation, version=1):
    """Insert dimensions of length 1 at `axes` of the output.

    Differs from the page: `axes` may be floats, which are cut to whole numbers.
    Example: `axes` [1.0] names axis 1.

    Differs from the page: an axis may be repeated, for which one dimension is inserted.
    Example: `axes` [0, 0] of data [2, 3] gives [1, 2, 3].
    """

    needs_values = (1,)
    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape with the new dimensions."""
        note_type("axes", axes, "integer", accepted=("number",))
        if axes.shape.ndim is not None and axes.shape.ndim > 1:
            raise ShapeError("axes", f"axes has the shape {axes.shape}; it must be a scalar or 1-D")
        if axes.shape.size == 0:
            raise ShapeError("axes", "axes is empty; it must name at least one dimension to insert")
        values = values_of(axes)
        if data.shape.dims is None or values is None:
            return data.with_shape(None)
        inserted = inserted_axes(values, len(data.shape))
        if len(inserted) != len(values):
            note_repeated("axes", values)
        dims = iter(data.shape)
        rank = len(data.shape) + len(inserted)
        return data.with_shape([Dimension(1) if i in inserted else next(dims) for i in range(rank)])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: Range.below(inputs.rank(0) + inputs.length(1, 0), distinct=True)}

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the data with the new dimensions."""
        return np.expand_dims(data, inserted_axes([int(value) for value in axes.reshape(-1)], data.ndim))


def inserted_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return the axes of the output at which data of this rank gets new dimensions.

    An axis counts from the front or the end of a shape with a dimension for each distinct number, as in OpenVINO.
    """
    widest = rank + len(set(axes))
    distinct = sorted({normalize_axis("axes", axis, widest) for axis in axes})
    last = rank + len(distinct) - 1
    return tuple(min(axis, last) for axis in distinct)
