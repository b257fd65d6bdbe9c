"""ReverseSequence: reverse the beginning of each sequence. Specification: movement/ReverseSequence-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, require_rank
from ir_plugin.tensors import Array, TensorInfo


class ReverseSequence(Operation, version=1):
    """Reverse the first `seq_lengths[i]` elements along `seq_axis` for each index i of `batch_axis`.

    A length outside [0, length of the axis] is an error that names its position.
    Specification: movement/ReverseSequence-1.
    """

    widen = False

    batch_axis: int
    seq_axis: int

    def infer(self, data: TensorInfo, seq_lengths: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("seq_lengths", seq_lengths, "number")
        require_rank("seq_lengths", seq_lengths.shape, 1)
        shape, lengths = data.shape, seq_lengths.shape
        if shape.dims is None:
            return data.with_shape(shape)
        if len(shape) < 2:
            raise ShapeError("data", f"data has the shape {shape}; its rank must be at least 2")
        batch = normalize_axis("batch_axis", self.batch_axis, len(shape))
        normalize_axis("seq_axis", self.seq_axis, len(shape))
        if lengths.dims is None:
            return data.with_shape(shape)
        agreed = shape[batch].merge(lengths[0])
        if agreed is None:
            raise ShapeError(
                "seq_lengths",
                f"seq_lengths holds {lengths[0]} values; dimension {batch} of data {shape} is {shape[batch]}",
            )
        return data.with_shape(shape.replace(batch, agreed))

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the lengths."""
        return {1: Range(1, inputs.length(0, self.seq_axis))}

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range for the elements that the outputs consist of."""
        return {0: needed}

    def evaluate(self, data: Array, seq_lengths: Array) -> Array:
        """Return the reversed sequences."""
        batch, sequence = self.batch_axis % data.ndim, self.seq_axis % data.ndim
        longest = data.shape[sequence]
        lengths = seq_lengths.astype(np.int64)
        require_inside(lengths, 0, longest, "seq_lengths", f" of axis {sequence} of data {list(data.shape)}")
        lengths = lengths.reshape([-1 if axis == batch else 1 for axis in range(data.ndim)])
        positions = np.arange(longest).reshape([-1 if axis == sequence else 1 for axis in range(data.ndim)])
        return np.take_along_axis(data, np.where(positions < lengths, lengths - 1 - positions, positions), sequence)
