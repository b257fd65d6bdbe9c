"""Fuses attention that a graph spells out as products, scale, mask and softmax into one op."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.rewriter import (
    attributes,
    constant_of,
    index_constant,
    operation_of,
    replace_ops,
    scaled,
    single_use_producer,
)
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.matrix.matmul import MatMul


@dataclass
class _Scores:
    """The product, scale and mask of attention scores, and the ops that compute them."""

    product: Op
    scale: float
    mask: Value | None
    ops: list[Op]


def attention_fusion(graph: Graph) -> None:
    """Fuse softmax(query · keyᵀ · scale + mask) · value into ScaledDotProductAttention.

    The scale may multiply or divide the scores, the query or the key. Every value in between must have a single use.
    """
    for op in list(graph.ops):
        softmax = single_use_producer(op.inputs[0], "Softmax") if op.type == "MatMul" and not op.epilogue else None
        if softmax is None or attributes(op, MatMul).transpose_a:
            continue
        scores = _scores(softmax)
        if scores is not None and _fits(scores, op):
            _replace(graph, op, softmax, scores)


def _scores(softmax: Op) -> _Scores | None:
    """Return product, scale and mask of the input of a softmax, where the mask is added last."""
    value, mask, scale = softmax.inputs[0], None, 1.0
    shape = None if value is None else value.shape
    if shape is None or len(shape) < 3 or attributes(softmax, Softmax).axis % len(shape) != len(shape) - 1:
        return None
    ops: list[Op] = []
    while True:
        producer = single_use_producer(value)
        if producer is None or producer.outputs[0].shape != shape:
            return None
        ops.append(producer)
        if producer.type == "MatMul":
            return _Scores(producer, scale, mask, ops)
        inner = scaled(producer)
        if inner is not None:
            value, scale = inner[0], scale * inner[1]
        elif producer.type == "Add" and mask is None and scale == 1:
            value, mask = _addend(producer)
        else:
            return None


def _addend(op: Op) -> tuple[Value | None, Value | None]:
    """Return the scores and the mask of a sum: the scores are a product of matrices, optionally scaled."""
    left, right = op.inputs
    for scores, mask in ((left, right), (right, left)):
        producer = single_use_producer(scores)
        inner = scaled(producer)
        if inner is not None:
            producer = single_use_producer(inner[0])
        if producer is not None and producer.type == "MatMul":
            return scores, mask
    return None, None


def _fits(scores: _Scores, op: Op) -> bool:
    """Return whether the operands are batched matrices of one rank and float type, and the mask is a matrix."""
    operands = [*scores.product.inputs, op.inputs[1]]
    types, ranks = set(), set()
    for value in operands:
        if value is None or value.shape is None:
            return False
        types.add(value.element_type.name)
        ranks.add(len(value.shape))
    mask = scores.mask
    fits = mask is None or (mask.shape is not None and len(mask.shape) >= 2)
    return fits and len(types) == len(ranks) == 1 and types <= {"f32", "f64"} and op.outputs[0].shape is not None


@dataclass
class _Parts:
    """The ops that an attention replaces, and the ops inserted to transpose its operands."""

    scale: float
    replaced: list[Op]
    inserted: list[Op] = field(default_factory=list)

    def unscaled(self, value: Value | None) -> Value | None:
        """Return an operand of the scores without its own scale, which joins that of the scores."""
        producer = single_use_producer(value)
        inner = scaled(producer)
        if producer is None or inner is None:
            return value
        self.replaced.append(producer)
        self.scale *= inner[1]
        return inner[0]

    def swapped(self, value: Value | None, is_needed: bool) -> Value | None:
        """Return an operand, with its last two dimensions exchanged where that is needed."""
        if not is_needed or value is None or value.shape is None:
            return value
        rank = len(value.shape)
        order = [*range(rank - 2), rank - 1, rank - 2]
        output = Value(value.element_type, tuple(value.shape[axis] for axis in order))
        nodes = list(self.replaced[-1].nodes)
        self.inserted.append(Op(operation_of("Transpose"), [value, index_constant(order)], [output], nodes))
        return output


def _replace(graph: Graph, op: Op, softmax: Op, scores: _Scores) -> None:
    parts = _Parts(scores.scale, [op, softmax, *scores.ops])
    product, element_type = attributes(scores.product, MatMul), op.outputs[0].element_type
    query, key = (parts.unscaled(value) for value in scores.product.inputs)
    inputs = [
        parts.swapped(query, product.transpose_a),
        parts.swapped(key, not product.transpose_b),
        parts.swapped(op.inputs[1], attributes(op, MatMul).transpose_b),
        scores.mask or constant_of(element_type, np.zeros((), element_type.dtype)),
        constant_of(element_type, np.array(parts.scale, element_type.dtype)),
    ]
    nodes = [node for replaced in parts.replaced for node in replaced.nodes]
    attention = Op(operation_of("ScaledDotProductAttention", causal=False), inputs, op.outputs, nodes)
    replace_ops(graph, parts.replaced, op, [*parts.inserted, attention])
