"""Operations fused behind another, applied block by block while the block is in the cache."""

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
    """One fused operation: on the block alone, with a constant, or with an input of the kernel's form."""

    operation: Operation
    operand: Operand | None = None
    operand_first: bool = False


Rows: TypeAlias = "Callable[[Array, int, Sequence[Array]], None]"
"""Applies all stages to rows from a first one on, given what the kernel's inputs are as rows."""


def by_rows(stages: Sequence[EpilogueStage], width: int) -> Rows | None:
    """Return the function that applies stages to rows of `width` elements, or None where there are none.

    A constant is a scalar or a vector of `width`; an input has the rows of the output.
    """
    made = [_stage(stage, width) for stage in stages]
    if not made:
        return None

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        for stage in made:
            stage(block, first, inputs)

    return apply


def _stage(stage: EpilogueStage, width: int) -> Rows:
    operand = stage.operand
    if operand is None:
        alone = unary(stage.operation)
        if alone is None:
            raise TypeError(f"{stage.operation.type} cannot be applied in place")
        return lambda block, _first, _inputs: alone(block)
    ufunc, swap = binary(stage.operation), stage.operand_first
    if isinstance(operand, int):
        position = operand

        def with_input(block: Array, first: int, inputs: Sequence[Array]) -> None:
            other = inputs[position][first : first + len(block)]
            ufunc(other, block, out=block) if swap else ufunc(block, other, out=block)

        return with_input
    vector = operand.reshape(-1)
    constant = np.ascontiguousarray(vector) if vector.size == width else vector.reshape(())

    def with_constant(block: Array, _first: int, _inputs: Sequence[Array]) -> None:
        ufunc(constant, block, out=block) if swap else ufunc(block, constant, out=block)

    return with_constant


FirstStage: TypeAlias = "Callable[[Array, Array, int, Sequence[Array]], None]"
"""Computes a block of rows from the data's rows, given the number of the first and the inputs as rows."""


def first_stage(stage: EpilogueStage, width: int) -> FirstStage:
    """Return the function that computes an operation with an operand of rows into others, perhaps the same memory."""
    if stage.operand is None:
        return copied
    ufunc, swap, operand = binary(stage.operation), stage.operand_first, stage.operand
    if isinstance(operand, int):
        position = operand

        def with_input(data: Array, block: Array, first: int, inputs: Sequence[Array]) -> None:
            other = inputs[position][first : first + len(block)]
            ufunc(other, data, out=block) if swap else ufunc(data, other, out=block)

        return with_input
    vector = operand.reshape(-1)
    constant = np.ascontiguousarray(vector) if vector.size == width else vector.reshape(())

    def with_constant(data: Array, block: Array, _first: int, _inputs: Sequence[Array]) -> None:
        ufunc(constant, data, out=block) if swap else ufunc(data, constant, out=block)

    return with_constant


def copied(data: Array, block: Array, _first: int, _inputs: Sequence[Array]) -> None:
    """Copy rows, unless both are the same memory; they never overlap in part."""
    if not np.may_share_memory(data, block):
        np.copyto(block, data)
