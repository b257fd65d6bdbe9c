"""Which form an attention gets whose keys are only counted in the run, or shared by heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.passes.grouped_query_attention import GroupedQueryAttention, for_all
from ir_plugin.compiler.selection.attention import is_attention, scale_of, zeroed_rows
from ir_plugin.compiler.selection.kernel import Allocate, Execute, Kernel, OpenExecute, Options
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.attention import (
    Attention,
    FewQueries,
    Sizes,
    ZeroedRows,
    addend_of,
    attention,
    few_queries,
)
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import as_floats, is_packed, shape_of_values

_Kernels: TypeAlias = "Callable[[Sizes], Attention]"


def select_cached_attention(op: Op, options: Options) -> Kernel | None:
    """Return an attention of [N, H, L, E] with a constant scale and no sink, which knows not all lengths."""
    operation, output = op.operation, op.outputs[0]
    grouped = isinstance(operation, GroupedQueryAttention)
    if not is_attention(op) or not isinstance(operation, ScaledDotProductAttention):
        return None
    parts = [value for value in op.inputs[:3] if value is not None]
    scale, is_known = scale_of(op), all(value.shape is not None for value in parts)
    if (is_known and output.shape is not None and not (grouped and _is_short(parts))) or scale is None:
        return None
    if len(op.inputs) > 5 or output.element_type.name not in ("f32", "f64"):
        return None
    mask = op.inputs[3] if len(op.inputs) > 3 and not operation.causal else None
    if any(rank_of(value) != 4 for value in parts) or (mask is not None and rank_of(mask) is None):
        return None
    heads, *shared = (value.length(1) for value in parts)
    if heads is not None and any(count and heads % count for count in shared):
        return None
    values: list[Value] = parts if mask is None or rank_of(mask) == 0 else [*parts, mask]
    make_attention = options.kernels.attention if output.element_type.name == "f32" else None

    few = options.kernels.few_queries if output.element_type.name == "f32" else None
    zeroed = zeroed_rows(operation)

    def make(pool: ThreadPool) -> Execute:
        @lru_cache(maxsize=1)
        def kernels(sizes: Sizes) -> Attention:
            if make_attention is not None:
                return make_attention(sizes, scale, pool, zeroed)
            return attention(sizes, scale, output.dtype, pool, zeroed)

        return _execute(kernels, few, scale, operation, pool)

    def make_open(pool: ThreadPool) -> OpenExecute:
        run = make(pool)

        def execute(inputs: Sequence[Array], allocate: Allocate) -> Array:
            value = inputs[2]
            width = shape_of_values(value)[3] if is_packed(value) else value.shape[3]
            result = allocate((*inputs[0].shape[:3], width))
            run(inputs, [result])
            return result

        return execute

    variant = "groups, numba" if make_attention else "groups"
    return Kernel(values, make, make_open=make_open if output.shape is None else None, variant=variant)


def _is_short(parts: Sequence[Value]) -> bool:
    """Return whether the rows of the query, times the heads that share a key, are few."""
    (_, heads, rows, _), (_, shared, _, _) = (value.shape or (1,) * 4 for value in parts[:2])
    return heads // shared * rows <= policy.CACHED_ATTENTION_HEADS_MAX_ROWS


def _execute(
    kernels: _Kernels, few: FewQueries | None, scale: float, operation: ScaledDotProductAttention, pool: ThreadPool
) -> Execute:
    causal, is_zeroing = operation.causal, zeroed_rows(operation) is not ZeroedRows.NONE

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        query, key, value = inputs[0], inputs[1], inputs[2]
        _require_positions(operation, key, value)
        if outputs[0].size == 0:
            return
        if key.shape[1] != value.shape[1] and not (is_packed(key) or is_packed(value)):
            key, value = _of_same_heads(key, value)
        samples, heads, rows, _ = query.shape
        shared, keys = key.shape[1:3]
        if is_packed(key) or is_packed(value):
            mask = _addend(inputs, causal, rows, keys)
            is_short = heads // shared * rows <= policy.CACHED_ATTENTION_HEADS_MAX_ROWS
            if is_short and few is not None and few(query, key, value, mask, scale, outputs[0], pool):
                return
            key, value = as_floats(key), as_floats(value)
        if key.shape[0] not in (1, samples) or key.shape[3] != query.shape[3]:
            raise ValueError(f"query has the shape {list(query.shape)}, key {list(key.shape)}")
        if keys == 0:
            outputs[0].fill(0)
            return
        count = heads // shared
        split = (samples, shared, count)
        mask = _addend(inputs, causal, rows, keys)
        is_short = count * rows <= policy.CACHED_ATTENTION_HEADS_MAX_ROWS and not is_zeroing
        if is_short and few is not None and few(query, key, value, mask, scale, outputs[0], pool):
            return
        addend, value = None if mask is None else _of_groups(mask, split), for_all(key, value)
        groups = [query.reshape(*split, *query.shape[2:]), key[:, :, None], value[:, :, None]]
        target = outputs[0].reshape(*split, *outputs[0].shape[2:])
        if is_short:
            few_queries(groups[0], groups[1], groups[2], addend, scale, target, pool)
            return
        sizes = Sizes(samples * shared, count, rows, keys, query.shape[3], value.shape[3])
        whole = [_joined(np.broadcast_to(array, (*split, array.shape[-2], array.shape[-1]))) for array in groups]
        wide = None if addend is None else _joined(np.broadcast_to(addend, (*split, rows, keys)))
        kernels(sizes)(whole[0], whole[1], whole[2], wide, _joined(target))

    return execute


def _require_positions(operation: ScaledDotProductAttention, key: Array, value: Array) -> None:
    """Raise unless keys and values have as many positions; those of groups may have one value for all."""
    if key.shape[2] != value.shape[2] and not isinstance(operation, GroupedQueryAttention):
        raise ValueError(f"key has {key.shape[2]} positions, value {value.shape[2]}")


def _of_same_heads(key: Array, value: Array) -> tuple[Array, Array]:
    """Return keys and values of as many heads, where either have one for all."""
    heads = max(key.shape[1], value.shape[1])
    key, value = (np.array(np.broadcast_to(array, (len(array), heads, *array.shape[2:]))) for array in (key, value))
    return key, value


def _addend(inputs: Sequence[Array], causal: bool, rows: int, keys: int) -> Array | None:
    """Return what is added to the scores."""
    mask = np.tri(rows, keys, dtype=np.bool_) if causal else inputs[3] if len(inputs) > 3 else None
    return None if mask is None else addend_of(mask, inputs[0].dtype)


def _of_groups(mask: Array, split: tuple[int, int, int]) -> Array:
    """Return a mask that broadcasts to [N, H, L, S] as one that broadcasts to [N, K, H / K, L, S]."""
    samples, heads, rows, keys = (1,) * (4 - mask.ndim) + mask.shape
    groups = (1, 1) if heads == 1 else split[1:]
    return mask.reshape(samples, *groups, rows, keys)


def _joined(array: Array) -> Array:
    """Return [N, K, G, L, S] as [N * K, G, L, S]."""
    samples, shared, count, rows, width = array.shape
    return array.reshape(samples * shared, count, rows, width)
