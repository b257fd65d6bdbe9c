"""Products of rows that are quantized to i8 by groups with packed integer weights, as jobs.

The sums of groups are exact, and scaled and added in the order of `kernels.numpy.dynamic_quantization`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.integer_dots import CENTERS, KINDS, OUTPUTS, integer_dots
from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_fields, epilogue_jobs
from ir_plugin.kernels.numba.runtime.intrinsics import carray, load, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, kernel_factory
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numpy.dynamic_quantization import DynamicWeights
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

LANES = (4, 8)
"""The lanes of a register of the products."""

DYNAMIC = struct(
    "depth row_bytes ahead scales zeros groups ratio group_size chunk halves scratch scales_offset sums_offset", ROWS
)
"""The `weights` are codes, whose rows have `row_bytes`, and are prefetched `ahead` bytes before they are read. K;
addresses of scales and of zero points [N, groups]; groups of the data in one of the weights, and numbers in one;
numbers in a chunk, and whether its even members come first; where the address of the quantized data lies, and how many
bytes further the scales and the sums of their groups begin."""

_ROUND = np.float32(3 * 2**22)
"""Added to a number of f32 and subtracted, it rounds it to an integer, half to even."""
_SMALLEST, _LEVELS = np.float32(1e-36), np.float32(127)


@compiled("i4(f4[::1], f4, i1[::1], i8)", exact=True)
def quantize_numbers(values: Array, inverse: float, codes: Array, half: int) -> int:
    """Fill the codes of a group, rounded half to even, and return their sum.

    With `half`, each chunk of twice as many numbers is stored with its even members first.
    """
    total = np.int32(0)
    for first in range(0, len(values), 2 * half if half else len(values)):
        for k in range(half):
            for odd in range(2):
                value = np.int32((values[first + 2 * k + odd] * inverse + _ROUND) - _ROUND)
                codes[first + half * odd + k] = value
                total += value
    for k in range(0 if half else len(values)):
        value = np.int32((values[k] * inverse + _ROUND) - _ROUND)
        codes[k] = value
        total += value
    return int(total)


@compiled("void(i8, i8, i8, i8)", exact=True)
def quantize_group(address: int, row: int, group: int, halves: int) -> None:
    """Quantize a group of a row."""
    a = arguments_at(address, DYNAMIC)
    size, number = a.group_size, row * (a.depth // a.group_size) + group
    offset = row * a.depth + group * size
    values = carray(pointer(a.data + 4 * offset), (size,), np.float32)
    bits = carray(pointer(a.data + 4 * offset), (size,), np.int32)
    quantized = load(a.scratch)
    codes = carray(pointer(quantized + offset), (size,), np.int8)
    scale = carray(pointer(quantized + a.scales_offset + 4 * number), (1,), np.float32)
    scale_bits = carray(pointer(quantized + a.scales_offset + 4 * number), (1,), np.int32)
    most = np.int32(0)
    for k in range(size):
        most = max(most, bits[k] & np.int32(0x7FFFFFFF))
    scale_bits[0] = most
    largest, total = scale[0], np.int32(0)
    if most > 0x7F7FFFFF or largest < _SMALLEST:
        scale[0] = np.float32(np.nan) if most > 0x7F7FFFFF else np.float32(0)
        for k in range(size):
            codes[k] = 0
    else:
        scale[0] = largest / _LEVELS
        total = quantize_numbers(values, _LEVELS / largest, codes, a.chunk // 2 if halves else 0)
    carray(pointer(quantized + a.sums_offset + 4 * number), (1,), np.int32)[0] = total


@kernel_factory(())
def quantizing_job() -> Any:
    """Return the job that quantizes the data."""

    def quantize(address: int, part: int) -> None:
        a = arguments_at(address, DYNAMIC)
        for row in range(bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)):
            for group in range(a.depth // a.group_size):
                quantize_group(address, row, group, a.halves)

    return job(quantize)


@kernel_factory(*((kind, lanes) for kind in range(len(KINDS)) for lanes in LANES))
def dots_job(kind: int, lanes: int) -> Any:
    """Return the job of the products; the last four outputs may be among those before them."""

    def dots(address: int, part: int) -> None:
        a = arguments_at(address, DYNAMIC)
        quantized = load(a.scratch)
        blocks, groups, chunks = -(-a.width // OUTPUTS), a.depth // a.group_size, a.group_size // (4 * lanes)
        for block in range(bound(blocks, a.parts, part), bound(blocks, a.parts, part + 1)):
            first = min(block * OUTPUTS, a.width - OUTPUTS)
            codes, at = a.weights + first * a.row_bytes, 4 * first * a.groups
            for row in range(a.rows):
                number = 4 * row * groups
                scales, sums = quantized + a.scales_offset + number, quantized + a.sums_offset + number
                integer_dots(
                    kind, lanes, quantized + row * a.depth, scales, sums, codes, a.row_bytes, a.scales + at,
                    a.zeros + at, a.groups, a.ratio, chunks,
                    a.output + 4 * (row * a.width + first), a.ahead,
                )  # fmt: skip

    return job(dots, exact=True)


class DynamicProduct(JobKernel):
    """The product of rows, which are quantized first, with weights, whose outputs the threads of a pool share."""

    reads_operand_rows = True

    def __init__(self, weights: DynamicWeights, epilogue: EncodedEpilogue, pool: ThreadPool) -> None:
        tensor, size = weights.tensor, weights.group_size
        width, depth = tensor.shape
        kind, lanes = _form(weights)
        self._weights, self._epilogue, self._count = weights, epilogue, 0
        self._zeros = weights.zeros + np.int32(CENTERS[kind])
        groups, row_bytes = weights.scales.shape[1], tensor.row_bytes
        is_shared = width * depth >= policy.COMPRESSED_JOB_SHARED_MIN_ELEMENTS and pool.size > 1
        parts = pool.size * policy.POOL_PARTS_PER_THREAD if is_shared else 1
        arguments = filled(
            DYNAMIC, depth=depth, width=width, parts=parts, weights=address_of(tensor.codes), row_bytes=row_bytes,
            ahead=min(OUTPUTS * row_bytes, policy.COMPRESSED_PREFETCH_MAX_BYTES), scales=address_of(weights.scales),
            zeros=address_of(self._zeros), groups=groups, ratio=depth // size // groups, group_size=size,
            chunk=4 * lanes, halves=tensor.element_type.bits == 4, scratch=pool.scratch_pointer,
            **epilogue_fields(epilogue),
        )  # fmt: skip
        jobs = [quantizing_job().address, dots_job(kind, lanes).address, *epilogue_jobs(epilogue)]
        super().__init__(pool, arguments, jobs, parts, epilogue.position)

    def _prepare(self, data: Array) -> None:
        """Take scratch memory for the quantized data, and the scales and sums of their groups."""
        rows, depth = data.shape
        if rows != self._count:
            quantized, groups = -(-rows * depth // 4) * 4, 4 * rows * (depth // self._weights.group_size)
            self._pool.scratch(quantized + 2 * groups)
            fill(self._arguments, rows=rows, scales_offset=quantized, sums_offset=quantized + groups)
            self._count = rows


def _form(weights: DynamicWeights) -> tuple[int, int]:
    """Return the kind of codes, and the lanes of registers, of which each takes four."""
    return KINDS.index(weights.tensor.element_type.name), LANES[weights.group_size % 32 == 0]


@register(keys.DYNAMIC_PRODUCT)
def product(weights: DynamicWeights, stages: Sequence[EpilogueStage]) -> Callable[[ThreadPool], Product] | None:
    """Return a factory of the product and its epilogue for a pool, or None where jobs cannot apply the epilogue."""
    epilogue = encode_epilogue(stages, weights.tensor.shape[0])
    if epilogue is None:
        return None
    quantizing_job(), dots_job(*_form(weights))
    return lambda pool: DynamicProduct(weights, epilogue, pool)
