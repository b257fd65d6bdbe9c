"""Epilogues in one pass: sums, products and activations of rows while they are in the first-level cache.

NumPy passes over a block once for each ufunc, five times for HSwish; here some rows take one short loop for each op.
"""

from __future__ import annotations

from ir_plugin.kernels.numba.elementwise_loops import FIRST_BINARY, OF_ROWS, apply_binary, apply_unary
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.tensors import Array

CHUNK = 4096
"""Elements that pass through all ops at once: 16 KB, half of a first-level cache."""


@compiled(f"void(f4[:,::1], i8[::1], {read_only(2)}, {read_only(2)})")
def apply(block: Array, codes: Array, vectors: Array, rows: Array) -> None:
    """Apply an epilogue to every row of a block; `rows` begin with the rows of the one operand that an op may read."""
    width, is_whole = block.shape[1], rows.shape[1] == block.shape[1]
    step = max(CHUNK // width, 1)
    for first in range(0, block.shape[0], step):
        part = block[first : first + step]
        flat = part.reshape(-1)
        for number in range(codes.shape[0]):
            code = codes[number]
            if code < FIRST_BINARY:
                apply_unary(code, flat, vectors[number])
            elif code < FIRST_BINARY + OF_ROWS:
                apply_binary(code - FIRST_BINARY, part, vectors[number])
            elif is_whole:
                operand = rows[first : first + step].reshape(-1)
                apply_binary(code - FIRST_BINARY - OF_ROWS, part.reshape(1, -1), operand)
            else:
                for row in range(part.shape[0]):
                    operand = rows[first + row, :width]
                    apply_binary(code - FIRST_BINARY - OF_ROWS, part[row : row + 1], operand)
