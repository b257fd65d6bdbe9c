"""ScatterElementsUpdate: replace or reduce single elements at indices along one axis.

Specification: movement/ScatterElementsUpdate-12, ScatterElementsUpdate-3.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, note_type, require_type
from ir_plugin.operations.elementwise import wrap_low_bits
from ir_plugin.operations.indices import require_inside, wrapped
from ir_plugin.operations.movement.scattering import scatter
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.operations.traits import DataInputs
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo


class ScatterElementsUpdate(Operation, version=12):
    """Apply each element of `updates` to a copy of `data` at its own position, with its index along `axis`.

    `indices` and `updates` have the same shape, which is at most as long as `data` along the other axes. `reduction` is
    none (the last of equal indices wins), sum, prod, min, max or mean (integers are rounded down). Without
    `use_init_val` the reduction ignores the elements of `data`. Sum and prod of booleans are logical or and and. An
    index in [-d, -1] counts from the end; one outside [-d, d-1] is an error that names its position and value.

    OpenVINO's CPU differs: means of integers are rounded towards zero.
    Example: the mean of -1 and -2 of i32 is -2; the CPU gives -1.

    Specification: movement/ScatterElementsUpdate-12.

    Differs from the page: `indices` may be boolean.
    Example: The index true is 1.
    """

    traits = (DataInputs(3),)
    needs_values = (3,)

    reduction: str
    use_init_val: bool

    def infer(self, data: TensorInfo, indices: TensorInfo, updates: TensorInfo, axis: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("indices", indices, "integer", accepted=("integer", "boolean"))
        require_type("axis", axis, "integer")
        element_type = merge_types(data, updates, part="updates")
        self._check_reduction(element_type)
        position = scalar_of("axis", axis)
        shape = indices.shape.merge(updates.shape)
        if shape is None:
            raise ShapeError(
                "updates", f"updates {updates.shape} and indices {indices.shape} differ; they must have the same shape"
            )
        if data.shape.dims is not None:
            if shape.ndim not in (None, len(data.shape)):
                raise ShapeError(
                    "indices",
                    f"indices {shape} has the rank {shape.ndim}, and data {data.shape} the rank {len(data.shape)}; "
                    "they must be equal",
                )
            if position is not None:
                self._check_lengths(data.shape, shape, normalize_axis("axis", position, len(data.shape)))
        return TensorInfo(element_type, data.shape)

    def _check_reduction(self, element_type: ElementType) -> None:
        if self.reduction == "none":
            return
        if element_type.kind == "string" or (element_type.kind == "bool" and self.reduction == "mean"):
            raise ShapeError(
                "reduction", f"reduction {self.reduction} is not defined for the element type {element_type.name}"
            )

    def _check_lengths(self, data: PartialShape, indices: PartialShape, axis: int) -> None:
        for dimension, (data_dim, index_dim) in enumerate(zip(data, indices.dims or (), strict=False)):
            if dimension != axis and index_dim.lower > data_dim.upper:
                raise ShapeError(
                    "indices", f"dimension {dimension} of indices {indices} is longer than the dimension of data {data}"
                )

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the indices and of the axis."""
        return {1: Range.below(inputs.length(0, inputs.scalar(3))), 3: Range.below(inputs.rank(0))}

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range for the elements that the outputs consist of."""
        return dict.fromkeys((0, 2), needed)

    def evaluate(self, data: Array, indices: Array, updates: Array, axis: Array) -> Array:
        """Return the updated copy."""
        position = int(axis.reshape(-1)[0])
        position += data.ndim if position < 0 else 0
        length = data.shape[position]
        where = f" of axis {position} of data {list(data.shape)}"
        require_inside(indices, -length, length - 1, of=where)
        positions = np.zeros(indices.shape, np.int64)
        for dimension, size in enumerate(data.shape):
            coordinates = np.arange(indices.shape[dimension]).reshape([-1] + [1] * (data.ndim - dimension - 1))
            positions = positions * size + (wrapped(indices, length) if dimension == position else coordinates)
        result: Array = data.copy()
        scatter(result.reshape(-1), positions.reshape(-1), updates.reshape(-1), self.reduction, self.use_init_val)
        return wrap_low_bits(self, result)


class ScatterElementsUpdate3(ScatterElementsUpdate, version=3):
    """As ScatterElementsUpdate-12, but without reductions. Specification: movement/ScatterElementsUpdate-3.

    Differs from the page: an index in [-d, -1] counts from the end of the axis of length d.
    Example: the index -1 of 3 elements is the last one.
    """

    widen = False
    carriers = (0, 2)
    reduction = "none"
    use_init_val = True
