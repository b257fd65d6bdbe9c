"""Attention of ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.frontends.onnx.attention.masks import both, is_open, masked, positions, window
from ir_plugin.frontends.onnx.attention.splitting import (
    extended,
    heads_of,
    joined_heads,
    length_of,
    repeated_heads,
    split_heads,
)
from ir_plugin.frontends.onnx.common import Value, cast, i64, output, rank_of, scalar, type_of
from ir_plugin.frontends.onnx.faults import OnnxUnsupportedError
from ir_plugin.frontends.onnx.functions import expanded_schema
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("Attention", 23)
def attention(node: OnnxNode) -> Sequence[Value | None]:
    """Return ScaledDotProductAttention-13; the operator's function where scores are read or capped."""
    if node.wants(3) or node.attributes.float("softcap") or not _is_simple(node):
        function = expanded_schema(node)
        if function is None:
            raise OnnxUnsupportedError("the operator's function is unknown")
        return function
    is_flat = node.known_rank(0) == 3
    query, key, value = (node.input(index) for index in range(3))
    if is_flat:
        count, shared = node.attributes.int("q_num_heads"), node.attributes.int("kv_num_heads")
        query, key, value = split_heads(query, count), split_heads(key, shared), split_heads(value, shared)
    length, past = length_of(key, 2), node.optional(4)
    key, value = extended(past, key), extended(node.optional(5), value)
    mask = _mask(node, query, key, None if past is None else output(ops.subtract(length_of(key, 2), length)))
    heads = heads_of(query)
    scale = node.attributes.float("scale", None)
    result = ops.scaled_dot_product_attention(
        query,
        repeated_heads(key, heads),
        repeated_heads(value, heads),
        mask,
        None if scale is None else scalar(scale, query),
        causal=mask is None and node.attributes.flag("is_causal"),
    )
    if mask is not None:
        result = ops.select(is_open(mask), result, scalar(0, query))
    return [joined_heads(result) if is_flat else result, key, value]


def _is_simple(node: OnnxNode) -> bool:
    """Return whether ranks and heads are known, and whether types fit ScaledDotProductAttention."""
    if any(node.rank(index) not in (3, 4) for index in range(3)):
        return False
    types = {node.type_of(index) for index in range(3)}
    if len(types) > 1 or types & {ElementType.bf16, ElementType.f16}:
        return False
    return node.rank(0) == 3 or all(node.input(index).tensor_info.shape[1].is_static for index in range(3))


def _mask(node: OnnxNode, query: Output, key: Output, past: Output | None) -> Output | None:
    """Return the mask: the node's, the causal one, windows, and the ends of samples."""
    total, lengths = length_of(key, 2), node.optional(6)
    left, right = (node.attributes.int(name, -1) for name in ("left_window_size", "right_window_size"))
    mask = node.optional(3)
    is_causal = node.attributes.flag("is_causal")
    keep = None
    if is_causal and (mask is not None or past is not None or lengths is not None or left >= 0 or right >= 0):
        right = 0
    offset = past
    if lengths is not None:
        ends = ops.reshape(cast(lengths, ElementType.i64), i64([-1, 1, 1]), special_zero=False)
        keep = output(ops.less(ops.unsqueeze(positions(total), i64([0, 1, 2])), ops.unsqueeze(ends, i64([3]))))
        if past is None:
            offset = output(ops.subtract(ends, length_of(query, 2)))
    if left >= 0 or right >= 0:
        keep = both(keep, window(positions(length_of(query, 2), offset), positions(total), left, right))
    if mask is None:
        return keep
    mask = _padded(mask, total)
    if type_of(mask) is ElementType.boolean:
        return both(mask, keep)
    return masked(keep, cast(mask, type_of(query)))


def _padded(mask: Output, total: Output) -> Output:
    """Pad a mask to the length of the key; positions past the mask's end are masked out."""
    last = mask.tensor_info.shape[-1]
    length = total.tensor_info.value
    if last.is_static and length is not None and int(length) == last.get_length():
        return mask
    missing = ops.reshape(ops.subtract(total, length_of(mask, -1)), i64([1]), special_zero=False)
    ends = ops.concat([i64([0] * ((rank_of(mask) or 1) - 1)), missing], 0)
    begin = i64([0] * (rank_of(mask) or 1))
    if type_of(mask) is ElementType.boolean:
        numbers = ops.pad(cast(mask, ElementType.i32), begin, ends, "constant", scalar(0, ElementType.i32))
        return cast(numbers, ElementType.boolean)
    return output(ops.pad(mask, begin, ends, "constant", scalar(-np.inf, mask)))
