"""Jobs of a crew that multiply rows by weights: convolutions and products of matrices, with their fused stages.

A convolution gathers the windows of some pixels into rows that fit the cache (im2col, without a padded copy of the
data), BLAS multiplies them with the weights, and the stages are applied while the result is in the cache.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels.numba.elementwise_chain import apply
from ir_plugin.kernels.numba.epilogue import Coded
from ir_plugin.kernels.numba.runtime.intrinsics import blas, carray, clear, copy, pointer, sgemm
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.spin_pool import address_of
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.tensors import Array

(
    BLAS, PARTS, ROWS, DEPTH, WIDTH, STEP, DATA, WEIGHTS, OUTPUT, COLUMNS, STAGES, CODES, VECTORS, VECTOR, OPERAND,
    HEIGHT, BREADTH, CHANNELS, TALL, WIDE, STEP_Y, STEP_X, FAR_Y, FAR_X, TOP, LEFT, LINES, PIXELS, NUMBERS,
) = range(29)  # fmt: skip
"""Places among the arguments of a job: the product [ROWS, DEPTH] by [DEPTH, WIDTH] in blocks of STEP rows; addresses;
the stages; the sizes of the data [HEIGHT, BREADTH, CHANNELS]; the kernel's sizes, strides, dilations and pads; the
output's lines and pixels a line."""


@compiled("i8(i8, i8, i8)")
def bound(count: int, parts: int, part: int) -> int:
    """Return where a part of `count` things begins."""
    return count * part // parts


@compiled("void(i8, i8, i8[::1])")
def _window(target: int, pixel: int, a: Array) -> None:
    """Copy the window of a pixel of the output to an address; what lies beyond the data is zero."""
    area = a[LINES] * a[PIXELS]
    sample, place = pixel // area, pixel % area
    top = (place // a[PIXELS]) * a[STEP_Y] - a[TOP]
    left = (place % a[PIXELS]) * a[STEP_X] - a[LEFT]
    wide, far, size = a[WIDE], a[FAR_X], 4 * a[CHANNELS]
    whole = far == 1 and left >= 0 and left + wide <= a[BREADTH]
    for ky in range(a[TALL]):
        y = top + ky * a[FAR_Y]
        line = a[DATA] + (sample * a[HEIGHT] + y) * a[BREADTH] * size
        if y < 0 or y >= a[HEIGHT]:
            clear(target, wide * size)
        elif whole:
            copy(target, line + left * size, wide * size)
        else:
            for kx in range(wide):
                x = left + kx * far
                if 0 <= x < a[BREADTH]:
                    copy(target + kx * size, line + x * size, size)
                else:
                    clear(target + kx * size, size)
        target += wide * size


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


@compiled("void(i8[::1], i8, i8, i8)")
def _gather(a: Array, rows: int, first: int, last: int) -> None:
    """Copy the windows of some pixels to rows at an address."""
    for pixel in range(first, last):
        _window(rows + 4 * (pixel - first) * a[DEPTH], pixel, a)


@job
def by_rows(address: int, part: int) -> None:
    """Compute a share of the rows, block by block; where COLUMNS is 0 the data are the rows."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    depth, width, step = a[DEPTH], a[WIDTH], a[STEP]
    start, end = bound(a[ROWS], a[PARTS], part), bound(a[ROWS], a[PARTS], part + 1)
    for first in range(start, end, step):
        last = min(first + step, end)
        rows = a[DATA] + 4 * first * depth
        if a[COLUMNS] != 0:
            rows = a[COLUMNS] + 4 * part * step * depth
            _gather(a, rows, first, last)
        target = a[OUTPUT] + 4 * first * width
        sgemm(a[BLAS], last - first, width, depth, rows, depth, a[WEIGHTS], width, target, width)
        finish(a, first, last)


@job
def grouped_rows(address: int, part: int) -> None:
    """Compute a share of the rows in groups: each takes DEPTH of the CHANNELS of the data to its part of the output."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    channels, depth, width = a[CHANNELS], a[DEPTH], a[WIDTH]
    groups = channels // depth
    outputs = width // groups
    start, end = bound(a[ROWS], a[PARTS], part), bound(a[ROWS], a[PARTS], part + 1)
    for first in range(start, end, a[STEP]):
        last = min(first + a[STEP], end)
        data, target = a[DATA] + 4 * first * channels, a[OUTPUT] + 4 * first * width
        for group in range(groups):
            weights = a[WEIGHTS] + 4 * group * depth * outputs
            source, place = data + 4 * group * depth, target + 4 * group * outputs
            sgemm(a[BLAS], last - first, outputs, depth, source, channels, weights, outputs, place, width)
        finish(a, first, last)


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
def gather_rows(address: int, part: int) -> None:
    """Copy a share of the windows, for `by_columns`."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    start, end = bound(a[ROWS], a[PARTS], part), bound(a[ROWS], a[PARTS], part + 1)
    _gather(a, a[COLUMNS] + 4 * start * a[DEPTH], start, end)


@job
def by_columns(address: int, part: int) -> None:
    """Compute a share of the columns of few rows; the weights of each share lie together, one share after the other."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    depth, width = a[DEPTH], a[WIDTH]
    start, end = bound(width, a[PARTS], part), bound(width, a[PARTS], part + 1)
    rows = a[DATA] if a[COLUMNS] == 0 else a[COLUMNS]
    weights, target = a[WEIGHTS] + 4 * start * depth, a[OUTPUT] + 4 * start
    sgemm(a[BLAS], a[ROWS], end - start, depth, rows, depth, weights, end - start, target, width)


@job
def finish_rows(address: int, part: int) -> None:
    """Apply the stages to a share of the rows."""
    a = carray(pointer(address), (NUMBERS,), np.int64)
    finish(a, bound(a[ROWS], a[PARTS], part), bound(a[ROWS], a[PARTS], part + 1))


def note(numbers: Array, rows: int, weights: Array, coded: Coded, parts: int, geometry: Geometry | None = None) -> None:
    """Write the arguments that are the same in every run; those of data, output and operands come with a run."""
    codes, vectors, _ = coded
    numbers[[BLAS, PARTS, ROWS, WEIGHTS]] = blas(), parts, rows, address_of(weights)
    numbers[STAGES : VECTOR + 1] = len(codes), address_of(codes), address_of(vectors), vectors.shape[1]
    if geometry is not None:
        numbers[HEIGHT:NUMBERS] = (
            *geometry.data[1:], *geometry.kernel, *geometry.strides, *geometry.dilations, *geometry.begin,
            *geometry.output,
        )  # fmt: skip
