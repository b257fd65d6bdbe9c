"""Epilogues: elementwise operations fused behind another, applied to each block of rows while it is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels.numpy.elementwise import binary, unary
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array

Operand: TypeAlias = "Array | int"
"""A constant, or the position of an input of the kernel."""


@dataclass(frozen=True)
class EpilogueStage:
    """One operation of an epilogue: unary, or binary with a constant or an input of the kernel."""

    operation: Operation
    operand: Operand | None = None
    operand_first: bool = False


Rows: TypeAlias = "Callable[[Array, int, Sequence[Array]], None]"
"""Applies an epilogue to a block of rows, given the number of its first row and the kernel's inputs as rows."""


def by_rows(stages: Sequence[EpilogueStage], width: int) -> Rows | None:
    """Return the function that applies an epilogue to rows of `width` elements; None for an empty epilogue.

    A constant is a scalar or a vector of `width`; an input has the rows of the output.
    """
    functions = [_stage(function, width) for function in stages]
    if not functions:
        return None

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        for function in functions:
            function(block, first, inputs)

    return apply


def _stage(stage: EpilogueStage, width: int) -> Rows:
    operand = stage.operand
    if operand is None:
        in_place = unary(stage.operation)
        if in_place is None:
            raise TypeError(f"{stage.operation.type} cannot be applied in place")
        return lambda block, _first, _inputs: in_place(block)
    ufunc, swap = binary(stage.operation), stage.operand_first
    if isinstance(operand, int):
        position = operand

        def with_input(block: Array, first: int, inputs: Sequence[Array]) -> None:
            operand_rows = inputs[position][first : first + len(block)]
            ufunc(operand_rows, block, out=block) if swap else ufunc(block, operand_rows, out=block)

        return with_input
    vector = operand.reshape(-1)
    constant = np.ascontiguousarray(vector) if vector.size == width else vector.reshape(())

    def with_constant(block: Array, _first: int, _inputs: Sequence[Array]) -> None:
        ufunc(constant, block, out=block) if swap else ufunc(block, constant, out=block)

    return with_constant


FirstStage: TypeAlias = "Callable[[Array, Array, int, Sequence[Array]], None]"
"""Computes a block of rows from the data's rows, given the number of the first row and the inputs as rows."""


def first_stage(stage: EpilogueStage, width: int) -> FirstStage:
    """Return the function that applies a binary operation to rows of data, into a block that may be the same memory."""
    if stage.operand is None:
        return copied
    ufunc, swap, operand = binary(stage.operation), stage.operand_first, stage.operand
    if isinstance(operand, int):
        position = operand

        def with_input(data: Array, block: Array, first: int, inputs: Sequence[Array]) -> None:
            operand_rows = inputs[position][first : first + len(block)]
            ufunc(operand_rows, data, out=block) if swap else ufunc(data, operand_rows, out=block)

        return with_input
    vector = operand.reshape(-1)
    constant = np.ascontiguousarray(vector) if vector.size == width else vector.reshape(())

    def with_constant(data: Array, block: Array, _first: int, _inputs: Sequence[Array]) -> None:
        ufunc(constant, data, out=block) if swap else ufunc(data, constant, out=block)

    return with_constant


def copied(data: Array, block: Array, _first: int, _inputs: Sequence[Array]) -> None:
    """Copy rows, unless both are the same memory; they never overlap partly."""
    if not np.may_share_memory(data, block):
        np.copyto(block, data)
