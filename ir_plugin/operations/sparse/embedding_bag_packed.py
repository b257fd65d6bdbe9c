"""EmbeddingBagPacked: sum or average rows of a table. Specification: sparse/EmbeddingBagPacked-15."""

from __future__ import annotations

from ir_plugin.operations.base import Operation
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.sparse import bags
from ir_plugin.tensors import Array, TensorInfo


class EmbeddingBagPacked(Operation, version=15):
    """Sum (or average, by `reduction`) the rows of `emb_table` at each row of `indices` [bags, n].

    `per_sample_weights` are factors of the rows, for sums only. The output is [bags, ...].

    Differs from the page: `emb_table` may be boolean; a sum is whether any row is true, a mean whether all are.
    Example: The mean of true and false is false.
    """

    reduction: str

    def infer(
        self, emb_table: TensorInfo, indices: TensorInfo, per_sample_weights: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the shape of the table with as many rows as there are bags."""
        bags.check_reduction(self.reduction, per_sample_weights)
        bags.check(emb_table, indices, 2, per_sample_weights)
        merged = None if per_sample_weights is None else indices.shape.merge(per_sample_weights.shape)
        return bags.result(emb_table, (indices.shape if merged is None else merged)[0])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the indices."""
        return {1: Range.below(inputs.length(0, 0))}

    def evaluate(self, emb_table: Array, indices: Array, per_sample_weights: Array | None = None) -> Array:
        """Return the sums or means."""
        selected = bags.rows(emb_table, indices, per_sample_weights)
        total = selected.sum(axis=1, dtype=selected.dtype)
        result: Array = total if self.reduction == "sum" else (total / max(indices.shape[1], 1)).astype(selected.dtype)
        return result
