"""Attention whose rows are 0 where everything is masked, and the softmax of a graph that spells that out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import number_of, producer_of, single_use_producer
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.kernels.numpy.attention import ZeroedRows
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.comparison.binary import Equal
from ir_plugin.operations.comparison.unary import IsNaN
from ir_plugin.operations.condition.select import Select
from ir_plugin.operations.logical.unary import LogicalNot
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.reduction.reducing import ReduceLogicalOr
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention, softmax
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array


class ZeroingAttention(ScaledDotProductAttention):
    """ScaledDotProductAttention without a sink, in which `rows` says where the softmax of a row is replaced by 0."""

    type = "ZeroingAttention"
    is_internal = True

    rows: ZeroedRows

    def weights(self, scores: Array, sink: Array | None) -> Array:
        """Return the softmax of the scores with some of its rows set to 0."""
        masked = np.isneginf(scores).all(axis=-1)
        weights = softmax(scores, sink)
        weights[masked if self.rows is ZeroedRows.MASKED else np.isnan(weights)] = 0
        return weights


@dataclass
class SoftmaxMatch:
    """A softmax, which of its rows other ops replace by 0, these ops, and which of these read the softmax' input."""

    softmax: Op
    rows: ZeroedRows = ZeroedRows.NONE
    ops: list[Op] = field(default_factory=list)
    readers: list[Op] = field(default_factory=list)


def match_softmax(value: Value | None) -> SoftmaxMatch | None:
    """Return the softmax along the last axis that a value is, whose rows may be replaced by 0 where all is masked.

    Torch replaces rows that are NaN, where it exports to ONNX, or rows whose scores are all negative infinity.
    """
    select = single_use_producer(value, Select)
    if select is None:
        softmax = single_use_producer(value, Softmax)
        return None if softmax is None else SoftmaxMatch(softmax)
    condition, zeros, shares = select.inputs
    softmax = producer_of(shares, Softmax)
    if softmax is None or shares is None or shares.is_result or rank_of(shares) != rank_of(select.outputs[0]):
        return None
    zero_ops = _zeros(zeros, shares)
    if zero_ops is None or attributes(softmax, Softmax).axis not in (-1, (rank_of(shares) or 0) - 1):
        return None
    spelled = _nan_rows(condition, softmax) or _masked_rows(condition, softmax)
    if spelled is None:
        return None
    spelled.ops += [select, *zero_ops]
    has_others = any(user not in spelled.ops for user in shares.users)
    return None if has_others else spelled


def _zeros(value: Value | None, shares: Value) -> list[Op] | None:
    """Return the ops that make zeros of the shape of the softmax, none for a constant; None for other values."""
    if value is None:
        return None
    if value.constant is not None:
        fits = value.constant.ndim <= (rank_of(shares) or 0) and not value.constant.any()
        return [] if fits and (value.constant.size == 1 or value.shape == shares.shape) else None
    ops: list[Op] = []
    convert = single_use_producer(value, Convert)
    if convert is not None:
        ops, value = [convert], convert.inputs[0]
    broadcast = single_use_producer(value, Broadcast)
    shape = None if broadcast is None else single_use_producer(broadcast.inputs[1], ShapeOf)
    if broadcast is None or shape is None or shape.inputs[0] is not shares or number_of(broadcast.inputs[0]) != 0:
        return None
    return [*ops, broadcast, shape]


def _nan_rows(condition: Value | None, softmax: Op) -> SoftmaxMatch | None:
    is_nan = single_use_producer(condition, IsNaN)
    if is_nan is None or is_nan.inputs[0] is not softmax.outputs[0]:
        return None
    return SoftmaxMatch(softmax, ZeroedRows.NAN, [is_nan])


def _masked_rows(condition: Value | None, softmax: Op) -> SoftmaxMatch | None:
    """Match not(any(not(scores == -inf))) along the last axis."""
    outer = single_use_producer(condition, LogicalNot)
    reduced = None if outer is None else single_use_producer(outer.inputs[0], ReduceLogicalOr)
    inner = None if reduced is None else single_use_producer(reduced.inputs[0], LogicalNot)
    equal = None if inner is None else single_use_producer(inner.inputs[0], Equal)
    if outer is None or reduced is None or inner is None or equal is None:
        return None
    scores, rank = softmax.inputs[0], rank_of(softmax.inputs[0]) or 0
    compared = equal.inputs[1] if equal.inputs[0] is scores else equal.inputs[0]
    is_compared = scores in equal.inputs and number_of(compared) == -np.inf
    along = number_of(reduced.inputs[1])
    is_row = along in (-1, rank - 1) and attributes(reduced, ReduceLogicalOr).keep_dims
    if not is_compared or not is_row or rank_of(equal.outputs[0]) != rank:
        return None
    return SoftmaxMatch(softmax, ZeroedRows.MASKED, [outer, reduced, inner, equal], [equal])
