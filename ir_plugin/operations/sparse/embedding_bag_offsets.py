"""EmbeddingBagOffsets: sum or average rows of a table. Specification: sparse/EmbeddingBagOffsets-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.sparse import bags
from ir_plugin.tensors import Array, TensorInfo


class EmbeddingBagOffsets(Operation, version=15):
    """Sum (or average, by `reduction`) the rows of `emb_table` at the `indices` of each bag.

    Bag i has the indices from offsets[i] to the next offset, or to the end. `per_sample_weights` are factors of the
    rows, for sums only. An empty bag has the row `default_index`, or zeros if that is -1 or not connected. The
    output is [bags, ...].
    """

    reduction: str

    def infer(
        self,
        emb_table: TensorInfo,
        indices: TensorInfo,
        offsets: TensorInfo,
        default_index: TensorInfo | None = None,
        per_sample_weights: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the shape of the table with as many rows as there are bags."""
        bags.check_reduction(self.reduction, per_sample_weights)
        bags.check(emb_table, indices, 1, per_sample_weights)
        bags.check_like_indices(indices, 1, offsets=offsets)
        bags.check_like_indices(indices, 0, default_index=default_index)
        return bags.result(emb_table, offsets.shape[0])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the indices, of the offsets and of the default index."""
        rows = Range.below(inputs.length(0, 0))
        return {1: rows, 2: Range.below(inputs.length(1, 0), ascending=True), 3: rows}

    def evaluate(
        self,
        emb_table: Array,
        indices: Array,
        offsets: Array,
        default_index: Array | None = None,
        per_sample_weights: Array | None = None,
    ) -> Array:
        """Return the sums or means."""
        starts = offsets.astype(np.int64)
        lengths = np.diff(np.append(starts, len(indices)))
        wrong = np.flatnonzero((starts < 0) | (lengths < 0))
        if wrong.size:
            at = int(wrong[0])
            raise EvaluationError(f"offsets[{at}] is {starts[at]}; offsets must rise within [0, {len(indices)}]")
        missing = default_index is None or int(default_index.reshape(-1)[0]) == -1
        empty = bags.default_row(emb_table, None if missing else default_index)
        selected = bags.rows(emb_table, indices, per_sample_weights)
        if self.reduction == "sum":
            return bags.sums(selected, starts, lengths, empty)
        means = bags.sums(selected, starts, lengths, empty) / np.maximum(lengths, 1).reshape(
            -1, *[1] * (emb_table.ndim - 1)
        )
        return means.astype(selected.dtype)
