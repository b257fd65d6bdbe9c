"""CTCGreedyDecoderSeqLen: decode the most probable classes. Specification: sequence/CTCGreedyDecoderSeqLen-6."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.sequence.ctc import decode
from ir_plugin.operations.sequence.recurrent import merge_dims
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, ElementType, TensorInfo


class CTCGreedyDecoderSeqLen(Operation, version=6):
    """Return the classes [N, T] of the best paths through `data` [N, T, C], padded with -1, and their numbers [N].

    The blank is the class `blank_index`, by default the last. A `sequence_length` outside [0, T] is an error.

    Differs from the page: `data` may have an integer or boolean type. Example: the best of [1, 4] of i32 is class 1.
    """

    needs_values = (2,)

    merge_repeated: bool
    classes_index_type: ElementType
    sequence_length_type: ElementType

    def infer(
        self, data: TensorInfo, sequence_length: TensorInfo, blank_index: TensorInfo | None = None
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the index types with one class per step and one length per sequence."""
        note_type("data", data, "float")
        require_type("sequence_length", sequence_length, "integer")
        require_rank("data", data.shape, 3)
        require_rank("sequence_length", sequence_length.shape, 1)
        if blank_index is not None:
            require_type("blank_index", blank_index, "integer")
            require_rank("blank_index", blank_index.shape, 0, 1)
            scalar_of("blank_index", blank_index)
        batch = merge_dims("the batch size", data=data.shape[0], sequence_length=sequence_length.shape[0])
        classes = TensorInfo(self.classes_index_type, [batch, data.shape[1]])
        return classes, TensorInfo(self.sequence_length_type, [batch])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the sequence lengths."""
        return {1: Range(1, inputs.length(0, 1))}

    def evaluate(self, data: Array, sequence_length: Array, blank_index: Array | None = None) -> tuple[Array, Array]:
        """Return the classes and their numbers."""
        _, time, count = data.shape
        require_inside(sequence_length, 0, time, "sequence_length", f" of {time} time steps")
        blank = count - 1 if blank_index is None else int(blank_index.reshape(()))
        present = np.arange(time) < sequence_length.reshape(-1, 1)
        return decode(data.argmax(axis=2), present, blank, self.merge_repeated)
