"""Normalization of groups of channels as a job of a spin pool, on memory with channels last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_fields, epilogue_jobs
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

BLOCK = 64
"""Pixels that are added up before their sum is added to the total, which keeps rounding errors small."""

GROUPS = struct("samples groups scale offset", ROWS, eps=np.float32)
"""Rows of channels, sample by sample, and a factor and an addend for each channel."""


@compiled(f"void(f4[::1], {read_only(1)}, {read_only(1)})")
def _add(total: Array, row: Array, mean: Array) -> None:
    for c in range(total.shape[0]):
        total[c] += row[c] - mean[c]


@compiled(f"void(f4[::1], {read_only(1)}, {read_only(1)})")
def _add_squares(total: Array, row: Array, mean: Array) -> None:
    for c in range(total.shape[0]):
        distance = row[c] - mean[c]
        total[c] += distance * distance


@compiled(f"void(f4[::1], {read_only(1)}, {read_only(1)}, {read_only(1)}, {read_only(1)})")
def _finish(target: Array, row: Array, mean: Array, factor: Array, offset: Array) -> None:
    for c in range(target.shape[0]):
        target[c] = (row[c] - mean[c]) * factor[c] + offset[c]


@compiled(f"void(f4[::1], f4[::1], i8, i8, i8, {read_only(1)}, i8, b1)")
def _means(
    means: Array, partial: Array, source: int, pixels: int, step: int, centre: Array, width: int, squares: bool
) -> None:
    """Fill the means of groups of `width` channels, over pixels `step` bytes apart, of distances or their squares."""
    total = np.zeros(means.shape[0], np.float64)
    for first in range(0, pixels, BLOCK):
        partial[:] = 0
        for pixel in range(first, min(first + BLOCK, pixels)):
            row = carray(pointer(source + pixel * step), (means.shape[0],), np.float32)
            if squares:
                _add_squares(partial, row, centre)
            else:
                _add(partial, row, centre)
        for c in range(means.shape[0]):
            total[c] += partial[c]
    for first in range(0, means.shape[0], width):
        means[first : first + width] = np.float32(total[first : first + width].sum() / (width * pixels))


@compiled("void(i8, i8, i8, i8, i8)")
def _normalize_groups(address: int, start: int, channel: int, channels: int, pixels: int) -> None:
    """Normalize some groups of one sample, `start` bytes into the data and the output."""
    a = arguments_at(address, GROUPS)
    width, step = a.width // a.groups, 4 * a.width
    memory = np.zeros((4, channels), np.float32)
    zeros, means, factors, partial = memory[0], memory[1], memory[2], memory[3]
    _means(means, partial, a.data + start, pixels, step, zeros, width, False)
    _means(factors, partial, a.data + start, pixels, step, means, width, True)
    scale = carray(pointer(a.scale + 4 * channel), (channels,), np.float32)
    offset = carray(pointer(a.offset + 4 * channel), (channels,), np.float32)
    for c in range(channels):
        factors[c] = scale[c] / np.sqrt(factors[c] + a.eps)
    for pixel in range(pixels):
        row = carray(pointer(a.data + start + pixel * step), (channels,), np.float32)
        _finish(carray(pointer(a.output + start + pixel * step), (channels,), np.float32), row, means, factors, offset)


@job
def _normalize(address: int, part: int) -> None:
    """Normalize a part of the groups of all samples."""
    a = arguments_at(address, GROUPS)
    pixels, step, width = a.rows // a.samples, 4 * a.width, a.width // a.groups
    first, last = bound(a.samples * a.groups, a.parts, part), bound(a.samples * a.groups, a.parts, part + 1)
    while first < last:
        sample, group = first // a.groups, first % a.groups
        count = min(last - first, a.groups - group)
        _normalize_groups(address, sample * pixels * step + 4 * group * width, group * width, count * width, pixels)
        first += count


class GroupedNormalization(JobKernel):
    """Normalization of groups of channels: (x - mean) / sqrt(variance + eps), scaled and shifted, by rows."""

    reads_operand_rows = True

    def __init__(
        self,
        samples: int,
        rows: int,
        factors: tuple[int, float, Array, Array],
        epilogue: EncodedEpilogue,
        pool: SpinPool,
    ) -> None:
        """Take the rows of all samples; groups, eps, and a factor and an addend for each channel; and an epilogue."""
        groups, eps, scale, offset = factors
        self._vectors, self._epilogue = (scale, offset), epilogue
        is_shared = rows * scale.size >= policy.NORMALIZATION_COMPILED_SHARED_MIN_ELEMENTS
        parts = min(pool.size if is_shared else 1, samples * groups)
        fields: dict[str, Any] = epilogue_fields(epilogue)
        arguments = filled(
            GROUPS, samples=samples, rows=rows, width=scale.size, parts=parts, groups=groups, eps=eps,
            scale=address_of(scale), offset=address_of(offset), **fields,
        )  # fmt: skip
        rest = epilogue_jobs(epilogue)
        super().__init__(pool, arguments, [_normalize.address, *rest], parts, epilogue.position)


@register_job(keys.GROUP_NORMALIZATION)
def group_normalization(
    samples: int,
    rows: int,
    factors: tuple[int, float, Array, Array],
    stages: Sequence[EpilogueStage],
    pool: SpinPool,
) -> GroupedNormalization | None:
    """Return the job of a normalization and epilogue stages; None where it does not know one of them."""
    epilogue = encode_epilogue(stages, factors[2].size)
    return None if epilogue is None else GroupedNormalization(samples, rows, factors, epilogue, pool)
