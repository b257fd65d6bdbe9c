"""Attention and MultiHeadAttention of onnxruntime."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_plugin.frontends.onnx.attention.masks import as_bias, positions, window
from ir_plugin.frontends.onnx.attention.scores import Scaling, attended, scores_of
from ir_plugin.frontends.onnx.attention.splitting import extended, joined_heads, length_of, split_heads, with_heads
from ir_plugin.frontends.onnx.common import Value, cast, i64, output, rank_of, scalar, type_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.scales import centered
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


class Heads(NamedTuple):
    """Query, key and value [batch, heads, length, size]."""

    query: Output
    key: Output
    value: Output


@microsoft("Attention")
def attention(node: OnnxNode) -> list[Value | None]:
    """Return attention over a projection of the input, and the keys and values [2, batch, heads, length, size]."""
    projected = bias_added(output(ops.matmul(node.input(0), node.input(1), False, False)), node.optional(2))
    return _of_projection(node, projected, node.optional(3), node.optional(4), node.optional(5))


@microsoft("QAttention")
def quantized_attention(node: OnnxNode) -> list[Value | None]:
    """As Attention, of a quantized input and quantized weights."""
    data, weights = (centered(node.input(k), node.optional(k + 6), ElementType.f32) for k in (0, 1))
    scale = ops.multiply(node.input(3), node.input(4))
    product = ops.multiply(ops.matmul(data, weights, False, False), scale)
    projected = output(ops.add(product, node.input(2)))
    return _of_projection(node, projected, node.optional(5), node.optional(8), None)


def _of_projection(
    node: OnnxNode, projected: Output, mask: Output | None, before: Output | None, added: Output | None
) -> list[Value | None]:
    if node.attributes.flag("do_rotary", 0):
        raise OnnxUnsupportedError("the attribute 'do_rotary' is 1; rotary embeddings are not supported here")
    count = node.attributes.int("num_heads")
    sizes = node.attributes.ints("qkv_hidden_sizes", None)
    if sizes:
        parts = ops.variadic_split(projected, i64(-1), i64(sizes)).outputs
    else:
        parts = ops.split(projected, i64(-1), 3).outputs
    heads = Heads(*(split_heads(part, count) for part in parts))
    if before is not None:
        past = [output(ops.gather(before, i64(index), i64(0))) for index in (0, 1)]
        heads = Heads(heads.query, extended(past[0], heads.key), extended(past[1], heads.value))
    bias = _bias(node, heads, mask, added)
    present = None
    if node.wants(1):
        present = ops.concat([ops.unsqueeze(item, i64([0])) for item in (heads.key, heads.value)], 0)
    return [joined_heads(attended(*heads, bias, _scaling(node))), present]


@microsoft("MultiHeadAttention")
def multi_head_attention(node: OnnxNode) -> list[Value | None]:
    """Return attention over query, key and value, which may be packed, and the keys and values with those before."""
    return _over_heads(node)


def _over_heads(node: OnnxNode) -> list[Value | None]:
    heads = _heads(node, node.attributes.int("num_heads"))
    key, value = extended(node.optional(6), heads.key), extended(node.optional(7), heads.value)
    heads = Heads(heads.query, key, value)
    bias = _bias(node, heads, node.optional(4), node.optional(5))
    scores = scores_of(heads.query, heads.key, bias, _scaling(node)) if node.wants(3) else None
    return [joined_heads(attended(*heads, bias, _scaling(node))), key, value, scores]


@microsoft("DecoderMaskedMultiHeadAttention")
def decoder_masked_multi_head_attention(node: OnnxNode) -> list[Value | None]:
    """As MultiHeadAttention for a query of length 1, with keys and values in buffers of their largest length."""
    if node.has(9):
        raise OnnxUnsupportedError("input 9: an indirection of beams is not supported")
    caches, end = [node.optional(5), node.optional(6)], None
    if node.attributes.flag("past_present_share_buffer", 0) and all(caches):
        end = output(ops.reshape(cast(node.input(7), ElementType.i64), i64([1]), special_zero=False))
    past = [_rows(cache, i64([0]), end) for cache in caches]
    inputs = [node.optional(k) for k in (0, 1, 2, 10, 3, 4)]
    inner = OnnxNode(node.scope, node.proto, node.version, node.schema, [*inputs, *past])
    result, *present = _over_heads(inner)
    if end is not None:
        first = output(ops.add(end, i64([1])))
        rest = [_rows(cache, first, i64([np.iinfo(np.int64).max])) for cache in caches]
        present[:2] = [ops.concat([item, more], 2) for item, more in zip(present, rest, strict=False) if item and more]
    return [result, *present]


def _rows(cache: Output | None, first: Output, end: Output | None) -> Output | None:
    """Return keys or values from one position to another; all of them without an end."""
    if cache is None or end is None:
        return cache
    return output(ops.slice(cache, first, end, i64([1]), i64([2])))


def _heads(node: OnnxNode, count: int) -> Heads:
    """Return the heads of query, key and value, with their biases."""
    query, bias = node.input(0), node.optional(3)
    biases: list[Output] = list(ops.split(bias, i64(0), 3).outputs) if bias is not None and not _sizes(node) else []
    if bias is not None and not biases:
        biases = list(ops.variadic_split(bias, i64(0), i64(_sizes(node) or [])).outputs)
    if rank_of(query) == 5:
        return Heads(*(_with_bias(part, biases, k) for k, part in enumerate(_packed(query, 3))))
    parts: list[Output] = [with_heads(query, count)]
    key = node.input(1)
    if rank_of(key) == 5:
        parts += _packed(key, 2)
    elif rank_of(key) == 3:
        parts += [with_heads(key, count), with_heads(node.input(2), count)]
    else:
        return Heads(_with_bias(parts[0], biases, 0), key, node.input(2))
    return Heads(*(_with_bias(part, biases, k) for k, part in enumerate(parts)))


def _sizes(node: OnnxNode) -> list[int] | None:
    """Return the numbers of channels of query, key and value if the value's differs."""
    if node.rank(0) != 3 or not node.has(2) or node.rank(2) != 3:
        return None
    dims = [node.input(0).tensor_info.shape[2], node.input(0).tensor_info.shape[2], node.input(2).tensor_info.shape[2]]
    sizes = [dim.get_length() for dim in dims if dim.is_static]
    return sizes if len(sizes) == 3 and len(set(sizes)) > 1 else None


def _packed(value: Output, count: int) -> list[Output]:
    """Return the parts of [batch, length, heads, count, size]."""
    return [output(ops.squeeze(part, i64([3]))) for part in ops.split(value, i64(3), count).outputs]


def _with_bias(value: Output, biases: list[Output], index: int) -> Output:
    """Return [batch, length, heads, size] with its bias, and the heads in front."""
    if biases:
        dims = value.tensor_info.shape[2:]
        lengths = [dim.get_length() if dim.is_static else -1 for dim in dims]
        value = output(ops.add(value, ops.reshape(biases[index], i64(lengths), special_zero=False)))
    return output(ops.transpose(value, i64([0, 2, 1, 3])))


def _scaling(node: OnnxNode) -> Scaling:
    scale = node.attributes.float("scale", 0.0)
    return Scaling(scale or None)


def _bias(node: OnnxNode, heads: Heads, mask: Output | None, added: Output | None) -> Output | None:
    """Return the bias added to the scores: large negative numbers where the mask or the order forbids a position."""
    element_type = type_of(heads.query)
    low = node.attributes.float("mask_filter_value", -10000.0)
    terms = [] if added is None else [added]
    if mask is not None:
        terms.append(as_bias(_seen(mask, heads), element_type, low))
    if node.attributes.flag("unidirectional", 0):
        total, length = length_of(heads.key, 2), length_of(heads.query, 2)
        order = window(positions(length, output(ops.subtract(total, length))), positions(total), right=0)
        if order is not None:
            terms.append(as_bias(order, element_type, float(np.finfo(np.float32).min)))
    if not terms:
        return None
    result = terms[0]
    for term in terms[1:]:
        result = output(ops.add(result, term))
    return result


def _seen(mask: Output, heads: Heads) -> Output:
    """Return whether positions are seen: of a mask of rank 2 to 4, or of the lengths of samples."""
    rank = rank_of(mask)
    if rank == 1:
        return _before_ends(mask, heads)
    truths = output(ops.not_equal(mask, scalar(0, mask)))
    if rank == 4:
        length, total = length_of(heads.query, 2), length_of(heads.key, 2)
        first = ops.unsqueeze(ops.subtract(total, length), i64([0]))
        rows = ops.slice(truths, first, ops.unsqueeze(total, i64([0])), i64([1]), i64([2]))
        return output(ops.slice(rows, i64([0]), ops.unsqueeze(total, i64([0])), i64([1]), i64([3])))
    if rank not in (2, 3):
        raise OnnxReadError(f"the mask has the rank {rank}; it must be 1 to 4")
    return output(ops.unsqueeze(truths, i64([1, 2] if rank == 2 else [1])))


def _before_ends(mask: Output, heads: Heads) -> Output:
    """Return whether positions lie before the end of each sample, and from its start on if the mask has starts."""
    numbers = positions(length_of(heads.key, 2))
    batch, count = heads.query.tensor_info.shape[0], mask.tensor_info.shape[0]
    column = [-1, 1, 1, 1]
    has_starts = batch.is_static and count.is_static and count.get_length() == 2 * batch.get_length()
    bounds = cast(mask, ElementType.i64)
    if not has_starts:
        return output(ops.less(numbers, ops.reshape(bounds, i64(column), special_zero=False)))
    ends, starts = (ops.reshape(part, i64(column), special_zero=False) for part in ops.split(bounds, i64(0), 2).outputs)
    return output(ops.logical_and(ops.less(numbers, ends), ops.greater_equal(numbers, starts)))
