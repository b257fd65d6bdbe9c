"""Symbolic dimensions: lengths that are known only at run time, as sums that can be compared for equality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze, inserted_axes
from ir_plugin.operations.table import OperationTable
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
    """Return the symbolic length of a value along an axis (from 0)."""
    static = static_length(value, axis)
    if static is not None:
        return number(static)
    op = value.producer
    follow = _LENGTHS.get(op.operation) if op is not None and not op.epilogue else None
    length = None if op is None or follow is None else follow(op, axis)
    return frozenset([((value, axis), 1)]) if length is None else length


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


def _same_axis(op: Op, axis: int) -> SymbolicDim | None:
    source = op.inputs[0]
    return None if source is None else length_of(source, axis)


def _concat_length(op: Op, axis: int) -> SymbolicDim | None:
    """Return the length of a Concat: the sum of its inputs' lengths along the axis of the Concat."""
    rank, inputs = rank_of(op.outputs[0]), [value for value in op.inputs if value is not None]
    if rank is None:
        return None
    if axis != attributes(op, Concat).axis % rank:
        return length_of(inputs[0], axis)
    return total(*(length_of(value, axis) for value in inputs))


def _gathered_length(op: Op, axis: int) -> SymbolicDim | None:
    data, indices, along = op.inputs
    rank, inner = rank_of(data), rank_of(indices)
    if data is None or indices is None or rank is None or inner is None or attributes(op, Gather).batch_dims:
        return None
    if along is None or along.constant is None:
        return None
    position = int(along.constant.reshape(-1)[0]) % rank
    if axis < position:
        return length_of(data, axis)
    return length_of(indices, axis - position) if axis < position + inner else length_of(data, axis - inner + 1)


def _unsqueezed_length(op: Op, axis: int) -> SymbolicDim | None:
    data, axes, rank = op.inputs[0], op.inputs[1], rank_of(op.inputs[0])
    if data is None or axes is None or axes.constant is None or rank is None:
        return None
    inserted = inserted_axes([int(position) for position in axes.constant.reshape(-1)], rank)
    return number(1) if axis in inserted else length_of(data, axis - sum(position < axis for position in inserted))


def _transposed_length(op: Op, axis: int) -> SymbolicDim | None:
    data, order = op.inputs[:2]
    if data is None or order is None or order.constant is None or order.constant.size <= axis:
        return None
    return length_of(data, int(order.constant[axis]))


_LENGTHS: OperationTable[Callable[[Op, int], SymbolicDim | None]] = OperationTable(
    {
        Convert: _same_axis,
        Concat: _concat_length,
        Gather: _gathered_length,
        Unsqueeze: _unsqueezed_length,
        Transpose: _transposed_length,
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
