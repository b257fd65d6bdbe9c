"""Ops that return one of their inputs unchanged, in the compiler's graph and in models alike."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.matching import AnyOp, ValueT, broadcasts_to, has_same_shape
from ir_plugin.operations.activation.identity import Identity
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.pad import Pad
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.split import Split
from ir_plugin.operations.movement.strided_slice import StridedSlice
from ir_plugin.operations.movement.tile import Tile
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.table import OperationTable
from ir_plugin.operations.type.convert import Convert
from ir_plugin.operations.type.convert_like import ConvertLike
from ir_plugin.tensors import Array

NEUTRAL = OperationTable({Add: 0, Subtract: 0, Multiply: 1, Divide: 1})
_RESHAPES = (Reshape, Squeeze, Unsqueeze)
_REPEATING = (Tile, Broadcast, Slice, StridedSlice)
IDENTITIES: tuple[OperationClass, ...] = (
    *_RESHAPES, *_REPEATING, *NEUTRAL.definitions, Convert, ConvertLike, Identity, Transpose, Concat, Split, Pad,
)  # fmt: skip
"""Operations of which `unchanged_input` may return an input."""


def unchanged_input(op: AnyOp[ValueT]) -> ValueT | None:
    """Return the value that an op returns unchanged, which reshapes before it may have reshaped; None for any other op.

    A sum with 0 changes -0 to 0, and counts as unchanged as in OpenVINO.
    """
    source, output = op.sources[0] if op.sources else None, op.outputs[0]
    if source is None or output.element_type.is_dynamic:
        return None
    if op.is_a(*NEUTRAL.definitions):
        return _operand_of_neutral(op)
    if op.is_a(*_RESHAPES):
        return _before_reshapes(op)
    return source if source.element_type is output.element_type and _returns_first(op, source) else None


def _returns_first(op: AnyOp[ValueT], source: ValueT) -> bool:
    """Return whether an op of one of the other operations returns its first input."""
    if op.is_a(Convert, ConvertLike, Identity):
        return True
    constants = [None if value is None else value.constant for value in op.sources]
    if op.is_a(Concat, Split):
        return len(op.outputs if op.is_a(Split) else op.sources) == 1
    if op.is_a(Transpose):
        return constants[1] is not None and constants[1].size > 0 and _counts_up(constants[1])
    if op.is_a(Pad):
        return all(array is not None and not array.any() for array in constants[1:3])
    if not op.is_a(*_REPEATING) or not has_same_shape(source, op.outputs[0]):
        return False
    steps = (constants[3] if len(constants) > 3 else np.ones(1)) if op.is_a(Slice, StridedSlice) else np.ones(1)
    return steps is not None and bool((steps > 0).all())


def _counts_up(order: Array) -> bool:
    return bool(order.tolist() == list(range(order.size)))


def _operand_of_neutral(op: AnyOp[ValueT]) -> ValueT | None:
    """Return the operand to which a constant of the neutral element, which keeps its shape, is applied."""
    neutral = NEUTRAL[op.operation]
    left, right = op.sources
    for data, operand in [(left, right)] if op.is_a(Subtract, Divide) else [(left, right), (right, left)]:
        array = None if operand is None else operand.constant
        if data is None or array is None or not array.size or not bool(np.all(array == neutral)):
            continue
        is_signed_zero = neutral == 0 and array.dtype.kind == "f" and bool(np.signbit(array).any())
        if broadcasts_to(array, data) and data.element_type is op.outputs[0].element_type and not is_signed_zero:
            return data
    return None


def _before_reshapes(op: AnyOp[ValueT]) -> ValueT | None:
    """Return the value before reshapes that lead back to its shape."""
    before: AnyOp[ValueT] | None = op
    while before is not None and before.is_a(*_RESHAPES):
        source = before.sources[0]
        if source is None or has_same_shape(source, op.outputs[0]):
            return source
        before = source.producer
    return None
