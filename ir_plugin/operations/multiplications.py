"""How many multiplications an operation takes: its cost, where it is a convolution or a matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from ir_plugin.operations.base import Operation
from ir_plugin.operations.matrix.matmul import MatMul

Shape: TypeAlias = "tuple[int, ...] | None"


_CONVOLUTIONS = {
    "Convolution": (False, 1),
    "GroupConvolution": (False, 2),
    "ConvolutionBackpropData": (True, 1),
    "GroupConvolutionBackpropData": (True, 2),
}
"""Whether each element of the data is multiplied, or each of the output is a sum; from which axis on by all filters."""


_RECURRENT = {"LSTM": 3, "GRU": 2, "RNN": 2, "AUGRU": 2}
"""The position of the weights of a cell; those of the recurrence follow it."""


def recurrent_multiplications(operation: Operation, inputs: Sequence[Shape]) -> int | None:
    """Return the multiplications of all steps of a recurrent layer; 0 for other operations, None if not known."""
    kind = operation.type.removesuffix("Cell").removesuffix("Sequence")
    if kind == operation.type or kind not in _RECURRENT:
        return 0
    is_sequence = operation.type.endswith("Sequence")
    position = _RECURRENT[kind] + is_sequence
    data, weights, recurrence = inputs[0], inputs[position], inputs[position + 1]
    if data is None or weights is None or recurrence is None:
        return None
    return prod(data[: 1 + is_sequence]) * (prod(weights) + prod(recurrence))


def multiplications(operation: Operation, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> int | None:
    """Return the multiplications of a convolution or a matrix product; 0 for other operations, None if not known."""
    if operation.type not in _CONVOLUTIONS and operation.type != "MatMul":
        return 0
    if len(inputs) < 2 or inputs[0] is None or inputs[1] is None or outputs[0] is None:
        return None
    data, weights, output = inputs[0], inputs[1], outputs[0]
    if operation.type in _CONVOLUTIONS:
        is_backprop, axis = _CONVOLUTIONS[operation.type]
        return prod(data if is_backprop else output) * prod(weights[axis:])
    transposed = len(data) > 1 and isinstance(operation, MatMul) and operation.transpose_a
    return prod(output) * data[-2 if transposed else -1]
