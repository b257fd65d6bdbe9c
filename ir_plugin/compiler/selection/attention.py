"""Selects the kernel of an attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.passes.grouped_query_attention import GroupedQueryAttention
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    Options,
    StaticKernel,
    are_views,
    cached_views,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.compiler.zeroing_attention import ZeroingAttention
from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, jobs_of
from ir_plugin.kernels.numpy.attention import Attention, Sizes, ZeroedRows, addend_of, attention
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.tensors import Array

ATTENTIONS = (ScaledDotProductAttention, ZeroingAttention, GroupedQueryAttention)


@selects(*ATTENTIONS)
def select_attention(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an attention of f32 or f64 with a constant scale and no sink; a block of heads at a time."""
    if op.epilogue or _operand(op, 5) is not None:
        return None
    operands, sizes, scale = [value for value in op.inputs[:3] if value is not None], _sizes(op), scale_of(op)
    if sizes is None or scale is None or operands[0].element_type.name not in ("f32", "f64"):
        return None
    dtype, lead = operands[0].dtype, (op.outputs[0].shape or ())[:-2]
    kernel = options.kernels.find(keys.ATTENTION) if dtype == np.float32 else None
    if sizes.group > 1 and kernel is None:
        return None
    mask, zeroed = _mask(op, sizes), zeroed_rows(attributes(op, ScaledDotProductAttention))
    values = [*operands, *([mask] if isinstance(mask, Value) else [])]

    def make(pool: ThreadPool) -> Execute:
        fixed = mask if isinstance(mask, np.ndarray) else None
        run = kernel(sizes, scale, pool, zeroed) if kernel else attention(sizes, scale, dtype, pool, zeroed)
        return _Heads(run, sizes, lead, fixed)

    spins = kernel is not None and options.has_spin_pool
    return StaticKernel(values, make, variant="heads, numba" if kernel else "heads", uses_spin_pool=spins)


def _sizes(op: Op) -> Sizes | None:
    """Return the lengths of an attention; None where they are not known, or its inputs do not fit each other."""
    shapes = [() if value is None else value.shape or () for value in op.inputs[:3]]
    output = op.outputs[0].shape or ()
    if len(output) < 3 or any(len(shape) != len(output) or 0 in shape for shape in shapes):
        return None
    lead, group, (query, key, value) = output[:-2], _group(op, shapes), shapes
    return Sizes(prod(lead[:-1]), lead[-1], query[-2], key[-2], query[-1], value[-1], group) if group else None


def zeroed_rows(operation: ScaledDotProductAttention) -> ZeroedRows:
    """Return which rows of the softmax are replaced by 0."""
    return operation.rows if isinstance(operation, ZeroingAttention) else ZeroedRows.NONE


def _group(op: Op, shapes: Sequence[tuple[int, ...]]) -> int:
    """Return how many heads of the query share a key, 0 where samples or positions of the key differ."""
    query, key, value = shapes
    if not op.is_a(GroupedQueryAttention):
        return 1
    return query[1] // key[1] if query[0] == key[0] == value[0] and key[1:3] == value[1:3] else 0


class _Heads:
    """An attention on arrays of four axes: views of the inputs and of the output."""

    def __init__(self, run: Attention, sizes: Sizes, lead: tuple[int, ...], mask: Array | None) -> None:
        self._run, self._sizes, self._lead = run, sizes, lead
        self._mask = None if mask is None else self._scores(mask)
        self._find = cached_views(self._views)

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        query, key, value, mask, output = self._find(inputs, outputs)
        self._run(query, key, value, self._mask if mask is None else mask, output)

    def jobs(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs for arrays that are the same in every run, or None where other work is part of a run."""
        views = query, key, value, mask, output = self._find(inputs, outputs)
        if not are_views(views, (*inputs, *outputs)):
            return None
        return jobs_of(self._run, query, key, value, self._mask if mask is None else mask, output)

    def _four(self, array: Array) -> Array:
        if self._sizes.group > 1:
            return array
        whole = np.broadcast_to(array, (*self._lead, *array.shape[-2:]))
        return whole.reshape(self._sizes.batch, self._sizes.heads, *array.shape[-2:])

    def _scores(self, mask: Array) -> Array:
        whole = np.broadcast_to(mask, (*self._lead, self._sizes.queries, self._sizes.keys))
        return whole.reshape(self._sizes.batch, self._sizes.heads, *whole.shape[-2:])

    def _views(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> tuple[Array, Array, Array, Array | None, Array]:
        query, key, value = (self._four(array) for array in inputs[:3])
        mask = self._scores(inputs[3]) if len(inputs) > 3 else None
        output = outputs[0].reshape(self._sizes.batch, self._sizes.heads, *outputs[0].shape[-2:])
        return query, key, value, mask, output


def _operand(op: Op, position: int) -> Value | None:
    return op.inputs[position] if len(op.inputs) > position else None


def scale_of(op: Op) -> float | None:
    """Return the constant scale of the scores, or None where it is only known in the run."""
    factor, query = _operand(op, 4), op.inputs[0]
    if factor is not None:
        return None if factor.constant is None else float(factor.constant.reshape(-1)[0])
    rank = rank_of(query)
    width = None if query is None or not rank else static_length(query, rank - 1)
    return 1 / math.sqrt(width) if width else None


def _mask(op: Op, sizes: Sizes) -> Value | Array | None:
    """Return the mask: an input, a constant, or None."""
    if attributes(op, ScaledDotProductAttention).causal:
        return addend_of(np.tri(sizes.queries, sizes.keys, dtype=np.bool_), op.outputs[0].dtype)
    mask = _operand(op, 3)
    if mask is None or not mask.shape:
        return None
    return mask if mask.constant is None else addend_of(mask.constant, op.outputs[0].dtype)
