"""Epilogues in one pass: sums, products and activations of rows while they are in the first-level cache.

NumPy passes over a block once for each ufunc, five times for HSwish; here some rows take one short loop for each op.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels.numba.math_functions import erf, gelu, gelu_by_tanh, limited, sigmoid, tanh, whole_exp
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.tensors import Array

ADD, MULTIPLY, MAXIMUM, MINIMUM, SUBTRACT, SUBTRACT_FROM, PRELU = range(7)
"""Ops with a vector, but for SUBTRACT and SUBTRACT_FROM; all but PRELU have one, by `OF_ROWS` more, with the rows of
another input.

Of zeros MAXIMUM and MINIMUM return the operand's, as NumPy does; numba's functions return the first argument."""
DIVIDE, DIVIDE_INTO = 7, 8
"""DIVIDE has a vector, or rows as the others; DIVIDE_INTO has the rows of another input alone."""
OF_ROWS = 10
CLIP, HSWISH, HSIGMOID, ROUND, ABS, SQUARE, SQRT, FLOOR, CEILING = range(20, 29)
TANH, SIGMOID, SWISH, ERF, GELU, GELU_BY_TANH, EXP = range(30, 37)
"""Ops of one operand; the limits of CLIP are the first two numbers of its vector.

ROUND quantizes to levels and back: its vector has the factor and the addend of levels, their limits, and the factor and
the addend of what they mean."""

_SIXTH = np.float32(1 / 6)


@compiled(f"void(f4[::1], i8, {read_only(1)})")
def _choose_or_divide(flat: Array, code: int, operand: Array) -> None:
    if code == MAXIMUM:
        for c in range(flat.shape[0]):
            flat[c] = np.maximum(operand[c], flat[c])
    elif code == MINIMUM:
        for c in range(flat.shape[0]):
            flat[c] = np.minimum(operand[c], flat[c])
    elif code == DIVIDE:
        for c in range(flat.shape[0]):
            flat[c] /= operand[c]
    else:
        for c in range(flat.shape[0]):
            flat[c] = operand[c] / flat[c]


@compiled(f"void(f4[:,::1], i8, {read_only(1)})")
def _with_vector(block: Array, code: int, operand: Array) -> None:
    rows, width = block.shape
    zero, one = np.float32(0), np.float32(1)
    for r in range(rows):
        if code == ADD:
            for c in range(width):
                block[r, c] += operand[c]
        elif code == MULTIPLY:
            for c in range(width):
                block[r, c] *= operand[c]
        elif code == PRELU:
            for c in range(width):
                x = block[r, c]
                block[r, c] = x * (operand[c] if x < zero else one)
        else:
            _choose_or_divide(block[r], code, operand)


@compiled(f"void(f4[::1], i8, {read_only(1)})")
def _with_rows(flat: Array, code: int, operand: Array) -> None:
    count = flat.shape[0]
    if code == ADD:
        for c in range(count):
            flat[c] += operand[c]
    elif code == MULTIPLY:
        for c in range(count):
            flat[c] *= operand[c]
    elif code == SUBTRACT:
        for c in range(count):
            flat[c] -= operand[c]
    elif code == SUBTRACT_FROM:
        for c in range(count):
            flat[c] = operand[c] - flat[c]
    else:
        _choose_or_divide(flat, code, operand)


@compiled(f"void(f4[::1], {read_only(1)})", exact=True)
def _round(flat: Array, vector: Array) -> None:
    inverse, shift, low, high, scale, offset = vector[0], vector[1], vector[2], vector[3], vector[4], vector[5]
    for c in range(flat.shape[0]):
        x = np.rint(flat[c] * inverse + shift)
        x = low if x < low else x
        x = high if x > high else x
        flat[c] = x * scale + offset


@compiled("void(f4[::1], i8)")
def _whole_or_root(flat: Array, code: int) -> None:
    count = flat.shape[0]
    if code == SQUARE:
        for c in range(count):
            flat[c] *= flat[c]
    elif code == SQRT:
        for c in range(count):
            flat[c] = np.sqrt(flat[c])
    elif code == FLOOR:
        for c in range(count):
            flat[c] = np.floor(flat[c])
    else:
        for c in range(count):
            flat[c] = np.ceil(flat[c])


@compiled(f"void(f4[::1], i8, {read_only(1)})")
def _cut(flat: Array, code: int, limits: Array) -> None:
    count = flat.shape[0]
    zero, three, six = np.float32(0), np.float32(3), np.float32(6)
    if code == CLIP:
        low, high = limits[0], limits[1]
        for c in range(count):
            flat[c] = limited(flat[c], low, high)
    elif code == HSWISH:
        for c in range(count):
            flat[c] *= limited(flat[c] + three, zero, six) * _SIXTH
    elif code == HSIGMOID:
        for c in range(count):
            flat[c] = limited(flat[c] + three, zero, six) * _SIXTH
    elif code == ABS:
        for c in range(count):
            flat[c] = abs(flat[c])
    elif code == ROUND:
        _round(flat, limits)
    else:
        _whole_or_root(flat, code)


@compiled("void(f4[::1], i8)")
def _gelu_or_exp(flat: Array, code: int) -> None:
    if code == GELU:
        for c in range(flat.shape[0]):
            flat[c] = gelu(flat[c])
    elif code == GELU_BY_TANH:
        for c in range(flat.shape[0]):
            flat[c] = gelu_by_tanh(flat[c])
    else:
        for c in range(flat.shape[0]):
            flat[c] = whole_exp(flat[c])


@compiled("void(f4[::1], i8)")
def _curved(flat: Array, code: int) -> None:
    count = flat.shape[0]
    if code == TANH:
        for c in range(count):
            flat[c] = tanh(flat[c])
    elif code == SIGMOID:
        for c in range(count):
            flat[c] = sigmoid(flat[c])
    elif code == SWISH:
        for c in range(count):
            flat[c] *= sigmoid(flat[c])
    elif code == ERF:
        for c in range(count):
            flat[c] = erf(flat[c])
    else:
        _gelu_or_exp(flat, code)


CHUNK = 4096
"""Elements that pass through all ops at once: 16 KB, half of a first-level cache."""


@compiled(f"void(f4[:,::1], i8[::1], {read_only(2)}, {read_only(2)})")
def apply(block: Array, codes: Array, vectors: Array, rows: Array) -> None:
    """Apply an epilogue to every row of a block; `rows` begin with those of the one operand that an op may read."""
    width, is_whole = block.shape[1], rows.shape[1] == block.shape[1]
    step = max(CHUNK // width, 1)
    for first in range(0, block.shape[0], step):
        part = block[first : first + step]
        flat = part.reshape(-1)
        for number in range(codes.shape[0]):
            code = codes[number]
            if code < OF_ROWS:
                _with_vector(part, code, vectors[number])
            elif code < CLIP and is_whole:
                _with_rows(flat, code - OF_ROWS, rows[first : first + step].reshape(-1))
            elif code < CLIP:
                for row in range(part.shape[0]):
                    _with_rows(part[row], code - OF_ROWS, rows[first + row, :width])
            elif code < TANH:
                _cut(flat, code, vectors[number])
            else:
                _curved(flat, code)
