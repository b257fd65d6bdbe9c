"""Fuses the projections of query, key and value that read the same rows into one product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import commuted_operands, single_use_producer
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, constant_of, index_constant
from ir_plugin.compiler.zeroing_attention import ZeroingAttention
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.movement.variadic_split import VariadicSplit
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.tensors import Array

_LAYOUT_OPS = (Reshape, Transpose, Squeeze, Unsqueeze)


@dataclass
class _Linear:
    """A projection: rows times weights [K, N], plus a bias."""

    data: Value
    weights: Array
    bias: Array
    output: Value
    ops: list[Op]


@follows("attention_fusion")
class QkvFusion(Pattern):
    """Fuse projections of query, key and value that read the same rows into one MatMul and a split.

    The rows are packed once instead of three times and threads synchronize less often. Weights are constant matrices of
    f32, a bias runs along their columns and raises no rank, shapes are known, and nothing else reads a projection.
    """

    roots = (ScaledDotProductAttention, ZeroingAttention)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        projections = [linear for linear in (_linear(value) for value in op.inputs[:3]) if linear is not None]
        for first in projections:
            same = [linear for linear in projections if linear.data is first.data]
            if first is same[0] and len(same) > 1:
                _fuse(rewriter, same)


def _linear(value: Value | None) -> _Linear | None:
    """Return the projection that a value is, but for changes of layout; each op in between has one reader."""
    producer = single_use_producer(value)
    while producer is not None and producer.is_a(*_LAYOUT_OPS):
        value = producer.inputs[0]
        producer = single_use_producer(value)
    bias, ops = None, []
    if producer is not None and producer.is_a(Add):
        ops.append(producer)
        sums = [(product, addend) for product, addend in commuted_operands(producer) if addend.constant is not None]
        producer, bias = (single_use_producer(sums[0][0]), sums[0][1]) if sums else (None, None)
    if producer is None or not producer.is_a(MatMul) or attributes(producer, MatMul).transpose_a or value is None:
        return None
    data, weights = producer.inputs
    if data is None or data.shape is None or weights is None or weights.constant is None or weights.constant.ndim != 2:
        return None
    array = weights.constant.T if attributes(producer, MatMul).transpose_b else weights.constant
    vector = _vector(bias, array)
    if vector is None or value.shape != (*data.shape[:-1], array.shape[1]) or weights.element_type.name != "f32":
        return None
    return _Linear(data, array, vector, value, [producer, *ops])


def _vector(bias: Value | None, weights: Array) -> Array | None:
    """Return a bias along the last axis as a vector, zeros for no bias; None for a bias along other axes."""
    if bias is None or bias.constant is None:
        return np.zeros(weights.shape[1], weights.dtype)
    fits = bias.constant.size == max(bias.constant.shape[-1:], default=1)
    return np.broadcast_to(bias.constant.reshape(-1), weights.shape[1:]) if fits else None


def _fuse(rewriter: Rewriter, parts: list[_Linear]) -> None:
    """Replace projections of the same data by one product, a sum and a split."""
    element_type, data = parts[0].output.element_type, parts[0].data
    replaced = [op for part in parts for op in part.ops]
    nodes = [node for op in replaced for node in op.nodes]
    lengths = [part.weights.shape[1] for part in parts]
    shape = (*(data.shape or ())[:-1], sum(lengths))
    arrays = [part.weights for part in parts]
    (joined,) = rewriter.graph.weight_cache.derived("joined", arrays, lambda: [np.concatenate(arrays, axis=1)])
    weights = constant_of(element_type, joined)
    bias = constant_of(element_type, np.concatenate([part.bias for part in parts]))
    product, total = Value(element_type, shape), Value(element_type, shape)
    cut = [index_constant([len(shape) - 1]), index_constant(lengths)]
    outputs = [part.output for part in parts]
    ops = [
        Op(MatMul(transpose_a=False, transpose_b=False), [data, weights], [product], nodes),
        Op(Add(auto_broadcast="numpy"), [product, bias], [total], list(nodes)),
        Op(VariadicSplit(), [total, *cut], outputs, list(nodes)),
    ]
    rewriter.replace(min(replaced, key=rewriter.positions.__getitem__), ops, replaced)
