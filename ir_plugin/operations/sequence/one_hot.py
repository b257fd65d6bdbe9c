"""OneHot: encode indices as one-hot vectors. Specification: sequence/OneHot-16, OneHot-1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, note_type, require_type
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, require_rank, unbounded
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import UNBOUNDED, Array, Dimension, PartialShape, TensorInfo


class OneHot(Operation, version=16):
    """Insert `axis` of length `depth`, on which the element at the index is `on_value` and all others are `off_value`.

    An index of at least `depth` gives no `on_value`. Nor does a negative index, unless `negative_indices_mode` is
    normalize: then an index in [-depth, -1] counts from the end. The specification spells the other mode
    `ignore-negative`, OpenVINO reads only `ignore_negative`.
    """

    traits = (ValueInputs((1,)),)
    needs_values = (1,)
    widen = False

    axis: int
    negative_indices_mode: str

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the axis, counted from the front."""
        rank = inputs[0].shape.ndim
        return {} if rank is None or self.axis >= 0 else {"axis": self.axis + rank + 1}

    def infer(self, indices: TensorInfo, depth: TensorInfo, on_value: TensorInfo, off_value: TensorInfo) -> TensorInfo:
        """Return the type of the two values and the shape of `indices` with the new axis."""
        note_type("indices", indices, "integer", accepted=("integer", "boolean"))
        require_type("depth", depth, "integer")
        for part, scalar in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
            require_rank(part, scalar.shape, 0)
        element_type = merge_types(on_value, off_value, part="off_value")
        length = self._length(depth)
        if indices.shape.ndim is None:
            return TensorInfo(element_type, None)
        axis = normalize_axis("axis", self.axis, indices.shape.ndim + 1)
        return TensorInfo(element_type, indices.shape[:axis] + PartialShape([length]) + indices.shape[axis:])

    def _length(self, depth: TensorInfo) -> Dimension:
        if depth.bounds is None:
            return Dimension()
        lower, upper = (int(bound.reshape(())) for bound in depth.bounds)
        if upper < 0:
            raise ShapeError("depth", f"depth is {upper}; it must be positive")
        is_unbounded = lower < upper == unbounded(depth.bounds.upper.dtype)
        return Dimension.between(lower, UNBOUNDED if is_unbounded else upper)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the indices and of the depth."""
        return {0: Range.below(inputs.scalar(1) or 1), 1: Range(1, 16)}

    def evaluate(self, indices: Array, depth: Array, on_value: Array, off_value: Array) -> Array:
        """Return the vectors."""
        length = int(depth.reshape(()))
        if length < 0:
            raise EvaluationError(f"depth is {length}; it must be positive")
        lowest = -length if self.negative_indices_mode == "normalize" else 0
        inside = indices < length
        if indices.dtype.kind == "i":
            inside &= indices >= lowest
        position = indices[inside].astype(np.int64)
        position[position < 0] += length
        rows = np.full((indices.size, length), off_value)
        rows[np.flatnonzero(inside), position] = on_value
        return np.moveaxis(rows.reshape(*indices.shape, length), -1, self.axis)


class OneHot1(OneHot, version=1):
    """As OneHot-16, but without `negative_indices_mode`: negative indices, which are unspecified, are ignored."""

    negative_indices_mode = "ignore_negative"
