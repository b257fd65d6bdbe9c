"""TfIdfVectorizer, of the extension: how often n-grams occur. ONNX: TfIdfVectorizer-9."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo

Grams = dict[tuple[Any, ...], int]


class TfIdfVectorizer(Operation, version="extension"):
    """For each row, the number of times that each n-gram of `pool` occurs, weighed by `mode`.

    `pool` lists the 1-grams, then the 2-grams and so on; n-grams begin at the n-th number of `ngram_counts`.
    `ngram_indexes` are their columns. Between the items of an n-gram up to `max_skip_count` items are skipped.
    `mode` is TF for the number, IDF for the weight where it occurs, TFIDF for their product.
    """

    needs_values = (2,)
    widen = False

    mode: str
    min_gram_length: int
    max_gram_length: int
    max_skip_count: int
    ngram_counts: tuple[int, ...]

    def infer(
        self, data: TensorInfo, pool: TensorInfo, ngram_indexes: TensorInfo, weights: TensorInfo | None = None
    ) -> TensorInfo:
        """Return numbers of f32."""
        require_type("data", data, "i32", "i64", "string")
        merge_types(data, pool, part="pool")
        require_rank("data", data.shape, 1, 2)
        self._require_lengths()
        if weights is not None:
            require_type("weights", weights, "f32")
        indexes = ngram_indexes.value
        columns = Dimension() if indexes is None else Dimension(_columns(indexes))
        if data.shape.dims is None:
            return TensorInfo(ElementType.f32, None)
        return TensorInfo(ElementType.f32, [*list(data.shape)[:-1], columns])

    def _require_lengths(self) -> None:
        if not 1 <= self.min_gram_length <= self.max_gram_length <= len(self.ngram_counts):
            lengths = f"{self.min_gram_length} and {self.max_gram_length}"
            message = f"min_gram_length and max_gram_length are {lengths}; ngram_counts has {len(self.ngram_counts)}"
            raise ShapeError("min_gram_length", message)

    def evaluate(self, data: Array, pool: Array, ngram_indexes: Array, weights: Array | None = None) -> Array:
        """Return the weighed numbers."""
        grams = self._grams(pool.tolist(), ngram_indexes.size)
        columns = ngram_indexes.tolist()
        rows = data.reshape(1, -1) if data.ndim == 1 else data
        counts = np.zeros((len(rows), _columns(ngram_indexes)), np.float32)
        for row, items in enumerate(rows.tolist()):
            for gram in self._occurring(items):
                number = grams.get(gram)
                if number is not None:
                    counts[row, columns[number]] += 1
        return self._weighed(counts, columns, weights).reshape(*data.shape[:-1], -1)

    def _weighed(self, counts: Array, columns: list[int], weights: Array | None) -> Array:
        mode = self.mode.lower()
        scale = np.ones(counts.shape[1], np.float32)
        if weights is not None:
            scale[columns] = weights
        if mode == "idf":
            return np.where(counts > 0, scale, np.float32(0))
        return counts * scale if mode == "tfidf" else counts

    def _grams(self, pool: list[Any], number: int) -> Grams:
        """Return the number of each n-gram of the allowed lengths."""
        grams: Grams = {}
        bounds = [*self.ngram_counts, len(pool)]
        counted = 0
        for length, (begin, end) in enumerate(pairwise(bounds), 1):
            if not 0 <= begin <= end <= len(pool) or (end - begin) % length:
                raise EvaluationError(f"ngram_counts {list(self.ngram_counts)} do not divide a pool of {len(pool)}")
            for start in range(begin, end, length):
                if self.min_gram_length <= length <= self.max_gram_length:
                    grams.setdefault(tuple(pool[start : start + length]), counted)
                counted += 1
        if counted > number:
            raise EvaluationError(f"the pool has {counted} n-grams, ngram_indexes {number} columns for them")
        return grams

    def _occurring(self, items: list[Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the n-grams of a row; single items once, others for each number of skipped items."""
        for length in range(self.min_gram_length, min(self.max_gram_length, len(items)) + 1):
            longest = 1 if length == 1 else min(self.max_skip_count + 1, (len(items) - 1) // (length - 1))
            for step in range(1, longest + 1):
                span = (length - 1) * step + 1
                for start in range(len(items) - span + 1):
                    yield tuple(items[start : start + span : step])


def _columns(ngram_indexes: Array) -> int:
    return 1 + int(ngram_indexes.max(initial=-1))
