"""How many multiplications an operation takes: its cost, where it is a convolution or a matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from ir_plugin.operations.base import Operation
from ir_plugin.operations.matrix.matmul import MatMul

Lengths: TypeAlias = "tuple[int, ...]"
Shape: TypeAlias = "Lengths | None"


def multiplications(operation: Operation, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> int | None:
    """Return the multiplications of a convolution or a matrix product; 0 for other operations, None if not known."""
    count = _COUNTS.get(operation.type)
    if count is None:
        return 0
    if len(inputs) < 2 or inputs[0] is None or inputs[1] is None or outputs[0] is None:
        return None
    return count(operation, inputs[0], inputs[1], outputs[0])


def _convolution(operation: Operation, data: Lengths, filters: Lengths, output: Lengths) -> int:
    del operation, data
    return prod(output) * prod(filters[1:])


def _group_convolution(operation: Operation, data: Lengths, filters: Lengths, output: Lengths) -> int:
    del operation, data
    return prod(output) * prod(filters[2:])


def _backprop(operation: Operation, data: Lengths, filters: Lengths, output: Lengths) -> int:
    del operation, output
    return prod(data) * prod(filters[1:])


def _group_backprop(operation: Operation, data: Lengths, filters: Lengths, output: Lengths) -> int:
    del operation, output
    return prod(data) * prod(filters[2:])


def _matmul(operation: Operation, a: Lengths, b: Lengths, output: Lengths) -> int:
    del b
    transposed = len(a) > 1 and isinstance(operation, MatMul) and operation.transpose_a
    return prod(output) * a[-2 if transposed else -1]


_COUNTS = {
    "Convolution": _convolution,
    "GroupConvolution": _group_convolution,
    "ConvolutionBackpropData": _backprop,
    "GroupConvolutionBackpropData": _group_backprop,
    "MatMul": _matmul,
}
