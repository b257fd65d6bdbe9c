"""Epilogues encoded as numbers for the compiled kernel that applies them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.elementwise_functions import FUNCTIONS, function_of
from ir_plugin.kernels.numba.elementwise_chain import apply as apply_codes
from ir_plugin.kernels.numba.elementwise_loops import ADD, LIMIT, MULTIPLY, binary_code, unary_code
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows, by_rows
from ir_plugin.kernels.numpy.movement import in_order
from ir_plugin.kernels.registry import register
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.arithmetic.unary import Negative
from ir_plugin.tensors import Array
from ir_plugin.tensors.merging import merged_product, merged_sum

_NO_ROWS = np.zeros((1, 1), np.float32)
_NUMBERS = max(len(function.names) for function in FUNCTIONS)
"""The most numbers that an operation of one operand has in its vector."""


@register(keys.EPILOGUE_ROWS)
def compiled_rows(stages: Sequence[EpilogueStage], width: int) -> Rows | None:
    """Return the function that applies an epilogue, None if it is empty.

    Neighbouring ops that the kernel knows share one pass; the others are left to NumPy.
    """
    groups: list[Rows] = []
    for is_encodable, members in groupby(stages, lambda stage: _code(stage) is not None):
        group = list(members)
        compiled = _compiled_group(group, width) if is_encodable else None
        plain = by_rows(group, width)
        if plain is not None:
            groups.append(plain if compiled is None else _guarded(compiled, plain))
    if not groups:
        return None

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        for group in groups:
            group(block, first, inputs)

    return groups[0] if len(groups) == 1 else apply


def _guarded(compiled: Rows, plain: Rows) -> Rows:
    """Return the function that uses `compiled` for aligned f32 blocks in C order, and `plain` for others."""

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        fits = block.dtype == np.float32 and block.flags.c_contiguous and block.flags.aligned
        (compiled if fits else plain)(block, first, inputs)

    return apply


class EncodedEpilogue(NamedTuple):
    """An epilogue as the kernel reads it: a code and a vector for each op, and the position of the operand it reads."""

    codes: Array
    vectors: Array
    position: int | None

    def without_first(self) -> EncodedEpilogue:
        """Return all ops but the first."""
        vectors = self.vectors[1:] if len(self.codes) > 1 else self.vectors[:1]
        return EncodedEpilogue(self.codes[1:].copy(), vectors.copy(), self.position)


def split_bias(epilogue: EncodedEpilogue, width: int) -> tuple[Array, EncodedEpilogue]:
    """Return the vector that sums begin with, which is zero or the first op's, and the rest of the epilogue."""
    if len(epilogue.codes) and epilogue.codes[0] == ADD:
        return np.ascontiguousarray(epilogue.vectors[0, :width]), epilogue.without_first()
    return np.zeros(width, np.float32), epilogue


def split_limits(epilogue: EncodedEpilogue) -> tuple[tuple[float, float], EncodedEpilogue]:
    """Return the limits that the first op sets, which are infinite if it sets none, and the rest of the epilogue."""
    if len(epilogue.codes) and epilogue.codes[0] == LIMIT:
        low, high = epilogue.vectors[0, :2].tolist()
        return (low, high), epilogue.without_first()
    return (-np.inf, np.inf), epilogue


@register(keys.ENCODABLE_STAGES)
def encodable_stages(stages: Sequence[EpilogueStage]) -> int:
    """Return how many of the first stages one encoded epilogue can have."""
    positions: set[int | None] = set()
    for number, stage in enumerate(stages):
        positions |= {_position(stage)} - {None}
        if len(positions) > 1 or _code(stage) is None:
            return number
    return len(stages)


def encode_epilogue(stages: Sequence[EpilogueStage], width: int) -> EncodedEpilogue | None:
    """Return an epilogue on rows of `width` elements encoded, or None if it has an op that the kernel does not know."""
    codes = [code for code in map(_code, stages) if code is not None]
    if encodable_stages(stages) < len(stages):
        return None
    vectors = np.zeros((len(stages), max(width, _NUMBERS)), np.float32)
    for vector, stage in zip(vectors, stages, strict=True):
        numbers = _vector(stage)
        vector[: width if len(numbers) == 1 else len(numbers)] = numbers
    merged = _merged([(code, vector) for code, vector in zip(codes, vectors, strict=True)])
    return EncodedEpilogue(
        np.array([code for code, _ in merged], np.int64),
        np.array([vector for _, vector in merged] or vectors, np.float32),
        next((stage.operand for stage in stages if isinstance(stage.operand, int)), None),
    )


def _merged(ops: list[tuple[int, Array]]) -> list[tuple[int, Array]]:
    """Return ops with at most one product and one sum for each run of products and sums that may be merged."""
    merged: list[tuple[int, Array]] = []
    for op in ops:
        joined = _joined(merged[-2:], op)
        if joined is None:
            merged.append(op)
        else:
            merged[-2:] = joined
    return merged


def _joined(before: list[tuple[int, Array]], op: tuple[int, Array]) -> list[tuple[int, Array]] | None:
    """Return the last ops with the next one merged into them; None if it cannot be merged."""
    code, vector = op
    if not before or not np.isfinite(vector).all():
        return None
    last, constant = before[-1]
    if last == code and code in (ADD, MULTIPLY):
        total = (merged_sum if code == ADD else merged_product)(constant, vector)
        return None if total is None else [*before[:-1], (code, total)]
    if (last, code) != (ADD, MULTIPLY) or len(before) == 1:
        return None
    scaled = merged_product(constant, vector)
    if scaled is None:
        return None
    if before[0][0] != MULTIPLY:
        return [before[0], (code, vector), (ADD, scaled)]
    product = merged_product(before[0][1], vector)
    return None if product is None else [(code, product), (ADD, scaled)]


def _compiled_group(stages: Sequence[EpilogueStage], width: int) -> Rows | None:
    """Return the function that applies ops the kernel knows, or None if they read more than one operand by rows."""
    encoded = encode_epilogue(stages, width)
    if encoded is None:
        return None
    codes, vectors, position = encoded

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        rows = _NO_ROWS
        if position is not None:
            rows = in_order(inputs[position][first : first + len(block)])
        apply_codes(block, codes, vectors, rows)

    return apply


def _position(stage: EpilogueStage) -> int | None:
    """Return the position of the operand that an op reads by rows, or None."""
    return stage.operand if isinstance(stage.operand, int) else None


def _mergeable(stage: EpilogueStage) -> EpilogueStage:
    """Return an op as a sum or product with a constant, which merges with others, where it has the same results."""
    if stage.operand is None:
        minus_one = np.full(1, -1, np.float32)
        return EpilogueStage(Multiply(), minus_one) if stage.operation.is_a(Negative) else stage
    if isinstance(stage.operand, int) or stage.operand_first or not stage.operation.is_a(Subtract):
        return stage
    return EpilogueStage(Add(), -stage.operand.reshape(-1))


def _code(stage: EpilogueStage) -> int | None:
    """Return the kernel's code of an op, or None if the kernel does not know it."""
    stage = _mergeable(stage)
    if stage.operand is None:
        return unary_code(stage.operation)
    return binary_code(stage.operation, stage.operand_first, isinstance(stage.operand, int))


def _vector(stage: EpilogueStage) -> Array:
    """Return the vector of an op, of one number if all columns have it: its constant, or its function's numbers."""
    stage = _mergeable(stage)
    if stage.operand is not None:
        return np.zeros(1, np.float32) if isinstance(stage.operand, int) else stage.operand.reshape(-1)
    function = function_of(stage.operation)
    numbers = () if function is None else function.numbers(stage.operation)
    return np.array(numbers if len(numbers) else (0,), np.float32)
