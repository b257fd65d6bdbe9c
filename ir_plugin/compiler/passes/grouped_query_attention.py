"""Fuses the repetition of keys and values for several heads of the query into the attention that reads them."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.matching import producer_of
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.compiler.shapes.symbolic import (
    SymbolicDim,
    element_of,
    length_of,
    lengths_of,
    number,
    rank_of,
    static_length,
)
from ir_plugin.compiler.shapes.variables import UnifyLengths, unify_variable_lengths
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import as_floats


class GroupedQueryAttention(ScaledDotProductAttention):
    """ScaledDotProductAttention with query [N, H, L, E], key [N, K, S, E] and value [N, K, S, Ev], where K divides H.

    H / K neighbouring heads of the query share a key. A value of one position is broadcast to all. Keys and values of
    u8 are packed rows of a cache.
    """

    type = "GroupedQueryAttention"
    is_internal = True

    def evaluate(
        self,
        query: Array,
        key: Array,
        value: Array,
        attention_mask: Array | None = None,
        scale: Array | None = None,
        sink: Array | None = None,
    ) -> Array:
        """Return the attention."""
        key, value = as_floats(key), as_floats(value)
        count = query.shape[1] // key.shape[1]
        keys, values = np.repeat(key, count, axis=1), np.repeat(for_all(key, value), count, axis=1)
        return super().evaluate(query, keys, values, attention_mask, scale, sink)


def for_all(key: Array, value: Array) -> Array:
    """Return values [N, K, S, Ev] for all positions of the keys; one position is repeated."""
    return np.broadcast_to(value, (*value.shape[:2], key.shape[2], value.shape[3]))


@follows("qkv_fusion")
class GroupedQueryAttentionFusion(Pattern):
    """Fuse the Broadcasts that repeat heads of keys and values and their attention into GroupedQueryAttention.

    All have four axes. Only an inserted third axis is repeated, so often that the known number of the query's heads
    results; others may read the repeated values.
    """

    roots = (ScaledDotProductAttention,)

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._unify = unify_variable_lengths(graph)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        query = op.inputs[0]
        if query is None or rank_of(query) != 4:
            return
        heads = static_length(query, 1)
        key = _repeated(op.inputs[1], heads, self._unify)
        value = _repeated(op.inputs[2], heads, self._unify, key)
        if key is None or value is None or static_length(key, 1) != static_length(value, 1):
            return
        operation = GroupedQueryAttention(causal=attributes(op, ScaledDotProductAttention).causal)
        rewriter.replace(op, [Op(operation, [query, key, value, *op.inputs[3:]], op.outputs, op.nodes)])


def _repeated(value: Value | None, heads: int | None, unify: UnifyLengths, key: Value | None = None) -> Value | None:
    """Return the value [N, K, S, E] whose heads are repeated to [N, heads, S, E].

    S may be 1 where `key`, if there is one, has more positions.
    """
    reshape = producer_of(value, Reshape)
    broadcast = None if reshape is None else producer_of(reshape.inputs[0], Broadcast)
    unsqueeze = None if broadcast is None else producer_of(broadcast.inputs[0], Unsqueeze)
    source = None if unsqueeze is None else unsqueeze.inputs[0]
    if reshape is None or broadcast is None or unsqueeze is None or source is None or rank_of(source) != 4:
        return None
    axes, shared = unsqueeze.inputs[1], static_length(source, 1)
    if axes is None or axes.constant is None or axes.constant.reshape(-1).tolist() not in ([2], [-3]):
        return None
    if not heads or not shared or heads % shared or not _repeats(broadcast, source, heads // shared, unify, key):
        return None
    before = lengths_of(source)
    return source if before is not None and _joins(reshape, before, heads, unify) else None


def _repeats(broadcast: Op, source: Value, count: int, unify: UnifyLengths, key: Value | None) -> bool:
    """Return whether a Broadcast repeats [N, K, 1, S, E] to [N, K, count, S, E], where S may be the length of `key`."""
    if len(broadcast.inputs) > 2 and broadcast.inputs[2] is not None:
        return False
    mode = attributes(broadcast, Broadcast).mode
    both = mode == "bidirectional"
    if mode not in ("bidirectional", "numpy"):
        return False
    for index in range(5):
        target = unify(element_of(broadcast.inputs[1], index))
        own = number(count) if index == 2 else length_of(source, index if index < 2 else index - 1)
        is_same = target == unify(own) or (index == 3 and key is not None and target == unify(length_of(key, 2)))
        if not is_same and not (both and target == number(1) and index != 2):
            return False
    return rank_of(broadcast.outputs[0]) == 5


def _joins(reshape: Op, before: list[SymbolicDim], heads: int, unify: UnifyLengths) -> bool:
    """Return whether a Reshape joins [N, K, count, S, E] to [N, K * count, S, E]; one length may be -1."""
    joined = [before[0], number(heads), before[2], before[3]]
    if rank_of(reshape.outputs[0]) != 4:
        return False
    target = [element_of(reshape.inputs[1], index) for index in range(4)]
    if attributes(reshape, Reshape).special_zero:
        copied = [before[0], before[1], None, before[2]]
        target = [source if length == number(0) else length for length, source in zip(target, copied, strict=True)]
    unknown = [index for index in range(4) if target[index] == number(-1)]
    return len(unknown) <= 1 and all(unify(target[index]) in (unify(joined[index]), number(-1)) for index in range(4))
