"""Convolutions and products of u8 with i8 weights, in groups or in one, as jobs of a spin pool.

Sums are exact in i32. Where nothing but a bias and limits stands between the sums and the levels of the result, tiles
are stored as u8; otherwise the epilogue is applied to a block of f32 that stays in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.keys import BindRun
from ir_plugin.kernels.numba.elementwise_loops import ADD, LIMIT, OF_ROWS, ROUND
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.integer_micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.integer_weights import (
    ROW_MULTIPLE,
    IntegerWeights,
    multiply_integers,
    packed_depthwise,
    packed_panels,
)
from ir_plugin.kernels.numba.gemm.products import convolution_fields, epilogue_fields
from ir_plugin.kernels.numba.gemm.tile_micro_kernel import configure_tiles, release_tiles
from ir_plugin.kernels.numba.gemm.tile_products import TiledRows, multiply_tiles, suits_tiles
from ir_plugin.kernels.numba.quantized_rows import QUANTIZED, Scratch, finish_rows
from ir_plugin.kernels.numba.runtime.intrinsics import copy
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numba.windows import (
    REGISTER_BYTES,
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
from ir_plugin.kernels.numpy.quantization import SumsEpilogue
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**18
"""Bytes of data, and of f32 that an epilogue is applied to, which meet one panel of weights after the other."""
UNITS_OF_BLOCK = 6

INTEGER = struct(f"{WINDOWS} direct unit tiles configuration adds", QUANTIZED)
"""Whether tiles are stored as levels at once; rows of which parts and blocks consist; the `TILES` of a product in AMX's
tiles and their configuration, or 0; and whether an operand's levels are added to tiles."""


@compiled("void(i8, i8, i8, i8, i8, i8)")
def _blocks(address: int, first: int, last: int, panel: int, panels: int, part: int) -> None:
    """Compute the columns of some panels for some pixels, and apply the epilogue if these are all panels."""
    a = arguments_at(address, INTEGER)
    source = window_data(address, INTEGER, np.uint8, 1, first, last)
    is_whole = panels - panel == a.panels
    to_bytes = a.direct if a.direct else np.int64(0)
    size = np.int64(1) if to_bytes else np.int64(4)
    row_bytes = size * a.width
    most = rows_of_block(last - first, a.block_rows, a.unit)
    for begin in range(first, last, most):
        count = min(most, last - begin)
        if a.direct != 0 or a.to_bytes == 0:
            target = a.output + begin * row_bytes
        elif is_whole:
            target = a.block + 4 * part * a.scratch_rows * a.width
        else:
            target = a.block + begin * row_bytes
        scratch = a.narrow + 4 * LANES * part * a.block_rows
        output, step = (target, row_bytes) if a.narrow == 0 else (scratch, size * LANES)
        if a.tiles != 0:
            operand = a.operand + begin * a.width if a.adds else np.int64(0)
            multiply_tiles(a.tiles, panel, panels, source, begin, count, output, step, to_bytes, operand, part)
        else:
            multiply_integers(a.tables, panel, panels, source, a.windows + 8 * begin, count, output, step, to_bytes)
        if a.narrow != 0:
            for row in range(count):
                copy(target + row * row_bytes, scratch + row * step, row_bytes)
        if is_whole and a.direct == 0:
            finish_rows(address, part, target, begin, begin + count)


@compiled("void(i8, i8, i8, i8, i8, i8)")
def _configured_blocks(address: int, first: int, last: int, panel: int, panels: int, part: int) -> None:
    """Compute blocks with this thread's tiles configured, where there are any."""
    a = arguments_at(address, INTEGER)
    if a.tiles != 0:
        configure_tiles(a.configuration)
        _blocks(address, first, last, panel, panels, part)
        release_tiles()
    else:
        _blocks(address, first, last, panel, panels, part)


@job
def _by_rows(address: int, part: int) -> None:
    """Compute all columns of a part of the pixels."""
    a = arguments_at(address, INTEGER)
    first, last = part_of_rows(a.rows, a.parts, part, a.unit)
    _configured_blocks(address, first, last, 0, a.panels, part)


@job
def _by_panels(address: int, part: int) -> None:
    """Compute the columns of a part of the panels for all pixels."""
    a = arguments_at(address, INTEGER)
    first, last = bound(a.panels, a.parts, part), bound(a.panels, a.parts, part + 1)
    _configured_blocks(address, 0, a.rows, first, last, part)


@job
def _finish_by_rows(address: int, part: int) -> None:
    """Apply the epilogue to a part of the rows that `_by_panels` has computed."""
    a = arguments_at(address, INTEGER)
    first, last = bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)
    for begin in range(first, last, a.scratch_rows):
        source = a.block if a.to_bytes else a.output
        end = min(begin + a.scratch_rows, last)
        finish_rows(address, part, source + 4 * begin * a.width, begin, end)


class IntegerConvolution(WindowKernel):
    """A convolution with packed weights and its epilogue; padded data lies in the scratch memory of the pool.

    It computes the output [N, H, W, O], in C order, from data [N, H, W, C] and the epilogue's operands as rows.
    """

    def __init__(
        self,
        geometry: Geometry,
        weights: IntegerWeights,
        epilogue: SumsEpilogue,
        coded: EncodedEpilogue,
        spin_pool: SpinPool,
        zero: int,
    ) -> None:
        self._weights, self._coded, self._windows = weights, coded, Windows(geometry, np.uint8, zero, spin_pool)
        rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
        parts = shares(rows, rows * weights.weights.size // 4, UNITS_OF_BLOCK * ROW_MULTIPLE, spin_pool)
        pads = any(geometry.begin + geometry.end) or not (weights.is_tiled or _is_whole(geometry))
        self._tiles = self._tiled(geometry, pads) if weights.is_tiled else None
        unit = self._tiles.unit if self._tiles else ROW_MULTIPLE
        by_rows = parts == 1 or rows >= 2 * unit * spin_pool.size or weights.count < 2 * spin_pool.size
        residual = _residual(epilogue, coded) if self._tiles else None
        direct = epilogue.direct or residual is not None
        step = _block(geometry, direct, unit) if by_rows else -(-rows // unit) * unit
        self._narrow = np.empty(parts * step * LANES if geometry.channels < LANES else 0, np.float32)
        self._scratch = Scratch(0 if direct else parts, step, geometry.channels, epilogue.rest)
        arguments = filled(
            INTEGER, parts=parts, block_rows=step, unit=unit, tables=weights.address, panels=weights.count,
            padded=self._windows.pad() if pads else 0, direct=int(direct),
            narrow=address_of(self._narrow) if self._narrow.size else 0, **self._tile_fields(parts, step, residual),
            **self._windows.fields, **convolution_fields(geometry), **self._scratch.fields, **epilogue_fields(coded),
        )  # fmt: skip
        finishes = not direct and (len(coded.codes) > 0 or epilogue.rest.output is not None)
        jobs = [_by_rows] if by_rows else [_by_panels, _finish_by_rows] if finishes else [_by_panels]
        super().__init__(spin_pool, arguments, [job.address for job in jobs], parts, coded.position)

    def _tile_fields(self, parts: int, step: int, residual: tuple[Array, bool] | None) -> dict[str, int]:
        """Return the fields of AMX's tiles, which add the levels of a residual; none without tiles."""
        tiles, fields = self._tiles, self._scratch.fields
        if tiles is None:
            return {}
        if residual is not None:
            tiles.add_levels(fields["inverse"], fields["shift"], *residual)
        adds = int(residual is not None)
        return {"tiles": tiles.allocate(parts, step), "configuration": tiles.configuration, "adds": adds}

    def _tiled(self, geometry: Geometry, pads: bool) -> TiledRows:
        size = self._windows.size + (REGISTER_BYTES if pads else 0)
        return TiledRows(self._windows.starts, size, self._weights, geometry.channels)


def _is_whole(geometry: Geometry) -> bool:
    """Return whether runs of neighbouring channels consist of quads, so that no load reads past the data."""
    if geometry.groups == geometry.data[3] == geometry.channels and geometry.channels >= LANES:
        return True
    return geometry.data[3] // geometry.groups % 4 == 0 and geometry.data[3] % 4 == 0


def _residual(epilogue: SumsEpilogue, coded: EncodedEpilogue) -> tuple[Array, bool] | None:
    """Return the numbers of `finish_residual` and whether sums are rounded first; None for any other epilogue."""
    rest, codes = epilogue.rest, coded.codes.tolist()
    rounds, is_cut = codes[:1] == [ROUND], codes[-1:] == [LIMIT]
    if rest.operand is None or rest.sample_rows or rest.output is None:
        return None
    if codes != [ROUND] * rounds + [ADD + OF_ROWS] + [LIMIT] * is_cut:
        return None
    limits = coded.vectors[-1, :2] if is_cut else (-np.inf, np.inf)
    grid = coded.vectors[0, :6] if rounds else np.zeros(6)
    return np.array([*grid, *rest.operand, *limits, rest.output.low, rest.output.high], np.float32), rounds


def _block(geometry: Geometry, direct: bool, unit: int) -> int:
    """Return how many pixels meet a panel together: their data, and f32 results that wait, fit the cache."""
    step_y, step_x = geometry.strides if geometry.kernel != (1, 1) else (1, 1)
    pixel = geometry.data[3] * step_y * step_x + (0 if direct else 4 * geometry.channels)
    return block_rows(BLOCK_BYTES, pixel, unit, UNITS_OF_BLOCK * unit)


def _packed(
    geometry: Geometry,
    weights: Array,
    vectors: Sequence[Array],
    derived: Derived,
) -> IntegerWeights:
    """Pack i8 weights [G, O, C, kh, kw] into panels; windows are read in the longest contiguous runs."""
    source, total = weights, weights.shape[0]
    is_depthwise = weights.shape[1] == weights.shape[2] == 1 and total >= LANES
    firsts, merged = ([0], 1) if is_depthwise else _merged_groups(*weights.shape[:2])
    weights = block_diagonal_weights(weights, firsts, merged)
    groups, outputs, channels, tall, wide = weights.shape
    is_together = wide == 1 or (total == 1 and geometry.dilations[1] == 1)
    offsets = run_offsets(geometry, 1, is_together and not is_depthwise)
    shape = (groups, len(offsets), tall * wide * channels // len(offsets), outputs)
    shape = (1, len(offsets), 0, total) if is_depthwise else shape
    is_tiled = suits_tiles(geometry.data[0] * geometry.output[0] * geometry.output[1], *shape[1:])

    def packed_once() -> Array:
        if is_depthwise:
            taps = weights.reshape(total, -1).T
            return derived("taps of integers", [source], lambda: [packed_depthwise(taps)])[0]
        matrices = weights.transpose(0, 3, 4, 2, 1).reshape(shape)
        kind = ("panels of integers", is_tiled)
        return derived(kind, [source], lambda: [packed_panels(matrices, is_tiled)])[0]

    return IntegerWeights(shape, packed_once, offsets, _of_groups(geometry, firsts), vectors, is_tiled)


def _of_groups(geometry: Geometry, firsts: Sequence[int]) -> Array:
    """Return, for each merged group, the first channel of the data that it reads and its first column."""
    channels, columns = geometry.data[3] // geometry.groups, geometry.channels // geometry.groups
    return np.array([[first * channels, first * columns] for first in firsts], np.int64)


def _merged_groups(groups: int, outputs: int) -> tuple[list[int], int]:
    """Return the first of each range of groups that are merged, and how many are, so that outputs fill a register.

    The last two ranges overlap where the number of groups is no multiple.
    """
    merged = min(-(-LANES // outputs), groups)
    firsts = list(range(0, groups - merged + 1, merged))
    return firsts + ([groups - merged] if firsts[-1] + merged < groups else []), merged


def integer_convolution(
    geometry: Geometry,
    weights: Array,
    zero: int,
    epilogue: SumsEpilogue,
    coded: EncodedEpilogue,
    derived: Derived = underived,
) -> Callable[[SpinPool], IntegerConvolution]:
    """Return a factory of the convolution of u8 levels, of which `zero` means 0; it takes a spin pool.

    `weights` are i8 [O, C, kh, kw] or [G, O, C, kh, kw]; `coded` has the stages of the epilogue.
    """
    grouped = weights if weights.ndim == 5 else weights[None]

    @cache
    def packed() -> IntegerWeights:
        start = -zero * grouped.astype(np.int64).sum((2, 3, 4)).reshape(-1)
        limits = [np.broadcast_to(np.asarray(limit, np.float32), epilogue.scale.shape) for limit in epilogue.limits]
        vectors = start.astype(np.int32), epilogue.scale, epilogue.offset, *limits
        return _packed(geometry, grouped, vectors, derived)

    return lambda spin_pool: IntegerConvolution(geometry, packed(), epilogue, coded, spin_pool, zero)


@register(keys.INTEGER_CONVOLUTION)
def convolution_of_levels(
    geometry: Geometry, weights: Array, zero: int, epilogue: SumsEpilogue, derived: Derived
) -> BindRun | None:
    """Return `integer_convolution` with encoded stages, or None where one of them is unknown."""
    encoded = encode_epilogue(epilogue.rest.stages, geometry.channels)
    if encoded is None:
        return None
    return cast("BindRun", integer_convolution(geometry, weights, zero, epilogue, encoded, derived))
