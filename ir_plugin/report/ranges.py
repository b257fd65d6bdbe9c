"""The ranges of whole numbers that layers accept as indices, lengths or axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isqrt
from typing import TypeAlias

import numpy as np

from ir_plugin.model import Node, Output
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.arithmetic.cum_sum import CumSum
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.tensors import Array, PartialShape, TensorInfo

Tensors: TypeAlias = Mapping[Output, TensorInfo]
LEAST, MOST = -(2**62), 2**62


@dataclass(frozen=True)
class Range:
    """The whole numbers from `low` to `high`, for elements that may have to ascend or be distinct."""

    low: int
    high: int
    ascending: bool = False
    distinct: bool = False

    def meet(self, other: Range | None) -> Range:
        """Return the intersection of two ranges, or this range if it is empty."""
        if other is None:
            return self
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            return self
        return Range(low, high, self.ascending or other.ascending, self.distinct or other.distinct)

    def sum_with(self, low: int, high: int) -> Range:
        """Return the range of addends whose sums with numbers from `low` to `high` stay in this range."""
        return replace(self, low=self.low - low, high=max(self.high - high, self.low - low))


class Reads:
    """The shapes and values of a layer's inputs, as far as they are known."""

    def __init__(self, node: Node, tensors: Tensors) -> None:
        self.node = node
        self._tensors = tensors

    def shape(self, position: int) -> PartialShape:
        """Return the shape of an input."""
        source = self.node.inputs[position].source if position < len(self.node.inputs) else None
        if source is None:
            return PartialShape(None)
        return self._tensors[source].shape if source in self._tensors else source.partial_shape

    def rank(self, position: int) -> int:
        """Return the rank of an input, or 1 if it is unknown."""
        dims = self.shape(position).dims
        return 1 if dims is None else len(dims)

    def length(self, position: int, axis: int | None) -> int:
        """Return the lower bound of a dimension, at least 1."""
        dims = self.shape(position).dims
        if dims is None or axis is None or not -len(dims) <= axis < len(dims):
            return 1
        return max(dims[axis].lower, 1)

    def value(self, position: int) -> Array | None:
        """Return the elements of an input if they are known, else None."""
        source = self.node.inputs[position].source if position < len(self.node.inputs) else None
        return None if source is None or source not in self._tensors else self._tensors[source].value

    def scalar(self, position: int) -> int | None:
        """Return the only element of an input if it is known, else None."""
        value = self.value(position)
        return int(value.reshape(-1)[0]) if value is not None and value.size == 1 else None


Ranges: TypeAlias = dict[int, Range]


def _below(count: int, *, ascending: bool = False, distinct: bool = False) -> Range:
    return Range(0, max(count - 1, 0), ascending, distinct)


def _gather(reads: Reads) -> Ranges:
    batch_dims = getattr(reads.node.operation, "batch_dims", 0)
    axes = Range(max(batch_dims, 0), max(reads.rank(0) - 1, batch_dims))
    return {1: _below(reads.length(0, reads.scalar(2))), 2: axes}


def _gather_elements(reads: Reads) -> Ranges:
    return {1: _below(reads.length(0, reads.node.operation.axis))}


def _tuples(reads: Reads, batch_dims: int = 0) -> Ranges:
    """Return the range of index tuples, bounded by the shortest axis that they index."""
    width = reads.length(1, -1)
    axes = range(batch_dims, min(batch_dims + width, reads.rank(0)))
    return {1: _below(min((reads.length(0, axis) for axis in axes), default=1))}


def _gather_nd(reads: Reads) -> Ranges:
    return _tuples(reads, reads.node.operation.batch_dims)


def _gather_tree(reads: Reads) -> Ranges:
    return {1: _below(reads.length(0, 2)), 2: Range(1, reads.length(0, 0))}


def _scatter(reads: Reads) -> Ranges:
    return {1: _below(reads.length(0, reads.scalar(3))), 3: _below(reads.rank(0))}


def _bag_offsets(reads: Reads) -> Ranges:
    rows = _below(reads.length(0, 0))
    return {1: rows, 2: _below(reads.length(1, 0), ascending=True), 3: rows}


def _bag_packed(reads: Reads) -> Ranges:
    return {1: _below(reads.length(0, 0))}


def _segments_sum(reads: Reads) -> Ranges:
    rows, count = _below(reads.length(0, 0)), reads.scalar(3)
    return {1: rows, 2: _below(1 if count is None else count, ascending=True), 3: Range(1, 16), 4: rows}


def _segment_max(reads: Reads) -> Ranges:
    return {1: _below(reads.scalar(2) or reads.length(0, 0), ascending=True)}


def _one_hot(reads: Reads) -> Ranges:
    return {0: _below(reads.scalar(1) or 1), 1: Range(1, 16)}


def _reverse_sequence(reads: Reads) -> Ranges:
    return {1: Range(1, reads.length(0, reads.node.operation.seq_axis))}


def _sequence_lengths(position: int) -> Callable[[Reads], Ranges]:
    return lambda reads: {position: Range(1, reads.length(0, 1))}


def _ctc_loss(reads: Reads) -> Ranges:
    steps, classes = reads.length(0, 1), reads.length(0, 2)
    labels = min(reads.length(2, 1), max(steps // 2, 1))
    blank = reads.scalar(4)
    blank = classes - 1 if blank is None else blank
    usable = Range(0, blank - 1) if blank > 0 else Range(1, max(classes - 1, 1))
    return {1: Range(min(2 * labels, steps), steps), 2: usable, 3: Range(1, labels), 4: Range(blank, blank)}


def _items(position: int) -> Callable[[Reads], Ranges]:
    """Return the range of batch indices."""
    return lambda reads: {position: _below(reads.length(0, 0))}


def _sparse(reads: Reads) -> Ranges:
    shape = reads.value(2)
    return {1: _below(1 if shape is None or not shape.size else int(shape.min()), ascending=True)}


def _divisor(reads: Reads) -> Ranges:
    source = reads.node.inputs[1].source
    return {1: Range(1, 9)} if source is not None and source.element_type.is_integer else {}


def _axis(position: int) -> Callable[[Reads], Ranges]:
    return lambda reads: {position: _below(reads.rank(0))}


def _axes(position: int = 1) -> Callable[[Reads], Ranges]:
    return lambda reads: {position: _below(reads.rank(0), distinct=True)}


def _new_axes(reads: Reads) -> Ranges:
    return {1: _below(reads.rank(0) + reads.length(1, 0), distinct=True)}


def _slice(reads: Reads) -> Ranges:
    return {3: Range(1, 4), 4: _below(reads.rank(0), distinct=True)}


def _blocks(_: Reads) -> Ranges:
    return {1: Range(1, 1)}


def _top_k(reads: Reads) -> Ranges:
    return {1: Range(1, reads.length(0, reads.node.operation.axis))}


def _steps(position: int) -> Callable[[Reads], Ranges]:
    return lambda _: {position: Range(1, 4)}


USES: Mapping[str, Callable[[Reads], Ranges]] = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "GatherTree": _gather_tree,
    "ScatterUpdate": _scatter,
    "ScatterElementsUpdate": _scatter,
    "ScatterNDUpdate": _tuples,
    "EmbeddingBagOffsets": _bag_offsets,
    "EmbeddingBagOffsetsSum": _bag_offsets,
    "EmbeddingBagPacked": _bag_packed,
    "EmbeddingBagPackedSum": _bag_packed,
    "EmbeddingSegmentsSum": _segments_sum,
    "SegmentMax": _segment_max,
    "OneHot": _one_hot,
    "ReverseSequence": _reverse_sequence,
    "LSTMSequence": _sequence_lengths(3),
    "GRUSequence": _sequence_lengths(2),
    "AUGRUSequence": _sequence_lengths(2),
    "RNNSequence": _sequence_lengths(2),
    "CTCGreedyDecoderSeqLen": _sequence_lengths(1),
    "CTCLoss": _ctc_loss,
    "ROIAlign": _items(2),
    "ROIAlignOfProducts": _items(2),
    "ROIAlignRotated": _items(2),
    "ROIPooling": _items(1),
    "PSROIPooling": _items(1),
    "DeformablePSROIPooling": _items(1),
    "SparseFillEmptyRows": _sparse,
    "Divide": _divisor,
    "FloorMod": _divisor,
    "Mod": _divisor,
    "Split": _axis(1),
    "VariadicSplit": _axis(1),
    "CumSum": _axis(1),
    **dict.fromkeys(
        ("Transpose", "MVN", "NormalizeL2", "Reverse", "Squeeze", "DFT", "IDFT", "RDFT", "IRDFT",
         "ReduceL1", "ReduceL2", "ReduceLogicalAnd", "ReduceLogicalOr", "ReduceMax", "ReduceMean", "ReduceMin",
         "ReduceProd", "ReduceSum"), _axes(),
    ),
    "TopK": _top_k,
    "Roll": _axes(2),
    "Unsqueeze": _new_axes,
    "BatchToSpace": _blocks,
    "SpaceToBatch": _blocks,
    "Slice": _slice,
    "StridedSlice": _steps(3),
    "Range": _steps(2),
}  # fmt: skip
"""The ranges of each operation's inputs, by position."""

_ELEMENTS_FROM = {
    **dict.fromkeys(
        ("Convert", "ConvertLike", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Broadcast", "Tile", "Slice",
         "StridedSlice", "Split", "VariadicSplit", "Gather", "GatherElements", "GatherND", "ReduceMax", "ReduceMin",
         "Reverse", "ReverseSequence", "Roll", "Identity", "Floor", "Ceiling", "Round", "TopK", "ReadValue", "Assign",
         "Result", "BatchToSpace", "SpaceToBatch", "DepthToSpace", "SpaceToDepth", "ShuffleChannels"), (0,),
    ),
    "Select": (1, 2),
    "Maximum": (0, 1),
    "Minimum": (0, 1),
    "Pad": (0, 3),
    "ScatterUpdate": (0, 2),
    "ScatterElementsUpdate": (0, 2),
    "ScatterNDUpdate": (0, 2),
}  # fmt: skip
"""The positions of the inputs whose elements the outputs consist of."""


def input_ranges(reads: Reads, needed: Range) -> Ranges:
    """Return the ranges that a layer's inputs must have for its outputs to be in a range."""
    kind, count = reads.node.get_type_name(), len(reads.node.inputs)
    if reads.node.is_a(Concat):
        return dict.fromkeys(range(count), needed)
    if kind in _ELEMENTS_FROM:
        return {position: needed for position in _ELEMENTS_FROM[kind] if position < count}
    if reads.node.is_a(CumSum):
        low = max(needed.low, 0)
        return {0: Range(low, max(needed.high // reads.length(0, reads.scalar(1)), low))}
    return _through_arithmetic(reads, needed) if reads.node.is_a(Add, Subtract, Multiply) else {}


def _through_arithmetic(reads: Reads, needed: Range) -> Ranges:
    plain = replace(needed, distinct=False)
    extents = [_extent(reads.value(position)) for position in (0, 1)]
    if reads.node.is_a(Subtract):
        return {0: plain.sum_with(-extents[1][1], -extents[1][0])} if extents[1] is not None else {}
    for position, extent in enumerate(extents):
        if extent is not None and reads.node.is_a(Add):
            return {1 - position: plain.sum_with(*extent)}
        if extent is not None and extent[0] > 0:
            low = -(-plain.low // extent[0])
            return {1 - position: replace(plain, low=low, high=max(plain.high // extent[1], low))}
    if plain.low > 1 or plain.high < 0 or extents != [None, None]:
        return {}
    low = max(plain.low, 0)
    part = Range(low, max(plain.high // 2 if reads.node.is_a(Add) else isqrt(plain.high), low))
    return {0: part, 1: part}


def _extent(value: Array | None) -> tuple[int, int] | None:
    if value is None or value.size == 0 or value.dtype.kind not in "iuf" or not np.isfinite(value).all():
        return None
    return int(value.min()), int(np.ceil(value.max()))
