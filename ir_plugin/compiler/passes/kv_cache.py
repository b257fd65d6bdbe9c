"""Fuses the append to a variable, such as the cached keys and values of a decoder, into one op that works in place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import le
from typing import Any

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.matching import number_of, producer_of
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.compiler.shapes.variables import variable_of
from ir_plugin.operations.base import Operation, compute
from ir_plugin.operations.context import STANDARD, Context
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue, ReadValue3
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import is_packed, pack_rows, shape_of_values, unpack_rows

SPARE = 64
"""Spare positions, besides half of its length, at the end of the new memory of a variable."""


class AppendToCache(Operation):
    """Append a tensor to a variable along an axis, and assign the result to the variable.

    The inputs are the tensor, the initial value if `has_initial`, and the indices of a `gather` that first reorders
    the variable's samples. The tensor is written after the variable's elements, into spare capacity that the request
    holds, so that the variable itself is rarely copied.
    """

    type = "AppendToCache"
    is_internal = True
    widen = False
    stateful = True
    wants_context = True

    read: ReadValue | ReadValue3
    variable_id: str
    axis: int
    has_initial: bool
    gather: Operation | None
    returns_past: bool
    packs: bool = False
    """Whether variable and result are packed rows; of the variable before the append only the shape is read."""

    @cached_property
    def _limits(self) -> tuple[list[int], list[int]]:
        """The least and the greatest lengths of the variable; none if its shape is not declared."""
        dims = (self.read.variable_shape.dims if isinstance(self.read, ReadValue) else ()) or ()
        return [dim.lower for dim in dims], [dim.upper for dim in dims]

    def evaluate(self, added: Array, *optional: Array, context: Context = STANDARD) -> Array | tuple[Array, Array]:
        """Return the variable after the append; if `returns_past`, also the variable before it."""
        past = self._past(added.dtype, optional[:1] if self.has_initial else (), context)
        added = pack_rows(added) if self.packs else added
        if self.gather is not None and not _is_order(optional[-1], len(past)):
            past = compute(self.gather, [past, optional[-1], np.zeros((), np.int64)], context)[0]
        _require_fit(past, added, self.axis)
        length = past.shape[self.axis]
        end = length + added.shape[self.axis]
        memory = self._memory(past, end, context)
        memory[_part(self.axis, length, end)] = added
        whole: Array = memory[_part(self.axis, 0, end)]
        context.assigned[self.variable_id] = whole
        if not self.returns_past:
            return whole
        before = whole[_part(self.axis, 0, length)]
        return whole, np.broadcast_to(np.float32(0), shape_of_values(before)) if self.packs else before

    def _past(self, dtype: np.dtype[Any], initial: Sequence[Array], context: Context) -> Array:
        """Return the variable before the append."""
        past = context.variables.get(self.variable_id)
        if past is None or not self._fits(shape_of_values(past) if is_packed(past, dtype) else past.shape):
            past = self.read.evaluate(*initial, context=context)
        if self.packs == is_packed(past, dtype):
            return past
        return pack_rows(past) if self.packs else unpack_rows(past)

    def _fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether the variable's declared shape allows a shape."""
        low, high = self._limits
        return len(low) == len(shape) > 0 and all(map(le, low, shape)) and all(map(le, shape, high))

    def _memory(self, past: Array, end: int, context: Context) -> Array:
        """Return memory that begins with the variable and has room up to `end`.

        Every array of this memory that `evaluate` assigned begins where the memory begins.
        """
        memory = context.memory.get(self.variable_id)
        if memory is not None and past.base is memory and memory.shape[self.axis] >= end:
            return memory
        shape = list(past.shape)
        shape[self.axis] = end + end // 2 + SPARE
        memory = context.memory[self.variable_id] = np.empty(shape, past.dtype)
        memory[_part(self.axis, 0, past.shape[self.axis])] = past
        return memory


def _part(axis: int, begin: int, end: int) -> tuple[slice, ...]:
    """Return the index of the elements between two positions along an axis."""
    return (*(slice(None),) * axis, slice(begin, end))


def _is_order(order: Array, count: int) -> bool:
    """Return whether the indices select all samples in order."""
    return order.size == count and order.tolist() == list(range(count))


def _require_fit(past: Array, added: Array, axis: int) -> None:
    if past.shape[:axis] != added.shape[:axis] or past.shape[axis + 1 :] != added.shape[axis + 1 :]:
        raise ValueError(
            f"inputs have the shapes {list(past.shape)} and {list(added.shape)}, to be joined along {axis}"
        )


@follows("grouped_query_attention")
class KvCache(Pattern):
    """Fuse ReadValue, Gather of samples, Concat with a new tensor, and Assign into AppendToCache.

    The length is open, the Concat reads the variable first and once, and one Assign writes its output; others may read
    the output and the variable before it.
    """

    roots = (Concat,)

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._assigns: dict[str, list[Op]] = {}
        for op in graph.ops:
            if op.is_a(Assign):
                self._assigns.setdefault(attributes(op, Assign).variable_id, []).append(op)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        past = op.inputs[0] if len(op.inputs) == 2 and self._assigns else None
        gather = producer_of(past, Gather)
        read = producer_of(past if gather is None else gather.inputs[0], ReadValue)
        if past is None or read is None or op.inputs[1] is past or op.outputs[0].shape is not None:
            return
        assigned = self._assigns.get(variable_of(read), [])
        if [assign.inputs[0] for assign in assigned] == [op.outputs[0]] and not assigned[0].outputs[0].users:
            order = None if gather is None else _order(gather)
            if gather is None or order is not None:
                _replace(rewriter, op, [read, *([gather] if gather else []), assigned[0]], order)


def _order(gather: Op) -> Value | None:
    """Return the indices of a Gather of whole samples."""
    _, indices, axis = gather.inputs
    if indices is None or rank_of(indices) != 1 or number_of(axis) != 0 or attributes(gather, Gather).batch_dims:
        return None
    return indices


def _replace(rewriter: Rewriter, op: Op, parts: Sequence[Op], order: Value | None) -> None:
    """Replace a Concat by AppendToCache; a ReadValue with other users stays, as does a Gather with earlier users."""
    read, past, added = parts[0], op.inputs[0], op.inputs[1]
    initial = read.inputs[0] if read.inputs else None
    if past is None or added is None:
        return
    positions = rewriter.positions
    is_early = order is not None and any(positions[user] < positions[op] for user in past.users)
    returns_past = order is not None and len(past.users) > 1 and not is_early
    operation = AppendToCache(
        read=read.operation,
        variable_id=variable_of(read),
        axis=attributes(op, Concat).axis % (rank_of(added) or 1),
        has_initial=initial is not None,
        gather=None if order is None else parts[1].operation,
        returns_past=returns_past,
    )
    inputs = [added, *([] if initial is None else [initial]), *([] if order is None else [order])]
    outputs = [op.outputs[0], *([past] if returns_past else [])]
    replaced = [op, parts[-1], *([parts[1]] if order is not None and not is_early else [])]
    nodes = [node for part in (op, *parts) for node in part.nodes]
    rewriter.replace(op, [Op(operation, list(inputs), outputs, nodes)], replaced)
