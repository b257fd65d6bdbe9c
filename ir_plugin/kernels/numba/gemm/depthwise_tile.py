# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Tiles of depthwise convolutions: a few pixels by a few registers of channels, whose sums stay in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.kernels.numba.gemm.micro_kernel import LANES, MicroKernel, integer, of_each_height
from ir_plugin.kernels.numba.runtime.deferred import LazyModule, intrinsic

PIXELS = 8 if LANES == 16 else 4
"""The most pixels of a tile of 2 registers: 16 or 8 sums and 2 weights."""

_TOOLS, types = LazyModule("numba.core.cgutils"), LazyModule("numba.core.types")


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


def depthwise(vectors: int, lanes: int = LANES) -> Any:
    """Return the function that computes a tile of up to `PIXELS` pixels, which lie `pixel_step` bytes apart.

    It adds the taps of some lines of the kernel; `line_step` and `tap_step` are bytes between data, the others
    between weights.
    """

    @intrinsic
    def tile(
        _context: Any, pixels: Any, data: Any, pixel_step: Any, weights: Any, lines: Any, line_step: Any,
        line_weights: Any, taps: Any, tap_step: Any, tap_weights: Any, output: Any, output_step: Any, bias: Any,
        low: Any, high: Any,
    ) -> Any:  # fmt: skip
        def emit(builder: Any, count: int, arguments: Sequence[Any]) -> None:
            (
                data, pixel_step, weights, lines, line_step, line_weights, taps, tap_step, tap_weights, output,
                output_step, bias, low, high,
            ) = arguments  # fmt: skip
            pixels_at = [builder.add(data, builder.mul(pixel_step, integer(pixel))) for pixel in range(count)]
            kernel = DepthwiseTile(builder, pixels_at, vectors, lanes)
            kernel.begin(bias, integer(0))
            with (
                _TOOLS.for_range_slice(builder, integer(0), lines, integer(1)) as (line, _),
                _TOOLS.for_range_slice(builder, integer(0), taps, integer(1)) as (tap, _),
            ):
                offset = builder.add(builder.mul(line, line_step), builder.mul(tap, tap_step))
                beside = builder.add(builder.mul(line, line_weights), builder.mul(tap, tap_weights))
                kernel.add(offset, builder.add(weights, beside))
            kernel.end(output, output_step, low, high)

        return types.void(*[types.int64] * 13, types.float32, types.float32), of_each_height(PIXELS, emit)

    return tile
