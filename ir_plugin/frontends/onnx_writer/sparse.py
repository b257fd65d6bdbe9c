"""Sums of table rows."""

from __future__ import annotations

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.sparse.embedding_bag_offsets import EmbeddingBagOffsets
from ir_plugin.operations.sparse.embedding_bag_offsets_sum import EmbeddingBagOffsetsSum
from ir_plugin.operations.sparse.embedding_bag_packed import EmbeddingBagPacked
from ir_plugin.operations.sparse.embedding_bag_packed_sum import EmbeddingBagPackedSum
from ir_plugin.operations.sparse.embedding_segments_sum import EmbeddingSegmentsSum


def _rows(layer: Layer, weights: int) -> str:
    """Return the rows of the table at the indices, times their weights."""
    table = layer.inputs[0]
    if not layer.type_of(table).is_floating:
        raise NotExpressibleError("tables of integers wrap and round in a way of their own")
    rows = layer.emit("Gather", table, layer.cast(layer.inputs[1], i64), axis=0)
    if not layer.has(weights):
        return rows
    rank = layer.rank(1)
    factors = layer.unsqueeze(layer.inputs[weights], *range(rank, rank + layer.rank() - 1))
    return layer.emit("Mul", rows, factors)


@writes(EmbeddingBagPacked, EmbeddingBagPackedSum, widens=True)
def embedding_bag_packed(layer: Layer) -> str:
    """Return the sum or mean of the rows of each bag."""
    if layer.shape(1)[1].contains(0):
        raise NotExpressibleError("bags may be empty")
    return layer.reduce(
        "ReduceSum" if layer.operation.reduction == "sum" else "ReduceMean", _rows(layer, 2), [1], False
    )


@writes(EmbeddingBagOffsets, EmbeddingBagOffsetsSum, widens=True)
def embedding_bag_offsets(layer: Layer) -> str:
    """Return the sums or means of runs of rows, and the default row for empty ones."""
    offsets = layer.cast(layer.inputs[2], i64)
    total = layer.length(layer.inputs[1], 0)
    positions = layer.emit("Range", layer.constant(0), layer.reshape(total), layer.constant(1))
    begun = layer.emit("LessOrEqual", layer.unsqueeze(offsets, 0), layer.unsqueeze(positions, 1))
    bags = layer.reduce("ReduceSum", layer.cast(begun, i64), [1], keep=False)
    ends = layer.emit("Concat", layer.slice(offsets, 0, 1, 2**62), total, axis=0)
    lengths = layer.emit("Sub", ends, offsets)
    # rows before the first bag are added to a bag in front, which is dropped
    count = layer.emit("Add", layer.length(offsets, 0), layer.list_of(1))
    sums = layer.slice(_sums(layer, _rows(layer, 4), bags, count), 0, 1, 2**62)
    tail = range(1, layer.rank())
    if layer.operation.reduction == "mean":
        divisor = layer.cast(layer.emit("Max", lengths, layer.list_of(1)), layer.type_of(sums))
        sums = layer.emit("Div", sums, layer.unsqueeze(divisor, *tail))
    empty = layer.unsqueeze(layer.emit("Equal", lengths, layer.list_of(0)), *tail)
    return layer.emit("Where", empty, _default_row(layer, 3), sums)


@writes(EmbeddingSegmentsSum, widens=True)
def embedding_segments_sum(layer: Layer) -> str:
    """Return the sums of the rows of each segment, and the default row for empty ones."""
    segments = layer.cast(layer.inputs[2], i64)
    count = layer.reshape(layer.cast(layer.inputs[3], i64), 1)
    sums = _sums(layer, _rows(layer, 5), segments, count)
    numbers = layer.emit("Range", layer.constant(0), layer.reshape(count), layer.constant(1))
    same = layer.emit("Equal", layer.unsqueeze(numbers, 1), layer.unsqueeze(segments, 0))
    lengths = layer.reduce("ReduceSum", layer.cast(same, i64), [1], keep=False)
    empty = layer.unsqueeze(layer.emit("Equal", lengths, layer.list_of(0)), *range(1, layer.rank()))
    return layer.emit("Where", empty, _default_row(layer, 4), sums)


def _sums(layer: Layer, rows: str, bags: str, count: str) -> str:
    """Return the sums of the rows of each of `count` bags, by the bag of each row."""
    shape = layer.emit("Concat", count, _row_shape(layer), axis=0)
    zeros = layer.emit("Expand", layer.like(0, rows), shape)
    return layer.emit("ScatterND", zeros, layer.unsqueeze(bags, 1), rows, reduction="add")


def _row_shape(layer: Layer) -> str:
    return layer.slice(layer.emit("Shape", layer.inputs[0]), 0, 1, 2**62)


def _default_row(layer: Layer, position: int) -> str:
    """Return the row of an empty bag: the default index's, or zeros."""
    zero = layer.like(0, layer.inputs[0])
    if not layer.has(position):
        return zero
    index = layer.reshape(layer.cast(layer.inputs[position], i64))
    row = layer.emit("Gather", layer.inputs[0], layer.emit("Max", index, layer.constant(0)), axis=0)
    return layer.emit("Where", layer.emit("Less", index, layer.constant(0)), zero, row)
