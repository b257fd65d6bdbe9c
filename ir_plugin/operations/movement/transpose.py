"""Transpose: permute the dimensions. Specification: movement/Transpose-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.operations.shapes import require_rank, values_of
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class Transpose(Operation, version=1):
    """Permute the dimensions of `arg`: output dimension i is dimension `input_order[i]`; an empty order reverses them.

    Specification: movement/Transpose-1.
    """

    needs_values = (1,)
    widen = False
    carriers = (0,)

    def infer(self, arg: TensorInfo, input_order: TensorInfo) -> TensorInfo:
        """Return the type of `arg` and the permuted dimensions."""
        require_type("input_order", input_order, "integer")
        require_rank("input_order", input_order.shape, 1)
        shape, order = arg.shape, values_of(input_order)
        if order is None:
            return arg.with_shape(self._of_unknown_order(shape, input_order.shape))
        rank = len(order) or shape.ndim
        if shape.ndim is not None and rank != shape.ndim:
            raise ShapeError(
                "input_order", f"input_order holds {len(order)} values; arg {shape} has the rank {len(shape)}"
            )
        _check_order(order)
        if shape.dims is None:
            return arg.with_shape(PartialShape.dynamic(rank))
        return arg.with_shape([shape[axis] for axis in order] if order else list(shape)[::-1])

    def _of_unknown_order(self, shape: PartialShape, order: PartialShape) -> PartialShape:
        length = None if order.dims is None or order[0].is_dynamic else int(order[0])
        if shape.ndim is not None and length not in (None, 0, shape.ndim):
            raise ShapeError("input_order", f"input_order holds {length} values; arg {shape} has the rank {shape.ndim}")
        return PartialShape.dynamic(shape.ndim)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: inputs.axes(0)}

    def evaluate(self, arg: Array, input_order: Array) -> Array:
        """Return a view of `arg`."""
        order = input_order.tolist()
        _check_order(order)
        return np.transpose(arg, order or None)


def _check_order(order: Sequence[int]) -> None:
    if order and sorted(order) != list(range(len(order))):
        raise ShapeError(
            "input_order", f"input_order {list(order)} is not a permutation of the dimensions 0 to {len(order) - 1}"
        )
