"""Checks and sums of runs of table rows, shared by the sums of embeddings."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import merge_types, note_type, require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


def check(emb_table: TensorInfo, indices: TensorInfo, rank: int, per_sample_weights: TensorInfo | None) -> None:
    """Raise unless the table has rows, the indices have the rank, and any weights have the shape of the indices."""
    note_type("emb_table", emb_table, "number")
    if emb_table.shape.ndim == 0:
        raise ShapeError("emb_table", "emb_table is a scalar; it must have at least one dimension")
    require_type("indices", indices, "i32", "i64")
    require_rank("indices", indices.shape, rank)
    if per_sample_weights is None:
        return
    merge_types(emb_table, per_sample_weights, part="per_sample_weights")
    if not indices.shape.compatible(per_sample_weights.shape):
        raise ShapeError(
            "per_sample_weights", f"per_sample_weights {per_sample_weights.shape} and indices {indices.shape} differ"
        )


def check_like_indices(indices: TensorInfo, rank: int, **inputs: TensorInfo | None) -> None:
    """Raise unless the inputs have the type of `indices` and the rank."""
    for name, tensor in inputs.items():
        if tensor is not None:
            merge_types(indices, tensor, part=name)
            require_type(name, tensor, "i32", "i64")
            require_rank(name, tensor.shape, rank)


def check_reduction(reduction: str, per_sample_weights: TensorInfo | None) -> None:
    """Raise if weights are connected for means."""
    if reduction == "mean" and per_sample_weights is not None:
        raise ShapeError("per_sample_weights", "per_sample_weights is connected, but reduction is mean")


def result(emb_table: TensorInfo, count: Dimension) -> TensorInfo:
    """Return the shape of the table with `count` rows."""
    if emb_table.shape.dims is None:
        return emb_table.with_shape(None)
    return emb_table.with_shape(PartialShape([count]) + emb_table.shape[1:])


def rows(emb_table: Array, indices: Array, per_sample_weights: Array | None) -> Array:
    """Return the rows of the table at the indices, times their weights; booleans as whole numbers."""
    require_inside(indices, 0, len(emb_table) - 1, of=f" of emb_table {list(emb_table.shape)}")
    selected: Array = emb_table[indices]
    if selected.dtype.kind == "b":
        selected = selected.astype(np.int64)
    if per_sample_weights is None:
        return selected
    return selected * per_sample_weights.reshape(*indices.shape, *[1] * (emb_table.ndim - 1))


def sums(selected: Array, starts: Array, lengths: Array, empty: Array) -> Array:
    """Return the sums of runs of rows with these starts and lengths; an empty run has the sum `empty`."""
    totals = np.empty((len(starts), *selected.shape[1:]), selected.dtype)
    totals[...] = empty
    full = np.flatnonzero(lengths > 0)
    if full.size:
        end = int(starts[full[-1]] + lengths[full[-1]])
        totals[full] = np.add.reduceat(selected[:end], starts[full], axis=0, dtype=selected.dtype)
    return totals


def default_row(emb_table: Array, default_index: Array | None) -> Array:
    """Return the row of an empty bag: the row `default_index`, or zeros."""
    if default_index is None:
        return np.zeros(emb_table.shape[1:], emb_table.dtype)
    require_inside(default_index, 0, len(emb_table) - 1, "default_index")
    row: Array = emb_table[int(default_index.reshape(-1)[0])]
    return row
