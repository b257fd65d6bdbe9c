"""Keeps cached keys and values of attentions in bytes."""

from __future__ import annotations

from copy import copy

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.passes.kv_cache import AppendToCache
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.tensors import ElementType, TensorInfo
from ir_plugin.tensors.cached_rows import HEADER

_U8 = ElementType("u8")


@follows("kv_cache")
class KvCacheQuantization(Pattern):
    """Keep cached keys and values that only attentions read as u8, with a scale and an offset for each row.

    It runs where `KV_CACHE_PRECISION` is u8; without it, caches are f32.
    """

    roots = (AppendToCache,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        operation, whole = copy(attributes(op, AppendToCache)), op.outputs[0]
        if not _is_attended(op) or whole.tensor is None or whole.tensor.shape.dims is None:
            return
        operation.packs = True
        *lead, width = whole.tensor.shape.dims
        rows = Value(_U8, None, tensor=TensorInfo(_U8, [*lead, width + HEADER]))
        rewriter.replace_uses(whole, rows)
        rewriter.replace(op, [Op(operation, op.inputs, [rows, *op.outputs[1:]], op.nodes)])


def _is_attended(op: Op) -> bool:
    """Return whether only attentions read the cache, f32 [N, K, S, E], and only its shape is read before the append."""
    whole, *past = op.outputs
    if rank_of(whole) != 4 or attributes(op, AppendToCache).axis != 2 or whole.element_type.name != "f32":
        return False
    if any(value.is_result for value in op.outputs) or not whole.users or whole.tensor is None:
        return False
    is_shape = all(user.is_a(ShapeOf) for value in past for user in value.users)
    return is_shape and all(_reads_cache(user, whole) for user in whole.users)


def _reads_cache(user: Op, whole: Value) -> bool:
    """Return whether an attention reads a value only as keys or values, and their heads divide the query's heads."""
    others = [*user.inputs[:1], *user.inputs[3:]]
    if not isinstance(user.operation, ScaledDotProductAttention) or whole in others:
        return False
    heads, *shared = (value.length(1) if value and value.rank == 4 else None for value in user.inputs[:3])
    return heads is not None and all(count and heads % count == 0 for count in shared)
