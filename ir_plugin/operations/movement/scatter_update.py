"""ScatterUpdate: replace slices along one axis. Specification: movement/ScatterUpdate-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.indices import require_inside, wrapped
from ir_plugin.operations.movement.scattering import scatter
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.operations.traits import DataInputs
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class ScatterUpdate(Operation, version=3):
    """Replace the slices along `axis` at `indices` in a copy of `data` by `updates`; the last of equal indices wins.

    `updates` has the shape `data.shape[:axis] + indices.shape + data.shape[axis + 1:]`. An index outside [0, d-1] is an
    error that names its position and value; OpenVINO's CPU counts a negative one from the end.
    Specification: movement/ScatterUpdate-3.
    """

    traits = (DataInputs(3),)
    needs_values = (3,)
    widen = False
    carriers = (0, 2)

    def infer(self, data: TensorInfo, indices: TensorInfo, updates: TensorInfo, axis: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("indices", indices, "integer")
        require_type("axis", axis, "integer")
        element_type = merge_types(data, updates, part="updates")
        position = scalar_of("axis", axis)
        if data.shape.dims is not None and position is not None:
            position = normalize_axis("axis", position, len(data.shape))
            self._check(data.shape, indices.shape, updates.shape, position)
        return TensorInfo(element_type, data.shape)

    def _check(self, data: PartialShape, indices: PartialShape, updates: PartialShape, axis: int) -> None:
        expected = data[:axis] + indices + data[axis + 1 :]
        if not expected.compatible(updates):
            raise ShapeError(
                "updates",
                f"updates has the shape {updates}; data {data} and indices {indices} along axis {axis} need {expected}",
            )

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the indices and of the axis."""
        return {1: Range.below(inputs.length(0, inputs.scalar(3))), 3: Range.below(inputs.rank(0))}

    def evaluate(self, data: Array, indices: Array, updates: Array, axis: Array) -> Array:
        """Return the updated copy."""
        position = int(axis.reshape(-1)[0])
        position += data.ndim if position < 0 else 0
        length = data.shape[position]
        require_inside(indices, 0, length - 1, of=f" of axis {position} of data {list(data.shape)}")
        result: Array = data.copy()
        positions = wrapped(indices, length).reshape(-1)
        slices = np.moveaxis(result, position, 0)
        moved = np.moveaxis(updates, range(position, position + indices.ndim), range(indices.ndim))
        scatter(slices, positions, moved.reshape(positions.size, *slices.shape[1:]))
        return result
