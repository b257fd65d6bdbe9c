"""What jobs on rows have in common: their arguments, and the epilogue that they apply to rows of the output."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels.numba.elementwise_chain import apply
from ir_plugin.kernels.numba.epilogue import Coded
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.spin_pool import address_of
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.tensors import Array

(
    PARTS, ROWS, WIDTH, STEP, DATA, WEIGHTS, OUTPUT, STAGES, CODES, VECTORS, VECTOR, OPERAND,
    HEIGHT, BREADTH, CHANNELS, TALL, WIDE, STEP_Y, STEP_X, FAR_Y, FAR_X, TOP, LEFT, LINES, PIXELS, NUMBERS,
) = range(26)  # fmt: skip
"""Places among the arguments of a job.

ROWS of WIDTH numbers in blocks of STEP rows; addresses; the epilogue; the sizes of the data [HEIGHT, BREADTH,
CHANNELS]; the kernel's sizes, strides, dilations and pads; lines and pixels of the output.
"""


@compiled("i8(i8, i8, i8)")
def bound(count: int, parts: int, part: int) -> int:
    """Return where a part of `count` things begins."""
    return count * part // parts


@compiled("void(i8[::1], i8, i8)")
def finish(a: Array, first: int, last: int) -> None:
    """Apply the stages to some rows of the output."""
    if a[STAGES] == 0:
        return
    width, count = a[WIDTH], last - first
    block = carray(pointer(a[OUTPUT] + 4 * first * width), (count, width), np.float32)
    codes = carray(pointer(a[CODES]), (a[STAGES],), np.int64)
    vectors = carray(pointer(a[VECTORS]), (a[STAGES], a[VECTOR]), np.float32)
    if a[OPERAND] == 0:
        apply(block, codes, vectors, vectors)
    else:
        apply(block, codes, vectors, carray(pointer(a[OPERAND] + 4 * first * width), (count, width), np.float32))


@job
def chain(address: int, part: int) -> None:
    """Copy a share of the rows to the output, unless they lie there, and apply the stages."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    size, step = 4 * a[WIDTH], a[STEP]
    start, end = bound(a[ROWS], a[PARTS], part), bound(a[ROWS], a[PARTS], part + 1)
    for first in range(start, end, step):
        last = min(first + step, end)
        if a[DATA] != a[OUTPUT]:
            copy(a[OUTPUT] + first * size, a[DATA] + first * size, (last - first) * size)
        finish(a, first, last)


@job
def finish_rows(address: int, part: int) -> None:
    """Apply the epilogue to a share of the rows."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    finish(a, bound(a[ROWS], a[PARTS], part), bound(a[ROWS], a[PARTS], part + 1))


def note(numbers: Array, rows: int, weights: Array, coded: Coded, parts: int, geometry: Geometry | None = None) -> None:
    """Write the arguments that are the same in every run; those of data, output and operands come with a run."""
    codes, vectors, _ = coded
    numbers[[PARTS, ROWS, WEIGHTS]] = parts, rows, address_of(weights)
    numbers[STAGES : VECTOR + 1] = len(codes), address_of(codes), address_of(vectors), vectors.shape[1]
    if geometry is not None:
        numbers[HEIGHT:NUMBERS] = (
            *geometry.data[1:], *geometry.kernel, *geometry.strides, *geometry.dilations, *geometry.begin,
            *geometry.output,
        )  # fmt: skip
