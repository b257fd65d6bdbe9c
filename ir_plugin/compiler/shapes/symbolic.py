"""Symbolic dimensions: lengths that are known only at run time, as sums that can be compared for equality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import NamedTuple, TypeAlias

from ir_plugin.compiler.compressed_ops import FullyConnectedCompressed, GatherCompressed
from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.operations.activation.log_softmax import LogSoftmax
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.base import trait_of
from ir_plugin.operations.condition.select import Select
from ir_plugin.operations.elementwise import Binary
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze, inserted_axes
from ir_plugin.operations.table import OperationTable
from ir_plugin.operations.traits import Along, Elementwise
from ir_plugin.operations.type.convert import Convert

SymbolicDim: TypeAlias = "frozenset[tuple[tuple[Value, int] | None, int]]"
"""A sum of terms with their counts: a term is the length of a value along an axis, or (None) the number 1."""


def number(count: int) -> SymbolicDim:
    """Return the symbolic dimension of a known length."""
    return frozenset([(None, count)] if count else [])


def total(*lengths: SymbolicDim) -> SymbolicDim:
    """Return the sum of lengths."""
    counts: Counter[tuple[Value, int] | None] = Counter()
    for length in lengths:
        for unknown, count in length:
            counts[unknown] += count
    return frozenset((unknown, count) for unknown, count in counts.items() if count)


def static_length(value: Value, axis: int) -> int | None:
    """Return the length along an axis; None where it is known only at run time."""
    return value.length(axis)


def rank_of(value: Value | None) -> int | None:
    """Return the number of dimensions of a value; None where it is unknown."""
    return None if value is None else value.rank


def length_of(value: Value, axis: int) -> SymbolicDim:
    """Return the symbolic length of a value along an axis (from 0).

    It is the length of the value where it comes from. Where an operand is broadcast, it is the first operand's length
    if this is more than 1, as the others then equal it or are 1.
    """
    broadcast = None
    while (source := _source_of(value, axis)) is not None:
        if source.is_broadcast:
            broadcast = broadcast or (value, axis)
        value, axis = source.value, source.axis
    length = _own_length(value, axis)
    return length if broadcast is None or _is_more_than_one(length) else frozenset([(broadcast, 1)])


def _own_length(value: Value, axis: int) -> SymbolicDim:
    """Return the length of a value that has none of another value: a number, a sum, or itself."""
    static, op = static_length(value, axis), value.producer
    if static is not None:
        return number(static)
    if op is not None and op.is_a(Concat) and not op.epilogue:
        return total(*(length_of(operand, axis) for operand in op.inputs if operand is not None))
    return frozenset([((value, axis), 1)])


def _is_more_than_one(length: SymbolicDim) -> bool:
    """Return whether a length is at least 2 in every run: plans leave no length of a parameter open that is 1."""
    least = 0
    for unknown, count in length:
        is_parameter = unknown is not None and unknown[0].producer is None
        if count < 0:
            return False
        least += count * (1 if unknown is None else 2 if is_parameter else 0)
    return least > 1


class _Source(NamedTuple):
    """The value and the axis whose length another value has."""

    value: Value
    axis: int
    is_broadcast: bool = False
    """Whether the length may be another where this one is 1."""


def _source_of(value: Value, axis: int) -> _Source | None:
    """Return where the unknown length of a value along an axis comes from; None if it is its own."""
    op = value.producer
    if op is None or op.epilogue or static_length(value, axis) is not None:
        return None
    follow = _SOURCES.get(op.operation)
    if follow is not None:
        return follow(op, axis)
    if isinstance(op.operation, ScaledDotProductAttention):
        return _attended_source(op, axis)
    along = trait_of(op.operation, Along)
    if along is not None:
        return _source_beside(op, along, axis)
    return _aligned_source(op, axis) if trait_of(op.operation, Elementwise) else None


def lengths_of(value: Value) -> list[SymbolicDim] | None:
    """Return the symbolic lengths of a value along all axes; None where its rank is unknown."""
    rank = rank_of(value)
    return None if rank is None else [length_of(value, axis) for axis in range(rank)]


def element_of(value: Value | None, index: int) -> SymbolicDim | None:
    """Return an element of an integer scalar or vector as a sum of lengths; None where it is none."""
    if value is None:
        return None
    if value.constant is not None:
        return number(int(value.constant.reshape(-1)[index])) if value.constant.dtype.kind in "iu" else None
    op = value.producer
    follow = _ELEMENTS.get(op.operation) if op is not None and not op.epilogue else None
    return None if op is None or follow is None else follow(op, index)


def _aligned_source(op: Op, axis: int) -> _Source | None:
    """Return the source of a length of operands that NumPy's rules broadcast."""
    operation, rank = op.operation, rank_of(op.outputs[0])
    if rank is None or (isinstance(operation, (Binary, Select, FakeQuantize)) and operation.auto_broadcast != "numpy"):
        return None
    sources = []
    for value in op.inputs:
        own = rank_of(value)
        if value is None or own is None:
            return None
        position = axis - (rank - own)
        if position >= 0 and static_length(value, position) != 1:
            sources.append((value, position))
    return _Source(*sources[0], len(sources) > 1) if sources else None


def _source_beside(op: Op, along: Along, axis: int) -> _Source | None:
    """Return the source of a length along an axis that an operation does not change."""
    data, rank = op.inputs[0], rank_of(op.inputs[0])
    if data is None or rank is None or rank != rank_of(op.outputs[0]):
        return None
    axes = op.inputs[along.axes] if isinstance(along.axes, int) and along.axes < len(op.inputs) else None
    if axes is None or axes.constant is None or axis in (axes.constant.reshape(-1) % rank).tolist():
        return None
    return _Source(data, axis)


def _same_axis(op: Op, axis: int) -> _Source | None:
    source = op.inputs[0]
    return None if source is None else _Source(source, axis)


def _concat_source(op: Op, axis: int) -> _Source | None:
    """Return the source of a length along an axis of a Concat but its own, along which lengths are added."""
    rank = rank_of(op.outputs[0])
    return None if rank is None or axis == attributes(op, Concat).axis % rank else _same_axis(op, axis)


def _gathered_source(op: Op, axis: int) -> _Source | None:
    data, indices, along = op.inputs
    rank, inner = rank_of(data), rank_of(indices)
    if data is None or indices is None or rank is None or inner is None or attributes(op, Gather).batch_dims:
        return None
    if along is None or along.constant is None:
        return None
    position = int(along.constant.reshape(-1)[0]) % rank
    if axis < position:
        return _Source(data, axis)
    return _Source(indices, axis - position) if axis < position + inner else _Source(data, axis - inner + 1)


def _unsqueezed_source(op: Op, axis: int) -> _Source | None:
    data, axes, rank = op.inputs[0], op.inputs[1], rank_of(op.inputs[0])
    if data is None or axes is None or axes.constant is None or rank is None:
        return None
    inserted = inserted_axes([int(position) for position in axes.constant.reshape(-1)], rank)
    return None if axis in inserted else _Source(data, axis - sum(position < axis for position in inserted))


def _transposed_source(op: Op, axis: int) -> _Source | None:
    data, order = op.inputs[:2]
    if data is None or order is None or order.constant is None or order.constant.size <= axis:
        return None
    return _Source(data, int(order.constant[axis]))


def _reshaped_source(op: Op, axis: int) -> _Source | None:
    """Return the source of a length that a Reshape copies, or that is the only unknown one before and after it."""
    data, target = op.inputs[:2]
    if data is None:
        return None
    if attributes(op, Reshape).special_zero and element_of(target, axis) == number(0):
        return _same_axis(op, axis)
    lengths, reshaped = ([value.length(axis) for axis in range(value.rank or 0)] for value in (data, op.outputs[0]))
    before, after = ([length for length in part if length is not None] for part in (lengths, reshaped))
    is_alone = lengths.count(None) == reshaped.count(None) == 1 and prod(before) == prod(after) != 0
    return _Source(data, lengths.index(None)) if is_alone else None


def _multiplied_source(op: Op, axis: int) -> _Source | None:
    """Return the source of the number of rows that are multiplied by a matrix, or of batches of them."""
    rank, matrix = rank_of(op.inputs[0]), op.inputs[1]
    if rank != rank_of(op.outputs[0]) or rank_of(matrix) != 2 or attributes(op, MatMul).transpose_a:
        return None
    return None if axis == (rank or 0) - 1 else _same_axis(op, axis)


def _rows_source(op: Op, axis: int) -> _Source | None:
    """Return the source of a length but the last one of rows that an operation with weights maps to others."""
    return None if axis == (rank_of(op.outputs[0]) or 0) - 1 else _same_axis(op, axis)


def _attended_source(op: Op, axis: int) -> _Source | None:
    """Return the source of a length of queries, which a mask may broadcast, or of the last one of values."""
    query, value, rank = op.inputs[0], op.inputs[2], rank_of(op.outputs[0])
    if query is None or value is None or rank is None or rank_of(query) != rank or rank_of(value) != rank:
        return None
    return _Source(value, axis) if axis == rank - 1 else _Source(query, axis, is_broadcast=True)


_SOURCES: OperationTable[Callable[[Op, int], _Source | None]] = OperationTable(
    {
        Concat: _concat_source,
        FullyConnectedCompressed: _rows_source,
        Gather: _gathered_source,
        GatherCompressed: _rows_source,
        MatMul: _multiplied_source,
        LogSoftmax: _same_axis,
        Reshape: _reshaped_source,
        Softmax: _same_axis,
        Transpose: _transposed_source,
        Unsqueeze: _unsqueezed_source,
    }
)


def _shape_element(op: Op, index: int) -> SymbolicDim | None:
    source, rank = op.inputs[0], rank_of(op.inputs[0])
    return None if source is None or rank is None else length_of(source, index % rank)


def _gathered_element(op: Op, index: int) -> SymbolicDim | None:
    data, indices, axis = op.inputs
    if data is None or indices is None or indices.constant is None or axis is None or rank_of(data) != 1:
        return None
    return element_of(data, int(indices.constant.reshape(-1)[index]))


def _joined_element(op: Op, index: int) -> SymbolicDim | None:
    for value in op.inputs:
        count = None if value is None or rank_of(value) != 1 else static_length(value, 0)
        if count is None:
            return None
        if index < count:
            return element_of(value, index)
        index -= count
    return None


def _summed_element(op: Op, index: int) -> SymbolicDim | None:
    parts = []
    for value in op.inputs:
        single = value is not None and (rank_of(value) == 0 or static_length(value, 0) == 1)
        part = element_of(value, 0 if single else index)
        if part is None:
            return None
        parts.append(part)
    return total(*parts)


def _same_element(op: Op, index: int) -> SymbolicDim | None:
    return element_of(op.inputs[0], index)


_ELEMENTS: OperationTable[Callable[[Op, int], SymbolicDim | None]] = OperationTable(
    {
        ShapeOf: _shape_element,
        Gather: _gathered_element,
        Concat: _joined_element,
        Add: _summed_element,
        Convert: _same_element,
        Reshape: _same_element,
        Unsqueeze: _same_element,
        Squeeze: _same_element,
    }
)
