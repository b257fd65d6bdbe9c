"""Tile: repeat data along its axes. Specification: movement/Tile-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.movement.targets import dimensions_of
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, Dimension, TensorInfo


class Tile(Operation, version=1):
    """Repeat `data` `repeats[i]` times along axis i; the shorter of shape and repeats is padded with leading ones.

    Negative repeats count as 0, as in OpenVINO. Specification: movement/Tile-1.
    """

    traits = (ValueInputs((1,)),)
    needs_values = (1,)
    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo, repeats: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the product of shape and repeats."""
        require_type("repeats", repeats, "integer")
        require_rank("repeats", repeats.shape, 1)
        times = dimensions_of("repeats", repeats)
        if data.shape.dims is None or times is None:
            return data.with_shape(None)
        rank = max(len(data.shape), len(times))
        ones = (Dimension(1),)
        lengths = ones * (rank - len(data.shape)) + data.shape.dims
        counts = ones * (rank - len(times)) + times
        return data.with_shape([length * count for length, count in zip(lengths, counts, strict=True)])

    def evaluate(self, data: Array, repeats: Array) -> Array:
        """Return the repeated data."""
        counts = [max(count, 0) for count in repeats.tolist()]
        rank = max(data.ndim, len(counts))
        counts = [1] * (rank - len(counts)) + counts
        lengths = [1] * (rank - data.ndim) + list(data.shape)
        interleaved = data.reshape([length for pair in zip([1] * rank, lengths, strict=True) for length in pair])
        spread = np.broadcast_to(interleaved, [length for pair in zip(counts, lengths, strict=True) for length in pair])
        return spread.reshape([count * length for count, length in zip(counts, lengths, strict=True)])
