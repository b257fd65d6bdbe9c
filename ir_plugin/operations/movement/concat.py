"""Concat: join tensors along an axis. Specification: movement/Concat-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class Concat(Operation, version=1):
    """Join all inputs along `axis`; their other dimensions are equal.

    Specification: movement/Concat-1.
    """

    widen = False
    carriers = "all"

    axis: int

    def infer(self, *inputs: TensorInfo) -> TensorInfo:
        """Return the common type and the shape with the lengths along `axis` added."""
        element_type = merge_types(*inputs)
        if not inputs:
            raise ShapeError("", "there are no inputs to concatenate")
        ranks = [tensor.shape.ndim for tensor in inputs if tensor.shape.ndim is not None]
        if not ranks:
            return TensorInfo(element_type, None)
        for position, tensor in enumerate(inputs):
            if tensor.shape.ndim not in (None, ranks[0]):
                raise ShapeError(
                    f"input {position}",
                    f"input {position} has the shape {tensor.shape}, others have the rank {ranks[0]}; "
                    "all ranks must be equal",
                )
        if ranks[0] == 0:
            raise ShapeError("", "the inputs are scalars; they must have at least one dimension")
        return TensorInfo(element_type, self._shape([tensor.shape for tensor in inputs], ranks[0]))

    def _shape(self, shapes: list[PartialShape], rank: int) -> PartialShape:
        axis = normalize_axis("axis", self.axis, rank)
        total, merged = Dimension(0), PartialShape.dynamic(rank)
        for position, shape in enumerate(shapes):
            total = total + (shape[axis] if shape.dims is not None else Dimension())
            agreed = merged if shape.dims is None else merged.merge(shape.replace(axis, Dimension()))
            if agreed is None:
                raise ShapeError(
                    f"input {position}",
                    f"input {position} has the shape {shape}, those before {merged}; "
                    f"they must be equal except along axis {axis}",
                )
            merged = agreed
        return merged.replace(axis, total)

    def evaluate(self, *inputs: Array) -> Array:
        """Return the joined tensors."""
        return np.concatenate(inputs, axis=self.axis)
