"""Products of rows that are quantized to i8 by groups with compressed weights: exact sums of integers by groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.compressed import blocks_of, scales_and_zeros
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor

LEVELS = 127
"""The greatest magnitude of a quantized number."""
SMALLEST = np.float32(1e-36)
"""Groups whose numbers are all smaller become zeros: the reciprocal of their scale would be infinite."""
GREATEST = np.finfo(np.float32).max
_STEP = 16
_MAX_OF_F32 = 2**24 // (LEVELS * 255)
"""The largest group size whose sums are exact in f32; longer groups are added in f64."""
_MAX_GROUP = 2**31 // (2 * LEVELS * 255)
"""Numbers of a group whose sums are exact in i32."""


@dataclass(frozen=True)
class DynamicWeights:
    """Weights [N, K] of integers, and the number of neighbours in a row of the data that share a scale."""

    tensor: CompressedTensor
    group_size: int
    scales: Array
    """f32 [N, G]; group_size divides the K / G weights of a group."""
    zeros: Array
    """i32 [N, G]."""


def dynamic_weights(
    tensor: CompressedTensor, transposed: bool, group_size: int, derived: Derived = underived
) -> DynamicWeights | None:
    """Return weights for data quantized by groups; None where OpenVINO computes in f32.

    Group sizes of the data are multiples of 16, and divide the group size of the weights.
    """
    name, shape = tensor.element_type.name, tensor.shape
    if name not in ("i8", "u8", "i4", "u4") or not transposed or not 0 < group_size <= _MAX_GROUP or group_size % _STEP:
        return None
    if len(shape) != 2 or tensor.lead != 1 or shape[0] < 4:
        return None
    scales, zeros = derived(("scales and zero points", tensor.key), [tensor.codes], lambda: scales_and_zeros(tensor))
    of_weights = shape[1] // scales.shape[1]
    is_whole = not of_weights % group_size and bool((zeros == np.rint(zeros)).all() and (abs(zeros) < 256).all())
    return DynamicWeights(tensor, group_size, scales, zeros.astype(np.int32)) if is_whole else None


def quantized(data: Array, group_size: int) -> tuple[Array, Array]:
    """Return rows [M, K] as i8, and the scales [M, K / group_size] of their groups.

    The greatest magnitude of a group becomes 127. The scale of a group with NaN or infinity is NaN.
    """
    groups = data.reshape(len(data), -1, group_size)
    largest = np.abs(groups).max(-1)
    is_finite = largest <= GREATEST
    is_usable = is_finite & (largest >= SMALLEST)
    divisor = np.where(is_usable, largest, np.float32(1))
    with np.errstate(invalid="ignore"):
        levels = np.rint(groups * (np.float32(LEVELS) / divisor)[..., None])
    codes = np.where(is_usable[..., None], levels, np.float32(0)).astype(np.int8)
    scales = np.where(is_usable, divisor / np.float32(LEVELS), np.where(is_finite, np.float32(0), np.float32("nan")))
    return codes.reshape(data.shape), scales


def product(weights: DynamicWeights, pool: ThreadPool | None = None) -> Product:
    """Return the product of rows of f32, which it quantizes, with weights; threads share the outputs."""
    tensor, depth = replace(weights.tensor, scale=None), weights.tensor.shape[1]
    blocks = blocks_of(tensor.shape[0], depth)
    parts = split(len(blocks), 1 if pool is None else pool.size)

    def run(data: Array, output: Array, _: Sequence[Array]) -> None:
        codes, scales = quantized(np.ascontiguousarray(data), weights.group_size)
        rows = codes.astype(np.float32 if weights.group_size <= _MAX_OF_F32 else np.float64)

        def part(number: int) -> None:
            begin, end = parts[number]
            for first, last in blocks[begin:end]:
                levels = np.empty((last - first, depth), np.float32)
                tensor.expand(first, last, levels)
                output[:, first:last] = _sums(weights, rows, scales, levels, first)

        if pool is None:
            part(0)
        else:
            pool.run(part, len(parts))

    return run


def _sums(weights: DynamicWeights, rows: Array, scales: Array, levels: Array, first: int) -> Array:
    """Return the products with some outputs: the exact sums of groups times both scales, added in order."""
    size, depth = weights.group_size, levels.shape[1]
    ratio = depth // weights.scales.shape[1] // size
    levels = levels.astype(rows.dtype, copy=False)
    total = np.zeros((len(rows), len(levels)), np.float32)
    for group in range(depth // size):
        part = slice(group * size, (group + 1) * size)
        exact = (rows[:, part] @ levels[:, part].T).astype(np.float32, copy=False)
        column = weights.scales[first : first + len(levels), group // ratio]
        total += exact * (scales[:, group, None] * column)
    return total
