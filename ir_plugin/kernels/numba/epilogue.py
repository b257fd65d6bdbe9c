"""Fused stages as arguments of the compiled kernel that applies them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ir_plugin.kernels.numba import elementwise_chain as kernel
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows, by_rows
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.tensors import Array

_ALONE = {
    "HSwish": kernel.HSWISH, "HSigmoid": kernel.HSIGMOID, "Tanh": kernel.TANH, "Sigmoid": kernel.SIGMOID,
    "Erf": kernel.ERF, "Swish": kernel.SWISH, "Relu": kernel.CLIP, "Clamp": kernel.CLIP,
}  # fmt: skip
_BINARY = {
    "Add": kernel.ADD, "Multiply": kernel.MULTIPLY, "Subtract": kernel.SUBTRACT, "Maximum": kernel.MAXIMUM,
    "Minimum": kernel.MINIMUM, "PRelu": kernel.PRELU,
}  # fmt: skip
_NO_ROWS = np.zeros((1, 1), np.float32)


def compiled_rows(stages: Sequence[EpilogueStage], width: int) -> Rows | None:
    """Return the function that applies stages, each run of those the kernel knows in one pass; None for none."""
    groups: list[Rows] = []
    for known, members in groupby(stages, lambda stage: _code(stage) is not None):
        run = list(members)
        made = _group(run, width) if known else None
        plain = by_rows(run, width)
        if plain is not None:
            groups.append(plain if made is None else _guarded(made, plain))
    if not groups:
        return None

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        for group in groups:
            group(block, first, inputs)

    return groups[0] if len(groups) == 1 else apply


def _guarded(made: Rows, plain: Rows) -> Rows:
    """Return the compiled form for blocks of f32 in C order, and NumPy's for others."""

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        fits = block.dtype == np.float32 and block.flags.c_contiguous and block.flags.aligned
        (made if fits else plain)(block, first, inputs)

    return apply


class Coded(NamedTuple):
    """Stages as numbers: a code and a vector each, and the input that they read, if any."""

    codes: Array
    vectors: Array
    position: int | None


def coded(stages: Sequence[EpilogueStage], width: int) -> Coded | None:
    """Return stages on rows of `width` elements as the kernel reads them, or None where it does not know them all."""
    given = [_input(stage) for stage in stages if _input(stage) is not None]
    if len(set(given)) > 1 or any(_code(stage) is None for stage in stages):
        return None
    codes = [_code(stage) or kernel.ADD for stage in stages]
    vectors = np.zeros((len(stages), max(width, 2)), np.float32)
    for vector, stage in zip(vectors, stages, strict=True):
        vector[: 2 if stage.operand is None else width] = _numbers(stage)
    merged = _merged([(code, vector) for code, vector in zip(codes, vectors, strict=True)])
    made = np.array([code for code, _ in merged], np.int64)
    return Coded(made, np.array([vector for _, vector in merged] or vectors, np.float32), given[0] if given else None)


def _merged(stages: list[tuple[int, Array]]) -> list[tuple[int, Array]]:
    """Return stages with one product and one sum for each run of products and sums with finite vectors."""
    found: list[tuple[int, Array]] = []
    for code, vector in stages:
        before = found[-1][0] if found else None
        finite = code in (kernel.ADD, kernel.MULTIPLY) and bool(np.isfinite(vector).all())
        if finite and before == code:
            ufunc = np.add if code == kernel.ADD else np.multiply
            found[-1] = code, ufunc(found[-1][1], vector)
        elif finite and code == kernel.MULTIPLY and before == kernel.ADD and len(found) > 1:
            scaled = found.pop()[1] * vector
            product = found[-1][0] == kernel.MULTIPLY
            found[-1:] = [(code, found[-1][1] * vector)] if product else [found[-1], (code, vector)]
            found.append((kernel.ADD, scaled))
        else:
            found.append((code, vector))
    return found


def _group(stages: Sequence[EpilogueStage], width: int) -> Rows | None:
    made = coded(stages, width)
    if made is None:
        return None
    codes, vectors, position = made

    def apply(block: Array, first: int, inputs: Sequence[Array]) -> None:
        rows = _NO_ROWS
        if position is not None:
            rows = np.require(inputs[position][first : first + len(block)], requirements=["C", "A"])
        kernel.apply(block, codes, vectors, rows)

    return apply


def _input(stage: EpilogueStage) -> int | None:
    return stage.operand if isinstance(stage.operand, int) else None


def _code(stage: EpilogueStage) -> int | None:
    """Return the kernel's number of a stage, or None for one it does not know."""
    type = stage.operation.type
    if stage.operand is None:
        if isinstance(stage.operation, Gelu):
            return kernel.GELU if stage.operation.approximation_mode.lower() == "erf" else None
        return _ALONE.get(type)
    code = _BINARY.get(type)
    if type == "Divide" and not isinstance(stage.operand, int) and not stage.operand_first:
        return kernel.MULTIPLY if bool(np.all(stage.operand != 0)) else None
    if isinstance(stage.operand, int):
        code = kernel.SUBTRACT_FROM if code == kernel.SUBTRACT and stage.operand_first else code
        return None if code is None else code + kernel.OF_ROWS
    if code == kernel.SUBTRACT:
        return None if stage.operand_first else kernel.ADD
    return code


def _numbers(stage: EpilogueStage) -> Array:
    """Return the vector of a stage: its constant, or the limits of a cut."""
    if isinstance(stage.operand, int):
        return np.zeros(1, np.float32)
    if stage.operand is None:
        operation = stage.operation
        limits = (operation.min, operation.max) if isinstance(operation, Clamp) else (0, np.inf)
        return np.array(limits, np.float32)
    vector = stage.operand.reshape(-1)
    if stage.operation.type == "Subtract":
        return -vector
    return 1 / vector if stage.operation.type == "Divide" else vector
