"""Attention a few heads at a time, so that their scores stay in the cache between the products."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.products import batched
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**19
"""Bytes of scores in one block: 8 heads of 128 x 128."""

Attention: TypeAlias = "Callable[[Array, Array, Array, Array | None, Array], None]"
"""Computes [B, H, L, Ev] from query [B, H, L, E], key [B, K, S, E], value [B, K, S, Ev] and a mask [B, H, L, S].

The mask is added to the scores, or for booleans is true where a score counts.
"""

FewQueries: TypeAlias = "Callable[[Array, Array, Array, Array | None, Array], bool]"
"""Computes [N, H, L, Ev] from query [N, H, L, E], key [N, K, S, E], value [N, K, S, Ev] and an addend of the scores;
returns False where it cannot."""


class ZeroedRows(IntEnum):
    """The rows of a softmax that are replaced by 0: none, rows whose scores are all masked, or rows of NaN."""

    NONE = 0
    MASKED = 1
    NAN = 2


@dataclass(frozen=True)
class Sizes:
    """The sizes of an attention: batch, heads, lengths of queries and keys, widths of keys and values.

    `group` neighbouring heads of the query share one head of the keys.
    """

    batch: int
    heads: int
    queries: int
    keys: int
    width: int
    value_width: int
    group: int = 1

    @property
    def work(self) -> int:
        """The number of multiplications of both products."""
        return self.batch * self.heads * self.queries * self.keys * (self.width + self.value_width)


def attention(
    sizes: Sizes, scale: float, dtype: np.dtype[np.generic], pool: ThreadPool, zeroed: ZeroedRows = ZeroedRows.NONE
) -> Attention:
    """Return the kernel for softmax(query · keyᵀ · scale + mask) · value, without groups.

    It divides the result by the sums of the exponentials, as the result is narrower than the scores. Blocks
    of heads and queries keep the scores in the cache.
    """
    blocks, shape = _blocks(sizes, dtype.itemsize, pool.size)
    parts = split(len(blocks), pool.size if sizes.work >= policy.SHARED_MIN_MULTIPLICATIONS else 1)
    scratch = [np.empty(shape, dtype) for _ in parts]
    factor = dtype.type(scale)

    def run(query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> None:
        addend = None if mask is None else addend_of(mask, dtype)

        def part(number: int) -> None:
            for sample, heads, rows in blocks[slice(*parts[number])]:
                block = query[sample, heads, rows]
                scores = scratch[number][: block.shape[0], : block.shape[1]]
                np.matmul(block, key[sample, heads].swapaxes(-1, -2), out=scores)
                np.multiply(scores, factor, out=scores)
                if addend is not None:
                    np.add(scores, addend[sample, heads, rows], out=scores)
                _weighted(scores, value[sample, heads], output[sample, heads, rows], zeroed)

        pool.run(part, len(parts))

    return run


def few_queries(
    query: Array, key: Array, value: Array, mask: Array | None, scale: float, output: Array, pool: ThreadPool
) -> None:
    """Compute grouped-query attention into [N, K, G, L, Ev].

    The query is [N, K, G, L, E], the key [N, K, 1, S, E], the value [N, K, 1, S, Ev]; the mask is added to the scores.
    A key is read once for all of its G · L queries.
    """
    samples, shared, group, rows, width = query.shape
    scaled = (query * query.dtype.type(scale)).reshape(samples, shared, group * rows, width)
    scores = np.empty((samples, shared, group * rows, key.shape[3]), query.dtype)
    batched(scaled, key[:, :, 0].swapaxes(-1, -2), scores, pool)
    if mask is not None:
        by_group = scores.reshape(*query.shape[:4], -1)
        np.add(by_group, mask, out=by_group)
    np.subtract(scores, scores.max(axis=-1, keepdims=True), out=scores)
    np.exp(scores, out=scores)
    sums = scores.sum(axis=-1, keepdims=True)
    mixed = np.empty((*scores.shape[:-1], value.shape[-1]), query.dtype)
    batched(scores, value[:, :, 0], mixed, pool)
    np.divide(mixed, sums, out=mixed)
    np.copyto(output, mixed.reshape(output.shape))


def addend_of(mask: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return a mask as an addend of the scores: negative infinity where a boolean mask is false."""
    return np.where(mask, dtype.type(0), dtype.type(-np.inf)) if mask.dtype == np.bool_ else mask


def _weighted(scores: Array, value: Array, output: Array, zeroed: ZeroedRows) -> None:
    """Fill the output with softmax(scores) · value; overwrites the scores."""
    masked = np.isneginf(scores).all(axis=-1) if zeroed is ZeroedRows.MASKED else None
    np.subtract(scores, scores.max(axis=-1, keepdims=True), out=scores)
    np.exp(scores, out=scores)
    sums = scores.sum(axis=-1, keepdims=True)
    if zeroed is not ZeroedRows.NONE:
        rows = np.isnan(sums[..., 0]) if masked is None else masked
        scores[rows], sums[rows] = 0, 1
    np.matmul(scores, value, out=output)
    np.divide(output, sums, out=output)


def _blocks(sizes: Sizes, itemsize: int, threads: int) -> tuple[list[tuple[int, slice, slice]], tuple[int, int, int]]:
    """Return the sample, heads and rows of each block of scores, and the shape of the largest block."""
    row = max(sizes.keys * itemsize, 1)
    rows = min(max(BLOCK_BYTES // row, 1), sizes.queries)
    shared = -(-sizes.heads // threads)
    most = max(BLOCK_BYTES // (row * rows), 1) if rows == sizes.queries else 1
    heads = -(-shared // -(-shared // most))
    blocks = [
        (sample, slice(head, min(head + heads, sizes.heads)), slice(first, min(first + rows, sizes.queries)))
        for sample in range(sizes.batch)
        for head in range(0, sizes.heads, heads)
        for first in range(0, sizes.queries, rows)
    ]
    return blocks, (heads, rows, sizes.keys)
