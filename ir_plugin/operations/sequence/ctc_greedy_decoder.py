"""CTCGreedyDecoder: decode the most probable classes of sequences. Specification: sequence/CTCGreedyDecoder-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.sequence.ctc import decode
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, TensorInfo


class CTCGreedyDecoder(Operation, version=1):
    """Return the classes [N, T, 1, 1] of the best paths through `data` [T, N, C], as floats, padded with -1.

    The last class is the blank. A sequence ends at the first 0 of `sequence_mask` [T, N].

    Differs from the page: inputs may have integer or boolean types, which may differ.
    Example: i32 `data` give i32 classes, with a warning; the page has floating-point types only.
    """

    ctc_merge_repeated: bool

    def infer(self, data: TensorInfo, sequence_mask: TensorInfo) -> TensorInfo:
        """Return the type of `data` and one element per step."""
        note_type("data", data, "float")
        note_type("sequence_mask", sequence_mask, "float")
        require_rank("data", data.shape, 3)
        require_rank("sequence_mask", sequence_mask.shape, 2)
        merged = data.shape[:2].merge(sequence_mask.shape)
        if merged is None:
            raise ShapeError(
                "sequence_mask", f"sequence_mask has the shape {sequence_mask.shape}; data begins with {data.shape[:2]}"
            )
        return data.with_shape([merged[1], merged[0], 1, 1])

    def evaluate(self, data: Array, sequence_mask: Array) -> Array:
        """Return the classes."""
        classes = data.argmax(axis=2).T
        present = np.logical_and.accumulate(sequence_mask.T != 0, axis=1)
        decoded, _ = decode(classes, present, data.shape[2] - 1, self.ctc_merge_repeated)
        return decoded[:, :, None, None].astype(data.dtype)
