"""Ops of unknown shapes whose evaluation refuses inputs that do not fit, so that a run infers nothing before it."""

from __future__ import annotations

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.operations.activation.log_softmax import LogSoftmax
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.arithmetic.cum_sum import CumSum
from ir_plugin.operations.condition.if_ import If
from ir_plugin.operations.elementwise import Binary, Unary
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.split import Split
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.movement.variadic_split import VariadicSplit
from ir_plugin.operations.normalization.grn import GRN
from ir_plugin.operations.normalization.mvn import MVN
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.sort.top_k import TopK
from ir_plugin.operations.type.convert import Convert

_CHECKED_BY_NUMPY = (Assign, Concat, Convert, ReadValue, Reshape, ShapeOf, Slice, Squeeze, Transpose, Unsqueeze)
"""Operations whose operands NumPy checks itself, and whose results are no larger than their inputs."""


_SMALLER = (CumSum, GRN, LogSoftmax, MVN, Softmax, Swish)
"""Operations on data of known rank, with constant options, whose results are no larger than the data."""


def is_trusted(op: Op) -> bool:
    """Return whether an evaluation refuses inputs that do not fit, and takes no more memory than its inputs.

    Inference takes some 50 microseconds a layer, and a decoder runs hundreds of layers for each token.
    """
    if not op.operation.is_built_in:
        return False
    if op.operation.is_internal or not op.is_a(type(op.nodes[0].operation)):
        return True  # a pass made it of layers whose inputs fit
    if op.is_a(If):
        return True  # its bodies are inferred when they are compiled for the shapes of their inputs
    if op.is_a(*_CHECKED_BY_NUMPY) or isinstance(op.operation, Unary):
        return True
    if isinstance(op.operation, Binary):
        is_numpy = op.operation.auto_broadcast == "numpy"
        return is_numpy and any(_is_single(op, position) for position in range(len(op.inputs)))
    return _has_fixed_options(op)


def _has_fixed_options(op: Op) -> bool:
    """Return whether inference before the run has checked everything, as any value of the unknown lengths fits."""
    if op.is_a(*_SMALLER) or op.type.startswith("Reduce"):
        return rank_of(op.inputs[0]) is not None and _are_constant(op, 1)
    if op.is_a(Split, VariadicSplit):
        return _are_constant(op, 1) and _divides_known_length(op)
    if op.is_a(TopK):
        return bool(rank_of(op.inputs[0]))
    return op.is_a(MatMul) and _multiplies_weights(op)


def _is_single(op: Op, position: int) -> bool:
    """Return whether an input is known to have one element."""
    value = op.inputs[position]
    rank = rank_of(value)
    if value is None or rank is None:
        return False
    return all(static_length(value, axis) == 1 for axis in range(rank))


def _are_constant(op: Op, first: int) -> bool:
    """Return whether all inputs from a position on are constants."""
    return all(value is not None and value.constant is not None for value in op.inputs[first:])


def _divides_known_length(op: Op) -> bool:
    """Return whether a split is along a dimension of known length, so that inference has checked the parts."""
    data, axis = op.inputs[:2]
    rank = rank_of(data)
    if data is None or not rank or axis is None or axis.constant is None:
        return False
    return static_length(data, int(axis.constant.reshape(-1)[0]) % rank) is not None


def _multiplies_weights(op: Op) -> bool:
    """Return whether rows of known length are multiplied by a constant matrix."""
    data, weights = op.inputs[:2]
    rank = rank_of(data)
    if data is None or weights is None or weights.constant is None or weights.constant.ndim != 2 or (rank or 0) < 2:
        return False
    return static_length(data, (rank or 0) - 1) is not None and static_length(data, (rank or 0) - 2) is None
