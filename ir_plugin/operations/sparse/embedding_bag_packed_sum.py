"""EmbeddingBagPackedSum: sum rows of a table. Specification: sparse/EmbeddingBagPackedSum-3."""

from __future__ import annotations

from ir_plugin.operations.sparse.embedding_bag_packed import EmbeddingBagPacked


class EmbeddingBagPackedSum(EmbeddingBagPacked, version=3):
    """As EmbeddingBagPacked-15 for sums."""

    reduction = "sum"
