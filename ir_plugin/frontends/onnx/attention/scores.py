"""Attention by scores that are capped, or with one column more in the softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ir_plugin.frontends.onnx.attention.masks import as_bias
from ir_plugin.frontends.onnx.attention.splitting import heads_of, repeated_heads
from ir_plugin.frontends.onnx.common import i64, output, scalar, shape_of, type_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@dataclass(frozen=True)
class Scaling:
    """How scores are computed: their scale (None: 1 / √size), the cap (0: none), and a column of the softmax."""

    scale: float | None = None
    cap: float = 0.0
    sink: Output | None = None
    """Scores [1, heads, 1, 1] of a position that is in the sum of the softmax only."""


def attended(query: Output, key: Output, value: Output, mask: Output | None, scaling: Scaling) -> Output:
    """Return softmax(query · keyᵀ · scale + mask) · value; heads of keys and values are repeated."""
    heads = heads_of(query)
    key, value = repeated_heads(key, heads), repeated_heads(value, heads)
    if not scaling.cap and scaling.sink is None:
        scale = None if scaling.scale is None else scalar(scaling.scale, query)
        return output(ops.scaled_dot_product_attention(query, key, value, mask, scale))
    scores = scores_of(query, key, mask, scaling)
    if scaling.sink is None:
        return output(ops.matmul(ops.softmax(scores, -1), value, False, False))
    lengths = ops.gather(shape_of(scores), i64([0, 1, 2]), i64(0))
    column = ops.broadcast(scaling.sink, ops.concat([lengths, i64([1])], 0))
    weights = ops.softmax(ops.concat([scores, column], -1), -1)
    count = ops.gather(shape_of(scores), i64([3]), i64(0))
    return output(ops.matmul(ops.slice(weights, i64([0]), count, i64([1]), i64([3])), value, False, False))


def scores_of(query: Output, key: Output, mask: Output | None, scaling: Scaling) -> Output:
    """Return query · keyᵀ · scale, capped, and plus the mask: what the softmax is of."""
    scores = _capped(query, key, scaling)
    if mask is None:
        return scores
    bias = as_bias(mask, type_of(scores)) if type_of(mask) is ElementType.boolean else mask
    return output(ops.add(scores, bias))


def _capped(query: Output, key: Output, scaling: Scaling) -> Output:
    factor = scaling.scale
    if factor is None:
        size = query.tensor_info.shape[-1]
        factor = 1 / np.sqrt(size.get_length())
    scores = ops.matmul(ops.multiply(query, scalar(factor, query)), key, False, True)
    if scaling.cap:
        cap = scalar(scaling.cap, query)
        scores = ops.multiply(ops.tanh(ops.divide(scores, cap)), cap)
    return output(scores)
