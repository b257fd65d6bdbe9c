"""Tiles of depthwise convolutions: a few pixels by a few registers of channels, whose sums stay in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES, MicroKernel, emit_each, integer
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, inline_llvm

PIXELS = 8 if LANES == 16 else 4
"""The most pixels of a tile of 2 registers: 16 or 8 sums and 2 weights."""
QUARTER = 4
"""Lanes of the smallest part of a register; pixels of fewer channels take a loop without tiles."""
TILE_CHANNELS = sorted({2 * LANES, LANES, LANES // 2, QUARTER}, reverse=True)
"""Channels of a tile: two registers, one, or a part of one."""

_TOOLS = LazyModule("numba.core.cgutils")


class DepthwiseTile(MicroKernel):
    """Emits the instructions of one tile: sums over the taps of a kernel of data by weights, both of each channel."""

    def add(self, offset: Any, weights: Any) -> None:
        """Add the products of one tap: of the data at an offset from each pixel, in bytes, and the weights there."""
        builder = self.builder
        factors = [self._loaded(weights, register) for register in range(self.vectors)]
        for pixel, sums in zip(self.rows, self.sums, strict=True):
            for register, (total, factor) in enumerate(zip(sums, factors, strict=True)):
                data = self._loaded(builder.add(pixel, offset), register)
                builder.store(builder.call(self.fma, [data, factor, builder.load(total)]), total)

    def _loaded(self, address: Any, register: int) -> Any:
        return self.builder.load(self.at(address, integer(0), 0, register), align=4)


@inline_llvm(f"void({', '.join(['i8'] * 14)}, f4, f4)")
def depthwise(builder: Any, *arguments: Any) -> None:
    """Compute a tile of `TILE_CHANNELS` and up to `PIXELS` pixels, which lie `pixel_step` bytes apart.

    The arguments are channels, pixels, and the arguments of `_emit_tile`. It adds the taps of some lines of the kernel;
    `line_step` and `tap_step` are bytes between data, `line_weights` and `tap_weights` between weights.
    """

    def emit_channels(builder: Any, channels: int, arguments: Sequence[Any]) -> None:
        registers = max(channels // LANES, 1)

        def emit(builder: Any, count: int, arguments: Sequence[Any]) -> None:
            _emit_tile(builder, count, arguments, registers, channels // registers)

        emit_each(builder, range(1, PIXELS + 1), arguments, emit)

    emit_each(builder, TILE_CHANNELS, arguments, emit_channels)


def _emit_tile(builder: Any, count: int, arguments: Sequence[Any], registers: int, lanes: int) -> None:
    """Emit the instructions of a tile of `count` pixels by `registers` registers of channels."""
    (
        data, pixel_step, weights, lines, line_step, line_weights, taps, tap_step, tap_weights, output, output_step,
        bias, low, high,
    ) = arguments  # fmt: skip
    pixels = [builder.add(data, builder.mul(pixel_step, integer(pixel))) for pixel in range(count)]
    kernel = DepthwiseTile(builder, pixels, registers, lanes)
    kernel.begin(bias, integer(0))
    with (
        _TOOLS.for_range_slice(builder, integer(0), lines, integer(1)) as (line, _),
        _TOOLS.for_range_slice(builder, integer(0), taps, integer(1)) as (tap, _),
    ):
        offset = builder.add(builder.mul(line, line_step), builder.mul(tap, tap_step))
        beside = builder.add(builder.mul(line, line_weights), builder.mul(tap, tap_weights))
        kernel.add(offset, builder.add(weights, beside))
    kernel.end(output, output_step, low, high)
