"""Convolutions, in groups or in one, as jobs of a spin pool: micro-kernels read the data where they lie.

No windows are gathered, but a padded copy of the data is made where there are pads or the memory is not channels last;
weights are packed once, where BLAS packs both factors in every call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import cast

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.compiling import NotFasterError
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.keys import BindRun
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue, split_bias, split_limits
from ir_plugin.kernels.numba.gemm.micro_kernel import HAS_FMA, LANES
from ir_plugin.kernels.numba.gemm.packed_weights import (
    ROW_MULTIPLE,
    PackedWeights,
    groups_per_gemm,
    multiply,
    packed_panels,
)
from ir_plugin.kernels.numba.gemm.products import (
    CONVOLUTION,
    apply_epilogue,
    convolution_fields,
    epilogue_fields,
    epilogue_jobs,
)
from ir_plugin.kernels.numba.runtime.intrinsics import copy
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numba.windows import (
    WINDOWS,
    WindowKernel,
    Windows,
    block_diagonal_weights,
    block_rows,
    part_of_rows,
    rows_of_block,
    run_offsets,
    shares,
    window_data,
)
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.rows import RowKernel
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

if not HAS_FMA:
    raise NotFasterError("this processor has no fused multiply-add: products are left to BLAS")

BLOCK_BYTES = 3 * 2**17
"""Bytes of data that meet one panel of weights after the other, which fit a second-level cache of 512 KB with it."""
MAX_ROWS = 6 * ROW_MULTIPLE

DIRECT = struct(WINDOWS, CONVOLUTION)


@compiled("void(i8, i8, i8, i8, i8, i8)")
def _blocks(address: int, first: int, last: int, panel: int, panels: int, part: int) -> None:
    """Compute the columns of some panels for some pixels, and apply the epilogue if these are all panels."""
    a = arguments_at(address, DIRECT)
    source, size = window_data(address, DIRECT, np.float32, 4, first, last), 4 * a.width
    scratch = a.narrow + 4 * LANES * part * a.block_rows
    most = rows_of_block(last - first, a.block_rows, ROW_MULTIPLE)
    for begin in range(first, last, most):
        count = min(most, last - begin)
        target = a.output + begin * size
        output, step = (target, size) if a.narrow == 0 else (scratch, 4 * LANES)
        multiply(a.tables, panel, panels, source, a.windows + 8 * begin, count, a.weights, output, step)
        if a.narrow != 0:
            for row in range(count):
                copy(target + row * size, scratch + 4 * LANES * row, size)
        if panels - panel == a.panels:
            apply_epilogue(address, begin, begin + count)


@job
def _by_rows(address: int, part: int) -> None:
    """Compute all columns of a part of the pixels."""
    a = arguments_at(address, DIRECT)
    first, last = part_of_rows(a.rows, a.parts, part, ROW_MULTIPLE)
    _blocks(address, first, last, 0, a.panels, part)


@job
def _by_panels(address: int, part: int) -> None:
    """Compute the columns of a part of the panels for all pixels."""
    a = arguments_at(address, DIRECT)
    first, last = bound(a.panels, a.parts, part), bound(a.panels, a.parts, part + 1)
    _blocks(address, 0, a.rows, first, last, part)


class Direct(WindowKernel):
    """A convolution with packed weights and its epilogue; padded data lies in the scratch memory of the pool.

    It computes the output [N, H, W, O], in C order, from data [N, H, W, C] and the epilogue's operands as rows.
    """

    reads_operand_rows = True

    def __init__(
        self, geometry: Geometry, weights: PackedWeights, epilogue: EncodedEpilogue, spin_pool: SpinPool
    ) -> None:
        self._weights, self._epilogue, self._windows = weights, epilogue, Windows(geometry, np.float32, 0, spin_pool)
        self._narrow = np.empty(0, np.float32)
        arguments = filled(
            DIRECT, weights=address_of(weights.weights), tables=weights.address, panels=weights.count,
            **epilogue_fields(epilogue),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [], 1, epilogue.position)
        self._use(geometry)

    def resize(self, geometry: Geometry) -> None:
        """Convolve data of other lengths from now on."""
        self._windows.resize(geometry)
        self._weights.move(_offsets(geometry, self._weights.groups))
        self._use(geometry)

    def _use(self, geometry: Geometry) -> None:
        """Write what depends on lengths."""
        weights, threads = self._weights, self._pool.size
        rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
        parts = shares(rows, rows * weights.weights.size, MAX_ROWS, self._pool)
        step = _block(geometry)
        if geometry.channels < LANES and self._narrow.size < parts * step * LANES:
            self._narrow = np.empty(parts * step * LANES, np.float32)
        fill(
            self._arguments, parts=parts, block_rows=step,
            padded=self._windows.pad() if any(geometry.begin + geometry.end) else 0,
            narrow=address_of(self._narrow) if self._narrow.size else 0,
            **self._windows.fields, **convolution_fields(geometry),
        )  # fmt: skip
        fills_threads = rows >= policy.CONVOLUTION_JOB_ROWS_MIN_PIXELS_PER_THREAD * threads
        by_rows = parts == 1 or fills_threads or weights.count < 2 * threads
        rest = epilogue_jobs(self._epilogue)
        self._set_jobs([_by_rows.address] if by_rows else [_by_panels.address, *rest], parts)


def _block(geometry: Geometry) -> int:
    """Return how many pixels meet a panel together: their data and a panel fit the second-level cache."""
    step_y, step_x = geometry.strides if geometry.kernel != (1, 1) else (1, 1)
    pixel = 4 * geometry.data[3] * step_y * step_x
    return block_rows(BLOCK_BYTES, pixel, ROW_MULTIPLE, MAX_ROWS)


def _offsets(geometry: Geometry, groups: int) -> list[int]:
    """Return the byte offsets of a window's runs, which are as long as the weights of `groups` are contiguous."""
    return run_offsets(geometry, 4, geometry.kernel[1] == 1 or (groups == 1 and geometry.dilations[1] == 1))


class _AnyGeometry:
    """A convolution of any lengths: weights [G, O, C, kh, kw] packed when they are first used, and the epilogue."""

    def __init__(self, weights: Array, epilogue: EncodedEpilogue, derived: Derived) -> None:
        self._plain, self._derived = weights, derived
        self._start, after_bias = split_bias(epilogue, weights.shape[0] * weights.shape[1])
        self._limits, self._rest = split_limits(after_bias)
        self._packed: dict[int, PackedWeights] = {}

    def __call__(self, geometry: Geometry) -> Callable[[SpinPool], Direct]:
        """Return a factory of the convolution of a geometry; it takes a spin pool."""
        return lambda spin_pool: Direct(geometry, self._weights(geometry), self._rest, spin_pool)

    @cached_property
    def _spread(self) -> Array:
        merged = groups_per_gemm(*self._plain.shape[:2])
        return block_diagonal_weights(self._plain, range(0, len(self._plain), merged), merged)

    def _weights(self, geometry: Geometry) -> PackedWeights:
        """Return the weights with the offsets of the windows' runs, which are as long as windows lie together."""
        offsets = _offsets(geometry, len(self._spread))
        packed = self._packed.get(len(offsets))
        if packed is None:
            packed = _packed(self._spread, len(offsets), self._start, self._limits, self._derived)
            self._packed[len(offsets)] = packed
        return packed.read_at(offsets)


def _packed(weights: Array, runs: int, start: Array, limits: tuple[float, float], derived: Derived) -> PackedWeights:
    """Pack weights [G, O, C, kh, kw] into panels, for windows of `runs` runs."""
    groups, outputs, channels, tall, wide = weights.shape

    def packed_once() -> Array:
        matrices = weights.transpose(0, 3, 4, 2, 1).reshape(groups, -1, outputs)
        return derived("panels of jobs", [weights], lambda: [packed_panels(matrices)])[0]

    shape = (groups, tall * wide * channels, outputs)
    return PackedWeights(shape, packed_once, [0] * runs, 4 * channels, start, limits)


def convolution(
    weights: Array, epilogue: EncodedEpilogue, derived: Derived = underived
) -> Callable[[Geometry], Callable[[SpinPool], Direct]]:
    """Return a factory of the f32 convolution with its epilogue: it takes a geometry, then a spin pool.

    `weights` are [O, C, kh, kw] or [G, O, C, kh, kw]; all that it binds share them.
    """
    return _AnyGeometry(weights if weights.ndim == 5 else weights[None], epilogue, derived)


class _Product:
    """A product of rows as a convolution of one line of pixels."""

    def __init__(self, convolution: Direct) -> None:
        self._convolution = convolution

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        self._convolution(data[None, None], output, operands)

    def jobs(self, data: Array, output: Array, operands: Sequence[Array]) -> list[Job] | None:
        """Return the jobs of the convolution."""
        return self._convolution.jobs(data[None, None], output, operands)


def product(
    rows: int, weights: Array, epilogue: EncodedEpilogue, derived: Derived = underived
) -> Callable[[SpinPool], RowKernel]:
    """Return a factory of the f32 product [rows, K] x [K, N] with its epilogue; it takes a spin pool."""
    depth, width = weights.shape
    geometry = Geometry((1, 1, rows, depth), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (1, rows), 1, width)
    bind_convolution = convolution(weights.T[..., None, None], epilogue, derived)(geometry)
    return lambda spin_pool: _Product(bind_convolution(spin_pool))


@register(keys.DIRECT_CONVOLUTION)
def direct_convolution(
    weights: Array, stages: Sequence[EpilogueStage], derived: Derived
) -> Callable[[Geometry], BindRun] | None:
    """Return `convolution` with encoded stages, or None where one of them is unknown."""
    epilogue = encode_epilogue(stages, prod(weights.shape[:-3]))
    return None if epilogue is None else cast("Callable[[Geometry], BindRun]", convolution(weights, epilogue, derived))


@register(keys.PRODUCT)
def product_of_rows(
    rows: int, weights: Array, stages: Sequence[EpilogueStage], derived: Derived
) -> Callable[[ThreadPool], RowKernel] | None:
    """Return `product` with encoded stages, or None where one of them is unknown, or weights are not f32."""
    epilogue = encode_epilogue(stages, weights.shape[1]) if weights.dtype == np.float32 else None
    if epilogue is None:
        return None
    return cast("Callable[[ThreadPool], RowKernel]", product(rows, weights, epilogue, derived))
