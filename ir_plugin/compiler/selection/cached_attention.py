"""Selects the kernel of an attention whose number of keys only a run tells, or whose heads share keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.passes.grouped_query_attention import GroupedQueryAttention, for_all
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.attention import scale_of, zeroed_rows
from ir_plugin.compiler.selection.kernel import (
    Allocate,
    Execute,
    Kernel,
    OpenExecute,
    OpenKernel,
    Options,
    StaticKernel,
)
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numpy.attention import (
    Attention,
    Sizes,
    ZeroedRows,
    addend_of,
    attention,
    few_queries,
)
from ir_plugin.kernels.registry import Provider
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import as_floats, is_packed, shape_of_values


def select_cached_attention(op: Op, options: Options) -> Kernel | None:
    """Return one of `ATTENTIONS` of [N, H, L, E] with a constant scale and no sink, which knows not all lengths."""
    if op.epilogue or _is_static(op):
        return None
    operation, output = attributes(op, ScaledDotProductAttention), op.outputs[0]
    values, scale = _values(op, operation), scale_of(op)
    if values is None or scale is None or output.element_type.name not in ("f32", "f64"):
        return None

    def make(pool: ThreadPool) -> Execute:
        return _CachedAttention(operation, scale, output.dtype, options.kernels, pool)

    def make_open(pool: ThreadPool) -> OpenExecute:
        run = make(pool)

        def execute(inputs: Sequence[Array], allocate: Allocate) -> Array:
            value = inputs[2]
            width = shape_of_values(value)[3] if is_packed(value) else value.shape[3]
            result = allocate((*inputs[0].shape[:3], width))
            run(inputs, [result])
            return result

        return execute

    is_compiled = output.element_type.name == "f32" and options.kernels.find(keys.ATTENTION) is not None
    variant = "groups, numba" if is_compiled else "groups"
    if output.shape is None:
        return OpenKernel(values, make_open, variant=variant)
    return StaticKernel(values, make, variant=variant)


def _is_static(op: Op) -> bool:
    """Return whether all lengths are known, and heads that share keys have more than a few rows."""
    parts = [value for value in op.inputs[:3] if value is not None]
    if op.outputs[0].shape is None or any(value.shape is None for value in parts):
        return False
    return not (op.is_a(GroupedQueryAttention) and _is_short(parts))


def _is_short(parts: Sequence[Value]) -> bool:
    """Return whether the rows of the query, times the heads that share a key, are few."""
    (_, heads, rows, _), (_, shared, _, _) = (value.shape or (1,) * 4 for value in parts[:2])
    return heads // shared * rows <= policy.CACHED_ATTENTION_HEADS_MAX_ROWS


def _values(op: Op, operation: ScaledDotProductAttention) -> list[Value] | None:
    """Return the query, key, value and mask that an attention reads; None for a sink, and other ranks or heads."""
    parts = [value for value in op.inputs[:3] if value is not None]
    mask = op.inputs[3] if len(op.inputs) > 3 and not operation.causal else None
    if len(op.inputs) > 5 or any(rank_of(value) != 4 for value in parts):
        return None
    if mask is not None and rank_of(mask) is None:
        return None
    heads, *shared = (value.length(1) for value in parts)
    if heads is not None and any(count and heads % count for count in shared):
        return None
    return parts if mask is None or rank_of(mask) == 0 else [*parts, mask]


class _CachedAttention:
    """The attention of one request, whose kernel is chosen by the lengths of each run."""

    def __init__(
        self,
        operation: ScaledDotProductAttention,
        scale: float,
        dtype: np.dtype[np.generic],
        kernels: Provider,
        pool: ThreadPool,
    ) -> None:
        self._operation, self._scale, self._dtype, self._pool = operation, scale, dtype, pool
        self._zeroed = zeroed_rows(operation)
        is_single = dtype == np.float32
        self._make_attention = kernels.find(keys.ATTENTION) if is_single else None
        make_few = kernels.find(keys.FEW_QUERIES) if is_single else None
        self._compiled_few = None if make_few is None else make_few(scale, pool)
        self._last: tuple[Sizes, Attention] | None = None

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the output; keys and values may be packed."""
        query, key, value = inputs[0], inputs[1], inputs[2]
        _require_positions(self._operation, key, value)
        if outputs[0].size == 0:
            return
        if key.shape[1] != value.shape[1] and not (is_packed(key) or is_packed(value)):
            key, value = _of_same_heads(key, value)
        (heads, rows), (shared, keys) = query.shape[1:3], key.shape[1:3]
        has_few_rows = heads // shared * rows <= policy.CACHED_ATTENTION_HEADS_MAX_ROWS
        is_short = has_few_rows and self._zeroed is ZeroedRows.NONE
        mask = _addend(inputs, self._operation.causal, rows, keys)
        if is_short and self._run_few(query, key, value, mask, outputs[0]):
            return
        key, value = as_floats(key), as_floats(value)
        _require_fit(query, key)
        if keys == 0:
            outputs[0].fill(0)
        else:
            self._run_groups(query, key, value, mask, outputs[0], is_short)

    def _run_few(self, query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> bool:
        """Fill the output for few queries by compiled code, and return whether it did."""
        few = self._compiled_few
        return few is not None and few(query, key, value, mask, output)

    def _run_groups(
        self, query: Array, key: Array, value: Array, mask: Array | None, output: Array, is_short: bool
    ) -> None:
        """Fill the output by products of all heads that share a key."""
        samples, heads, rows, _ = query.shape
        shared, keys = key.shape[1:3]
        split = (samples, shared, heads // shared)
        addend, value = None if mask is None else _of_groups(mask, split), for_all(key, value)
        groups = [query.reshape(*split, *query.shape[2:]), key[:, :, None], value[:, :, None]]
        target = output.reshape(*split, *output.shape[2:])
        if is_short:
            few_queries(groups[0], groups[1], groups[2], addend, self._scale, target, self._pool)
            return
        sizes = Sizes(samples * shared, split[2], rows, keys, query.shape[3], value.shape[3])
        whole = [_joined(np.broadcast_to(array, (*split, array.shape[-2], array.shape[-1]))) for array in groups]
        wide = None if addend is None else _joined(np.broadcast_to(addend, (*split, rows, keys)))
        self._kernel(sizes)(whole[0], whole[1], whole[2], wide, _joined(target))

    def _kernel(self, sizes: Sizes) -> Attention:
        """Return the attention kernel for these lengths, reused if the last run had the same."""
        if self._last is None or self._last[0] != sizes:
            if self._make_attention is not None:
                kernel = self._make_attention(sizes, self._scale, self._pool, self._zeroed)
            else:
                kernel = attention(sizes, self._scale, self._dtype, self._pool, self._zeroed)
            self._last = sizes, kernel
        return self._last[1]


def _require_fit(query: Array, key: Array) -> None:
    """Raise `ValueError` unless query and key have equal widths, and the key has the query's batch or a batch of 1."""
    if key.shape[0] not in (1, query.shape[0]) or key.shape[3] != query.shape[3]:
        raise ValueError(f"query has the shape {list(query.shape)}, key {list(key.shape)}")


def _require_positions(operation: ScaledDotProductAttention, key: Array, value: Array) -> None:
    """Raise `ValueError` unless keys and values have as many positions; grouped ones may have one value for all."""
    if key.shape[2] != value.shape[2] and not isinstance(operation, GroupedQueryAttention):
        raise ValueError(f"key has {key.shape[2]} positions, value {value.shape[2]}")


def _of_same_heads(key: Array, value: Array) -> tuple[Array, Array]:
    """Return keys and values of as many heads, where either have one for all."""
    heads = max(key.shape[1], value.shape[1])
    key, value = (np.array(np.broadcast_to(array, (len(array), heads, *array.shape[2:]))) for array in (key, value))
    return key, value


def _addend(inputs: Sequence[Array], causal: bool, rows: int, keys: int) -> Array | None:
    """Return the mask as an addend of the scores, None without a mask."""
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
