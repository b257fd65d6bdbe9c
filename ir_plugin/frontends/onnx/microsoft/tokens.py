"""Tokens and values: NGramRepeatBlock, Unique, CDist, and operators that are ONNX's by another name."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.attention.masks import both, positions
from ir_plugin.frontends.onnx.attention.splitting import length_of
from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, output, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import Translated
from ir_plugin.frontends.onnx.rewording import as_operator
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@microsoft("SampleOp")
def sample_op(node: OnnxNode) -> Translated:
    """Return ONNX's Identity."""
    return as_operator(node, "Identity", 13, node.inputs)


@microsoft("ExpandDims")
def expand_dims(node: OnnxNode) -> Value:
    """Return data with an axis of length 1."""
    axis = as_scalar(cast(node.input(1), ElementType.i64))
    return ops.unsqueeze(node.input(0), ops.unsqueeze(axis, i64([0])))


@microsoft("Unique")
def unique(node: OnnxNode) -> list[Output | None]:
    """Return the values in the order in which they occur, for each element the number of its value, and counts."""
    values, _, numbers, counts = as_operator(node, "Unique", 11, node.inputs, sorted=0)
    return [values, numbers, counts]


@microsoft("MatMulInteger16")
def matmul_integer16(node: OnnxNode) -> Value:
    """Return the product of integers in 32 bits."""
    left, right = (cast(node.input(index), ElementType.i32) for index in (0, 1))
    product = ops.matmul(left, right, False, False)
    unsigned = node.type_of(0) is node.type_of(1) is ElementType.u16
    return cast(product, ElementType.u32) if unsigned else product


@microsoft("CDist")
def cdist(node: OnnxNode) -> Value:
    """Return the distances of the rows of two matrices, or their squares."""
    metric = node.attributes.text("metric", "sqeuclidean")
    if metric not in ("euclidean", "sqeuclidean"):
        raise OnnxUnsupportedError(f"the metric {metric!r} is not supported, only euclidean and sqeuclidean")
    left, right = ops.unsqueeze(node.input(0), i64([1])), ops.unsqueeze(node.input(1), i64([0]))
    squares = ops.reduce_sum(ops.squared_difference(left, right), i64([2]), keep_dims=False)
    return ops.sqrt(squares) if metric == "euclidean" else squares


@microsoft("NGramRepeatBlock")
def ngram_repeat_block(node: OnnxNode) -> Value:
    """Return scores that are -inf for tokens with which the last tokens would repeat an n-gram."""
    size = node.attributes.int("ngram_size")
    if size < 1:
        raise OnnxReadError(f"the attribute 'ngram_size' is {size}; it must be 1 or more")
    tokens, scores = cast(node.input(0), ElementType.i64), node.input(1)
    length = length_of(tokens, 1)
    count = ops.maximum(ops.subtract(length, i64(size - 1)), i64(0))
    starts, repeats = positions(count), None
    for offset in range(size - 1):
        last = ops.maximum(ops.subtract(length, i64(size - 1 - offset)), i64(0))
        tail = ops.unsqueeze(ops.gather(tokens, last, i64(1)), i64([1]))
        begun = ops.gather(tokens, ops.add(starts, i64(offset)), i64(1))
        repeats = both(repeats, output(ops.equal(begun, tail)))
    following = output(ops.gather(tokens, ops.add(starts, i64(size - 1)), i64(1)))
    repeated = scalar(1, ElementType.f32) if repeats is None else cast(repeats, ElementType.f32)
    marks = ops.broadcast(repeated, shape_of(following))
    none = ops.broadcast(scalar(0, ElementType.f32), shape_of(scores))
    blocked = ops.scatter_elements_update(none, following, marks, i64(1), reduction="max")
    is_blocked = ops.greater(blocked, scalar(0, ElementType.f32))
    return ops.select(is_blocked, scalar(-np.inf, scores), scores)
