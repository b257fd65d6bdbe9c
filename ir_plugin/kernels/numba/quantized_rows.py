"""Chains of elementwise operations on rows of u8 or f32, as jobs of a spin pool.

Bytes become f32 in a block that stays in the cache, all operations are applied there, and the result is rounded to u8
or stored as f32: a quantized tensor goes through memory once, a byte an element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.elementwise_chain import CHUNK, apply
from ir_plugin.kernels.numba.elementwise_loops import ADD, LIMIT, OF_ROWS, ROUND
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.products import CONVOLUTION, epilogue_fields
from ir_plugin.kernels.numba.math_functions import limited
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.quantization import Levels, QuantizedEpilogue
from ir_plugin.kernels.registry import register, register_job
from ir_plugin.tensors import Array

FLOATS, BYTES, SAMPLES = range(3)
"""What an operand is: rows of f32, rows of u8, or one row of f32 for each sample."""

QUANTIZED = struct(
    "block operands scratch_rows operand_kind sample_rows inverse shift to_bytes from_bytes",
    CONVOLUTION,
    low=np.float32,
    high=np.float32,
    data_scale=np.float32,
    data_offset=np.float32,
    operand_scale=np.float32,
    operand_offset=np.float32,
)
"""Scratch memory for `scratch_rows` rows of the result and of the operand of each part; what the operand is, and the
rows of a sample; vectors by which results are multiplied and increased before they are rounded; whether they are
rounded to bytes; whether the data are bytes; the limits of levels; and what levels of data and operand mean."""


@register_jitable
def _level(x: float, inverse: float, shift: float, low: float, high: float) -> float:
    x = np.rint(x * inverse + shift)
    x = x if x > low else low
    return x if x < high else high


@compiled(f"void({read_only(2)}, u1[:,::1], {read_only(1)}, {read_only(1)}, f4, f4)", exact=True)
def quantize_rows(block: Array, output: Array, inverse: Array, shift: Array, low: float, high: float) -> None:
    """Fill rows of u8 with the levels of rows of f32."""
    rows, width = block.shape
    for r in range(rows):
        source, target = block[r], output[r]
        for c in range(width):
            target[c] = np.uint8(np.int32(_level(source[c], inverse[c], shift[c], low, high)))


@compiled(f"void({read_only(1, 'u1')}, f4[::1], f4, f4)", exact=True)
def dequantize(levels: Array, output: Array, scale: float, offset: float) -> None:
    """Dequantize levels of u8 into f32."""
    for c in range(levels.shape[0]):
        output[c] = np.float32(levels[c]) * scale + offset


@register(keys.SUMS_OF_LEVELS)
@compiled(f"void({read_only(2, 'u1')}, i4[::1])")
def sums_of_levels(levels: Array, sums: Array) -> None:
    """Add the levels of each column to sums."""
    for r in range(levels.shape[0]):
        row = levels[r]
        for c in range(sums.shape[0]):
            sums[c] += np.int32(row[c])


@compiled("void(i8, i8, i8, i8, b1, f4, f4)", exact=True)
def _add_levels(address: int, source: int, first: int, last: int, rounds: bool, least: float, greatest: float) -> None:
    """Add rows of f32 and the dequantized operand, clamp the sums, and store them as levels, in one pass.

    Where it `rounds`, the first stage of the epilogue rounds the rows before.
    """
    a = arguments_at(address, QUANTIZED)
    width = a.width
    inverse, shift = carray(pointer(a.inverse), (width,), np.float32), carray(pointer(a.shift), (width,), np.float32)
    numbers = carray(pointer(a.vectors), (6,), np.float32)
    by, plus, lowest, highest = numbers[0], numbers[1], numbers[2], numbers[3]
    means, zero = numbers[4], numbers[5]
    scale, offset, low, high = a.operand_scale, a.operand_offset, a.low, a.high
    for row in range(last - first):
        block = carray(pointer(source + 4 * row * width), (width,), np.float32)
        levels = carray(pointer(a.operand + (first + row) * width), (width,), np.uint8)
        output = carray(pointer(a.output + (first + row) * width), (width,), np.uint8)
        if rounds:
            for c in range(width):
                x = _level(block[c], by, plus, lowest, highest) * means + zero
                x = limited(x + (np.float32(levels[c]) * scale + offset), least, greatest)
                output[c] = np.uint8(np.int32(_level(x, inverse[c], shift[c], low, high)))
        else:
            for c in range(width):
                x = limited(block[c] + (np.float32(levels[c]) * scale + offset), least, greatest)
                output[c] = np.uint8(np.int32(_level(x, inverse[c], shift[c], low, high)))


@compiled("i8(i8, i8, i8, i8)")
def _operand_rows(address: int, part: int, first: int, count: int) -> int:
    """Return the address of the operand's rows in f32 from `first` on."""
    a = arguments_at(address, QUANTIZED)
    width = a.width
    if a.operand_kind == FLOATS:
        return int(a.operand + 4 * first * width)
    target = a.operands + 4 * part * a.scratch_rows * width
    if a.operand_kind == BYTES:
        levels = carray(pointer(a.operand + first * width), (count * width,), np.uint8)
        dequantize(levels, carray(pointer(target), (count * width,), np.float32), a.operand_scale, a.operand_offset)
        return int(target)
    for row in range(count):
        copy(target + 4 * row * width, a.operand + 4 * ((first + row) // a.sample_rows) * width, 4 * width)
    return int(target)


@compiled("void(i8, i8, i8, i8, i8)")
def finish_rows(address: int, part: int, source: int, first: int, last: int) -> None:
    """Apply the epilogue to rows of f32 at `source`, in place, and store them as the rows [first, last)."""
    a = arguments_at(address, QUANTIZED)
    width, count = a.width, last - first
    block = carray(pointer(source), (count, width), np.float32)
    if a.epilogue_length > 0:
        codes = carray(pointer(a.codes), (a.epilogue_length,), np.int64)
        vectors = carray(pointer(a.vectors), (a.epilogue_length, a.vector_width), np.float32)
        rounds = codes[0] == ROUND
        rest = codes[1:] if rounds else codes
        if a.operand_kind == BYTES and a.to_bytes != 0 and 0 < rest.size < 3 and rest[0] == ADD + OF_ROWS:
            if rest.size == 1:
                _add_levels(address, source, first, last, rounds, -np.float32(np.inf), np.float32(np.inf))
                return
            if rest[1] == LIMIT:
                limits = vectors[a.epilogue_length - 1]
                _add_levels(address, source, first, last, rounds, limits[0], limits[1])
                return
        if a.operand == 0:
            apply(block, codes, vectors, vectors)
        else:
            rows = _operand_rows(address, part, first, count)
            apply(block, codes, vectors, carray(pointer(rows), (count, width), np.float32))
    if a.to_bytes != 0:
        output = carray(pointer(a.output + first * width), (count, width), np.uint8)
        inverse = carray(pointer(a.inverse), (width,), np.float32)
        shift = carray(pointer(a.shift), (width,), np.float32)
        quantize_rows(block, output, inverse, shift, a.low, a.high)


@job
def _chain(address: int, part: int) -> None:
    """Compute a part of the rows, block by block."""
    a = arguments_at(address, QUANTIZED)
    width, step = a.width, a.scratch_rows
    start, end = bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)
    for first in range(start, end, step):
        last = min(first + step, end)
        size = (last - first) * width
        target = a.block + 4 * part * step * width if a.to_bytes else a.output + 4 * first * width
        if a.from_bytes != 0:
            levels = carray(pointer(a.data + first * width), (size,), np.uint8)
            dequantize(levels, carray(pointer(target), (size,), np.float32), a.data_scale, a.data_offset)
        else:
            copy(target, a.data + 4 * first * width, 4 * size)
        finish_rows(address, part, target, first, last)


class Scratch:
    """The memory of the parts of a job, and the fields of `QUANTIZED` that describe it and the levels."""

    def __init__(self, parts: int, rows: int, width: int, epilogue: QuantizedEpilogue) -> None:
        """Take the rows of a part, and what becomes of them."""
        size, levels, grid = parts * rows * width, epilogue.operand, epilogue.output
        kind = SAMPLES if epilogue.sample_rows else FLOATS if levels is None else BYTES
        self._block = np.empty(0 if grid is None else size, np.float32)
        self._operands = np.empty(0 if kind == FLOATS else size, np.float32)
        vectors = (np.ones(1), np.zeros(1)) if grid is None else grid[:2]
        self._vectors = [np.array(np.broadcast_to(array, (width,)), np.float32) for array in vectors]
        self.fields: dict[str, Any] = {
            "block": address_of(self._block) if size else 0, "operands": address_of(self._operands) if size else 0,
            "scratch_rows": rows, "operand_kind": kind, "sample_rows": max(epilogue.sample_rows, 1),
            "inverse": address_of(self._vectors[0]), "shift": address_of(self._vectors[1]),
            "to_bytes": int(grid is not None), "low": 0 if grid is None else grid.low,
            "high": 0 if grid is None else grid.high, "operand_scale": 0 if levels is None else levels.scale,
            "operand_offset": 0 if levels is None else levels.offset,
        }  # fmt: skip


class QuantizedChain(JobKernel):
    """Elementwise operations on rows, whose data, operand and result may be u8."""

    def __init__(
        self,
        shape: tuple[int, int],
        data: Levels | None,
        epilogue: QuantizedEpilogue,
        coded: EncodedEpilogue,
        spin_pool: SpinPool,
    ) -> None:
        """Take the rows and their width, what levels of the data mean, and the operations, also as `coded`."""
        rows, width = shape
        self._coded = coded
        parts = spin_pool.size if rows * width >= policy.EPILOGUE_JOB_SHARED_MIN_ELEMENTS else 1
        self._scratch = Scratch(parts, max(CHUNK // width, 1), width, epilogue)
        levels = data or Levels(1, 0)
        arguments = filled(
            QUANTIZED, rows=rows, width=width, parts=parts, from_bytes=int(data is not None),
            data_scale=levels.scale, data_offset=levels.offset, **self._scratch.fields, **epilogue_fields(coded),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [_chain.address], parts, coded.position)


@register_job(keys.QUANTIZED_CHAIN)
def quantized_chain(
    shape: tuple[int, int], data: Levels | None, epilogue: QuantizedEpilogue, spin_pool: SpinPool
) -> QuantizedChain | None:
    """Return the job of an epilogue on rows; None where it does not know one of its stages."""
    encoded = encode_epilogue(epilogue.stages, shape[1])
    return None if encoded is None else QuantizedChain(shape, data, epilogue, encoded, spin_pool)
