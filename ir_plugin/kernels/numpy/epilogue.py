"""Epilogues: fused elementwise operations, applied to each block of output rows while it is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels.in_place import scaled_hswish
from ir_plugin.kernels.numpy.elementwise import Combine, binary, unary
from ir_plugin.operations.activation.unary import HSwish
from ir_plugin.operations.arithmetic.binary import Multiply
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
    functions = [_merged(*pair) or _stage(pair[0], width) for pair in _pairs(stages)]
    if not functions:
        return None

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        for function in functions:
            function(block, first, inputs)

    return apply


def _pairs(stages: Sequence[EpilogueStage]) -> Iterator[tuple[EpilogueStage, EpilogueStage | None]]:
    """Yield each stage, paired with the next one where one function computes both."""
    skipped = False
    for stage, following in zip_longest(stages, stages[1:]):
        if not skipped:
            skipped = _scale(stage, following) is not None
            yield stage, following if skipped else None
        else:
            skipped = False


def _scale(stage: EpilogueStage, following: EpilogueStage | None) -> float | None:
    """Return the number that multiplies the HSwish of a stage; None where there is none."""
    if following is None or not stage.operation.is_a(HSwish) or not following.operation.is_a(Multiply):
        return None
    operand = following.operand
    if operand is None or isinstance(operand, int) or operand.size != 1 or not np.isfinite(operand).all():
        return None
    return float(operand.reshape(()))


def _merged(stage: EpilogueStage, following: EpilogueStage | None) -> Rows | None:
    """Return the function of two stages; None if there is only one."""
    scale = _scale(stage, following)
    return None if scale is None else lambda block, _first, _inputs: scaled_hswish(block, scale)


def _stage(stage: EpilogueStage, width: int) -> Rows:
    if stage.operand is None:
        in_place = unary(stage.operation)
        if in_place is None:
            raise TypeError(f"{stage.operation.type} cannot be applied in place")
        return lambda block, _first, _inputs: in_place(block)
    compute = first_stage(stage, width)
    return lambda block, first, inputs: compute(block, block, first, inputs)


FirstStage: TypeAlias = "Callable[[Array, Array, int, Sequence[Array]], None]"
"""Computes a block of rows from the data's rows, given the number of the first row and the inputs as rows."""


def first_stage(stage: EpilogueStage, width: int) -> FirstStage:
    """Return the function that computes an operation with an operand of rows into others, perhaps the same memory."""
    operand = stage.operand
    if operand is None:
        return copied
    compute = binary(stage.operation, stage.operand_first)
    if isinstance(operand, int):
        position = operand
        return lambda data, block, first, inputs: compute(data, inputs[position][first : first + len(block)], out=block)
    vector = operand.reshape(-1)
    if 1 < vector.size == width <= REPEATED_ELEMENTS // 2:
        return _repeated(compute, vector)
    constant = np.ascontiguousarray(vector) if vector.size == width else vector.reshape(())
    return lambda data, block, _first, _inputs: compute(data, constant, out=block)


REPEATED_ELEMENTS = 2**10
"""Elements of several rows to which a narrow operand is repeated: NumPy takes three times as long with short rows."""


def _repeated(compute: Combine, vector: Array) -> FirstStage:
    """Return the function that computes an operation with a constant of a row, for several rows at a time."""
    count = REPEATED_ELEMENTS // vector.size
    repeated = np.tile(vector, count)

    def apply(data: Array, block: Array, _first: int, _inputs: Sequence[Array]) -> None:
        whole = len(block) // count * count if data.flags.c_contiguous and block.flags.c_contiguous else 0
        if whole:
            compute(data[:whole].reshape(-1, repeated.size), repeated, out=block[:whole].reshape(-1, repeated.size))
        if whole < len(block):
            compute(data[whole:], vector, out=block[whole:])

    return apply


def copied(data: Array, block: Array, _first: int, _inputs: Sequence[Array]) -> None:
    """Copy rows, unless both are the same memory; they never overlap partly."""
    if not np.may_share_memory(data, block):
        np.copyto(block, data)
