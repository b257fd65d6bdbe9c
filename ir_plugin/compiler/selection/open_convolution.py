"""Convolutions whose lengths only a run decides: what no length changes is prepared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.convolution import convolution_of
from ir_plugin.compiler.selection.kernel import Kernel, Options
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.windows import Windows

Shape: TypeAlias = "tuple[int, ...]"
SelectForData: TypeAlias = "Callable[[Shape], tuple[Kernel, Shape] | None]"
"""Returns the kernel for the shape of the data, and the shape of the output."""


def select_open_convolution(op: Op, options: Options) -> SelectForData | None:
    """Return what selects the kernel of a convolution, or None for other ops.

    Operands of its epilogue have the shape of the output, or are constant. It returns None for shapes without a kernel,
    and for those that inference has to refuse.
    """
    data, filters = (*op.inputs, None, None)[:2]
    if op.type not in ("Convolution", "GroupConvolution") or filters is None or filters.constant is None:
        return None
    rank, weights, grouped = rank_of(data) or 0, filters.constant, op.type == "GroupConvolution"
    groups = len(weights) if grouped else 1
    inputs, outputs = groups * weights.shape[1 + grouped], groups * weights.shape[grouped]
    is_known = data is not None and static_length(data, 1) == inputs and weights.ndim == rank + grouped
    if not is_known:
        return None
    like = (1, outputs, *(1,) * (rank - 2))
    op = Op(op.operation, op.inputs, op.outputs, op.nodes, [_with_operand_of(item, like) for item in op.epilogue])
    select_for = convolution_of(op, like, options)
    if select_for is None:
        return None
    windows, kernel = attributes(op, Convolution).windows(rank - 2), weights.shape[2 + grouped :]

    def select(shape: Shape) -> tuple[Kernel, Shape] | None:
        lengths = _lengths(windows, shape[2:], kernel)
        output = (shape[0], outputs, *lengths)
        selected = select_for(shape, output) if min(output) >= 1 else None
        return None if selected is None else (selected, output)

    return select


def _with_operand_of(item: EpilogueOp, shape: Shape) -> EpilogueOp:
    """Return an op of the epilogue with an operand of this shape, unless that is constant."""
    operand = item.operand
    if operand is None or operand.constant is not None:
        return item
    return EpilogueOp(item.operation, Value(operand.element_type, shape), item.operand_first)


def _lengths(windows: Windows, lengths: Shape, kernel: Shape) -> list[int]:
    """Return how many windows fit along each axis, below 1 where none does."""
    begin, end = windows.pads(lengths, kernel)
    return [
        (length + begin[axis] + end[axis] - (kernel[axis] - 1) * windows.dilations[axis] - 1) // windows.strides[axis]
        + 1
        for axis, length in enumerate(lengths)
    ]
