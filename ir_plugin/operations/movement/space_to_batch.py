"""SpaceToBatch: move blocks of the spatial axes into the batch. Specification: movement/SpaceToBatch-2."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.indices import zeros
from ir_plugin.operations.movement.batch_to_space import block_values
from ir_plugin.operations.movement.division import divided
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class SpaceToBatch(Operation, version=2):
    """Rearrange zero-padded `data` [batch, D1 …] as [batch * prod(block_shape), (D1 + pads) / block_shape[1] …].

    The position within a block is the outer part of the batch index. Specification: movement/SpaceToBatch-2.
    """

    traits = (ValueInputs((1, 2, 3)),)
    needs_values = (1, 2, 3)
    widen = False
    carriers = (0,)

    def infer(
        self, data: TensorInfo, block_shape: TensorInfo, pads_begin: TensorInfo, pads_end: TensorInfo
    ) -> TensorInfo:
        """Return the type of `data` and the shape with more batches."""
        inputs = {"block_shape": block_shape, "pads_begin": pads_begin, "pads_end": pads_end}
        blocks, begins, ends = block_values(data.shape, inputs)
        if data.shape.dims is None or blocks is None:
            return data.with_shape(PartialShape.dynamic(data.shape.ndim))
        batch = data.shape[0] * prod(blocks)
        if begins is None or ends is None:
            return data.with_shape([batch, *(Dimension() for _ in data.shape[1:])])
        dims = [batch]
        for axis in range(1, len(blocks)):
            padded = data.shape[axis] + (begins[axis] + ends[axis])
            part = divided(padded, blocks[axis])
            if part is None:
                raise ShapeError(
                    "block_shape",
                    f"block_shape[{axis}] is {blocks[axis]}, which does not divide the padded length {padded}",
                )
            dims.append(part)
        return data.with_shape(dims)

    def input_ranges(self, _: KnownInputs) -> Ranges:
        """Return ranges of the block's lengths, 1, and of the pads, 0, with which the data does not change."""
        return {1: Range(1, 1), 2: Range(0, 0), 3: Range(0, 0)}

    def evaluate(self, data: Array, block_shape: Array, pads_begin: Array, pads_end: Array) -> Array:
        """Return the rearranged data."""
        blocks, begins, ends = block_shape.tolist(), pads_begin.tolist(), pads_end.tolist()
        lengths = tuple(n + begin + end for n, begin, end in zip(data.shape, begins, ends, strict=True))
        padded = data
        if lengths != data.shape:
            padded = zeros(lengths, data.dtype)
            padded[tuple(slice(begin, begin + n) for n, begin in zip(data.shape, begins, strict=True))] = data
        parts = [length // block for length, block in zip(lengths, blocks, strict=True)]
        blocked = padded.reshape([n for pair in zip(parts, blocks, strict=True) for n in pair])
        order = [*range(1, 2 * data.ndim, 2), *range(0, 2 * data.ndim, 2)]
        moved = np.transpose(blocked, order)
        return moved.reshape([prod(blocks) * parts[0], *parts[1:]])
