"""EmbeddingSegmentsSum: sum rows of a table. Specification: sparse/EmbeddingSegmentsSum-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.sparse import bags
from ir_plugin.operations.windows import lengths_from_values
from ir_plugin.tensors import Array, TensorInfo


class EmbeddingSegmentsSum(Operation, version=3):
    """Sum the rows of `emb_table` at the `indices` of each of `num_segments` segments.

    The sorted `segment_ids` are the segments of the indices; an id out of range is an error (OpenVINO ignores it).
    `per_sample_weights` are factors of the rows. An empty segment has the row `default_index`, or zeros.
    """

    needs_values = (3,)

    def infer(
        self,
        emb_table: TensorInfo,
        indices: TensorInfo,
        segment_ids: TensorInfo,
        num_segments: TensorInfo,
        default_index: TensorInfo | None = None,
        per_sample_weights: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the shape of the table with as many rows as there are segments."""
        bags.check(emb_table, indices, 1, per_sample_weights)
        bags.check_like_indices(indices, 1, segment_ids=segment_ids)
        bags.check_like_indices(indices, 0, num_segments=num_segments, default_index=default_index)
        if not indices.shape.compatible(segment_ids.shape):
            raise ShapeError("segment_ids", f"segment_ids {segment_ids.shape} and indices {indices.shape} differ")
        return bags.result(emb_table, lengths_from_values("num_segments", num_segments, 1)[0])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the indices, of the segments and of their number, and of the default index."""
        rows, count = Range.below(inputs.length(0, 0)), inputs.scalar(3)
        segments = Range.below(1 if count is None else count, ascending=True)
        return {1: rows, 2: segments, 3: Range(1, 16), 4: rows}

    def evaluate(
        self,
        emb_table: Array,
        indices: Array,
        segment_ids: Array,
        num_segments: Array,
        default_index: Array | None = None,
        per_sample_weights: Array | None = None,
    ) -> Array:
        """Return the sums."""
        count = int(num_segments.reshape(-1)[0])
        require_inside(segment_ids, 0, count - 1, "segment_ids")
        falls = np.flatnonzero(segment_ids[1:] < segment_ids[:-1])
        if falls.size:
            at = int(falls[0]) + 1
            raise EvaluationError(
                f"segment_ids[{at}] is {segment_ids[at]}, after {segment_ids[at - 1]}; they must be sorted"
            )
        starts = np.searchsorted(segment_ids, np.arange(count))
        lengths = np.bincount(segment_ids, minlength=count)
        empty = bags.default_row(emb_table, default_index)
        return bags.sums(bags.rows(emb_table, indices, per_sample_weights), starts, lengths, empty)
