"""Fuses the ops of decomposed attention, which are products, scale, mask and softmax, into one op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import producer_of, scaled, single_use_producer
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, constant_of, index_constant
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.compiler.zeroing_attention import SoftmaxMatch, ZeroingAttention, match_softmax
from ir_plugin.kernels.numpy.attention import ZeroedRows
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.tensors import PartialShape, TensorInfo


@dataclass
class _Scores:
    """The product, scale and mask of attention scores, and the ops that compute them."""

    product: Op
    scale: float
    mask: Value | None
    ops: list[Op]


@follows("prelu_layout")
class AttentionFusion(Pattern):
    """Fuse softmax(query · keyᵀ · scale + mask) · value into ScaledDotProductAttention.

    The scale may multiply or divide the scores, the query or the key. Every value in between must have a single use,
    except by ops that set rows of the softmax to 0 where everything is masked. Query, key and value have one float type
    and one rank of at least 3, of 4 with open lengths; the mask broadcasts to the scores, and not beyond them.
    """

    roots = (MatMul,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        spelled = match_softmax(op.inputs[0])
        if spelled is None or attributes(op, MatMul).transpose_a:
            return
        scores = _scores(spelled)
        if scores is not None and _fits(scores, op):
            _replace(rewriter, op, spelled, scores)


def _scores(spelled: SoftmaxMatch) -> _Scores | None:
    """Return the product, scale and mask that a softmax reads, if the mask is added last."""
    softmax = spelled.softmax
    value, mask, scale = softmax.inputs[0], None, 1.0
    rank = rank_of(value)
    if value is None or rank is None or rank < 3 or attributes(softmax, Softmax).axis % rank != rank - 1:
        return None
    lengths = [static_length(value, axis) for axis in range(rank)]
    producer = _read_by(value, softmax, *spelled.readers)
    ops: list[Op] = []
    while True:
        if producer is None or not _has_lengths(producer.outputs[0], lengths):
            return None
        ops.append(producer)
        if producer.is_a(MatMul):
            return _Scores(producer, scale, mask, ops)
        inner = scaled(producer)
        if inner is not None:
            value, scale = inner[0], scale * inner[1]
        elif producer.is_a(Add) and mask is None and scale == 1:
            value, mask = _addend(producer)
        else:
            return None
        producer = single_use_producer(value)


def _read_by(value: Value, *users: Op) -> Op | None:
    """Return the producer of a value that only these ops read."""
    return None if value.is_result or any(user not in users for user in value.users) else producer_of(value)


def _has_lengths(value: Value, lengths: Sequence[int | None]) -> bool:
    """Return whether a value has these lengths; None stands for any."""
    return rank_of(value) == len(lengths) and all(
        static_length(value, axis) in (length, None) or length is None for axis, length in enumerate(lengths)
    )


def _addend(op: Op) -> tuple[Value | None, Value | None]:
    """Return the scores and the mask of a sum: the scores are a product of matrices, optionally scaled."""
    left, right = op.inputs
    for scores, mask in ((left, right), (right, left)):
        producer = single_use_producer(scores)
        inner = scaled(producer)
        if inner is not None:
            producer = single_use_producer(inner[0])
        if producer is not None and producer.is_a(MatMul):
            return scores, mask
    return None, None


def _fits(scores: _Scores, op: Op) -> bool:
    """Return whether the operands are batched matrices of one rank and float type, and the mask has at most that rank.

    With open lengths the rank must be 4, the only one that the kernels have.
    """
    operands = [*scores.product.inputs, op.inputs[1]]
    types, ranks = set(), set()
    for value in operands:
        if value is None:
            return False
        types.add(value.element_type.name)
        ranks.add(rank_of(value))
    rank = rank_of(operands[0])
    mask_rank = 2 if scores.mask is None else rank_of(scores.mask)
    fits = mask_rank is not None and rank is not None and 2 <= mask_rank <= rank
    is_static = all(value is not None and value.shape is not None for value in (*operands, op.outputs[0]))
    return fits and len(types) == len(ranks) == 1 and types <= {"f32", "f64"} and (is_static or rank == 4)


@dataclass
class _Parts:
    """The ops that an attention replaces, and the ops inserted to transpose its operands."""

    scale: float
    replaced: list[Op]
    inserted: list[Op] = field(default_factory=list)

    def unscaled(self, value: Value | None) -> Value | None:
        """Return an operand of the scores without its own scale, which is multiplied into the scale of the scores."""
        producer = single_use_producer(value)
        inner = scaled(producer)
        if producer is None or inner is None:
            return value
        self.replaced.append(producer)
        self.scale *= inner[1]
        return inner[0]

    def swapped(self, value: Value | None, is_needed: bool) -> Value | None:
        """Return an operand, with its last two dimensions exchanged where that is needed."""
        rank = rank_of(value)
        if not is_needed or value is None or rank is None:
            return value
        order = [*range(rank - 2), rank - 1, rank - 2]
        output = _transposed(value, order)
        nodes = list(self.replaced[-1].nodes)
        self.inserted.append(Op(Transpose(), [value, index_constant(order)], [output], nodes))
        return output


def _transposed(value: Value, order: Sequence[int]) -> Value:
    """Return the value of a transposition, some of whose lengths may be open."""
    if value.shape is not None:
        return Value(value.element_type, tuple(value.shape[axis] for axis in order))
    dims = None if value.tensor is None else value.tensor.shape.dims
    shape = PartialShape(None if dims is None else [dims[axis] for axis in order])
    return Value(value.element_type, None, tensor=TensorInfo(value.element_type, shape))


def _replace(rewriter: Rewriter, op: Op, spelled: SoftmaxMatch, scores: _Scores) -> None:
    parts = _Parts(scores.scale, [op, spelled.softmax, *spelled.ops, *scores.ops])
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
    if spelled.rows is ZeroedRows.NONE:
        operation = ScaledDotProductAttention(causal=False)
    else:
        operation = ZeroingAttention(causal=False, rows=spelled.rows)
    attention = Op(operation, inputs, op.outputs, nodes)
    rewriter.replace(op, [*parts.inserted, attention], parts.replaced)
