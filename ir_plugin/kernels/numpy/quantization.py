"""Levels of quantized tensors: what they mean, and how numbers are rounded to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
from ir_plugin.tensors import Array


class Levels(NamedTuple):
    """What a level means: `level * scale + offset`."""

    scale: float
    offset: float


class Grid(NamedTuple):
    """How numbers become levels: `rint(x * inverse + shift)`, cut to limits; vectors have a number, or one a column."""

    inverse: Array
    shift: Array
    low: float
    high: float


def quantize(data: Array, grid: Grid, output: Array) -> None:
    """Fill an output of u8 with the levels of f32, along the last axis; NaN gets the lowest."""
    levels = data * grid.inverse
    levels += grid.shift
    np.rint(levels, out=levels)
    np.fmax(levels, grid.low, out=levels)
    np.fmin(levels, grid.high, out=levels)
    np.copyto(output, levels, casting="unsafe")


def dequantize(levels: Array, meaning: Levels, output: Array) -> None:
    """Fill an output of f32 with what levels of u8 mean."""
    np.multiply(levels, np.float32(meaning.scale), out=output, dtype=np.float32)
    np.add(output, np.float32(meaning.offset), out=output)


@dataclass(frozen=True)
class QuantizedEpilogue:
    """What becomes of rows of f32: operations, the last of which may round to levels."""

    stages: Sequence[EpilogueStage] = ()
    operand: Levels | None = None
    """What levels of the operand mean that a stage reads by rows; None where it is f32."""
    sample_rows: int = 0
    """Rows of a sample where the operand has one row a sample, otherwise 0."""
    output: Grid | None = None
    """What results are rounded to; None where they are f32."""


@dataclass(frozen=True)
class SumsEpilogue:
    """What becomes of exact sums: a scale and an offset a column, limits, and an epilogue of f32.

    Where scaled sums are `direct`, they are rounded to u8 between the limits, and no epilogue follows.
    """

    scale: Array
    offset: Array
    limits: tuple[float | Array, float | Array] = (-np.inf, np.inf)
    """A number, or one a column."""
    direct: bool = False
    rest: QuantizedEpilogue = field(default_factory=QuantizedEpilogue)


def merged(epilogue: SumsEpilogue) -> SumsEpilogue:
    """Return an epilogue whose rounding to levels is part of scale and offset, if nothing stands between them."""
    grid = epilogue.rest.output
    if grid is None or epilogue.rest.stages:
        return epilogue
    inverse, shift = (array.astype(np.float64) for array in grid[:2])
    scale, offset = (
        (epilogue.scale * inverse).astype(np.float32),
        (epilogue.offset * inverse + shift).astype(np.float32),
    )
    limits: tuple[float | Array, float | Array] = (grid.low, grid.high)
    if epilogue.limits != (-np.inf, np.inf):
        ends = [np.rint(np.float32(limit) * grid.inverse + grid.shift) for limit in epilogue.limits]
        cut = [np.clip(end, grid.low, grid.high).astype(np.float32) for end in ends]
        limits = np.minimum(*cut), np.maximum(*cut)
    return replace(epilogue, scale=scale, offset=offset, limits=limits, direct=True, rest=QuantizedEpilogue())


def finish(sums: Array, epilogue: SumsEpilogue, rows: Rows | None, output: Array, operands: Sequence[Array]) -> None:
    """Fill an output [M, N] from sums [M, N], which may be of f64, and the operands of stages."""
    numbers = sums.astype(np.float32)
    numbers *= epilogue.scale
    numbers += epilogue.offset
    if epilogue.direct:
        np.rint(numbers, out=numbers)
    np.clip(numbers, *epilogue.limits, out=numbers)
    if epilogue.direct:
        np.copyto(output, numbers, casting="unsafe")
    else:
        finish_rows(numbers, epilogue.rest, rows, output, operands)


def finish_rows(
    numbers: Array, epilogue: QuantizedEpilogue, rows: Rows | None, output: Array, operands: Sequence[Array]
) -> None:
    """Fill an output [M, N] from rows of f32, which change, and the operands of stages."""
    if rows is not None:
        rows(numbers, 0, [_numbers(operand, epilogue) for operand in operands])
    if epilogue.output is None:
        np.copyto(output, numbers)
    else:
        quantize(numbers, epilogue.output, output)


def _numbers(operand: Array, epilogue: QuantizedEpilogue) -> Array:
    """Return an operand as rows of f32."""
    if epilogue.operand is not None and operand.dtype == np.uint8:
        numbers = np.empty(operand.shape, np.float32)
        dequantize(operand, epilogue.operand, numbers)
        return numbers
    return operand.repeat(epilogue.sample_rows, 0) if epilogue.sample_rows else operand
