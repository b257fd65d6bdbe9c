"""EmbeddingBagOffsetsSum: sum rows of a table. Specification: sparse/EmbeddingBagOffsetsSum-3."""

from __future__ import annotations

from ir_plugin.operations.sparse.embedding_bag_offsets import EmbeddingBagOffsets


class EmbeddingBagOffsetsSum(EmbeddingBagOffsets, version=3):
    """As EmbeddingBagOffsets-15 for sums."""

    reduction = "sum"
