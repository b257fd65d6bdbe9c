"""Depthwise convolution with its epilogue in one pass, on channels-last memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.keys import BindRun
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue, split_bias, split_limits
from ir_plugin.kernels.numba.gemm.depthwise_tile import PIXELS, QUARTER, depthwise
from ir_plugin.kernels.numba.gemm.micro_kernel import LANES
from ir_plugin.kernels.numba.gemm.products import CONVOLUTION, apply_epilogue, convolution_fields, epilogue_fields
from ir_plugin.kernels.numba.math_functions import limited
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import STRIDES, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, filled, struct
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array

DEPTHWISE = struct(f"bias {' '.join(STRIDES)}", CONVOLUTION, low=np.float32, high=np.float32)
"""The numbers that sums begin with, the data's strides, and the limits of the sums."""


@compiled(f"void({read_only(2)}, {read_only(2)}, f4[:,::1], i8, i8, i8, i8, i8)")
def _add_line(
    line: Array, weights: Array, target: Array, step: int, far: int, left: int, first: int, last: int
) -> None:
    """Add to the pixels of a line the products with one line of the kernel; [first, last) have their whole window.

    Three products a channel are added at once, which leaves the compiler few arrays to prove apart.
    """
    pixels, channels = target.shape
    wide, width = weights.shape[0], line.shape[0]
    for x in range(pixels):
        start = x * step - left
        done = 0
        while done + 3 <= wide and first <= x < last:
            a, b, d, k = start + done * far, start + (done + 1) * far, start + (done + 2) * far, done
            for c in range(channels):
                target[x, c] += (
                    line[a, c] * weights[k, c] + line[b, c] * weights[k + 1, c] + line[d, c] * weights[k + 2, c]
                )
            done += 3
        for k in range(done, wide):
            a = start + k * far
            if 0 <= a < width:
                for c in range(channels):
                    target[x, c] += line[a, c] * weights[k, c]


@register_jitable
def taps_inside(start: int, length: int, taps: int, dilation: int) -> tuple[int, int]:
    """Return the range [first, end) of taps that read an element of a line."""
    first = max(-(start // dilation), 0)
    return first, max(min((length - 1 - start) // dilation + 1, taps), first)


@register_jitable
def _tile_channels(channels: int, left: int) -> int:
    """Return the channels of the next tile, of those that are left."""
    if left >= 2 * LANES:
        return 2 * LANES
    return LANES if channels >= LANES else LANES // 2 if channels >= LANES // 2 else QUARTER


@compiled("void(i8, i8, i8, i8, i8, i8, i8)")
def _fill_pixels(address: int, count: int, data: int, weights: int, lines: int, taps: int, output: int) -> None:
    """Compute all channels of some pixels by some lines of some taps of the kernel.

    Where the channels do not fill the last tile, it overlaps the tile before.
    """
    a = arguments_at(address, DEPTHWISE)
    size, low, high = 4 * a.channels, a.low, a.high
    pixel_step, line_step = a.stride_across * a.stride_x, a.dilation_down * a.stride_y
    tap_step, row = a.dilation_across * a.stride_x, a.kernel_width * size
    channel = 0
    while channel < a.channels:
        channels = _tile_channels(a.channels, a.channels - channel)
        at = 4 * min(channel, a.channels - channels)
        depthwise(
            channels, count, data + at, pixel_step, weights + at, lines, line_step, row, taps, tap_step, size,
            output + at, size, a.bias + at, low, high,
        )  # fmt: skip
        channel += channels


@compiled("void(i8, i8, i8)")
def _fill_line(address: int, sample: int, y: int) -> None:
    """Compute a line of the output of a sample, in tiles."""
    a = arguments_at(address, DEPTHWISE)
    size = 4 * a.channels
    reach = (a.kernel_width - 1) * a.dilation_across
    begin, end = -(-a.pad_left // a.stride_across), (a.breadth - 1 + a.pad_left - reach) // a.stride_across + 1
    top = y * a.stride_down - a.pad_top
    above, below = taps_inside(top, a.height, a.kernel_height, a.dilation_down)
    line = a.data + sample * a.stride_n + (top + above * a.dilation_down) * a.stride_y
    output = a.output + (sample * a.output_height + y) * a.output_width * size
    x = 0
    while x < a.output_width:
        start = x * a.stride_across - a.pad_left
        count, left, right = 1, 0, a.kernel_width
        if begin <= x < end:
            count = min(PIXELS, min(end, a.output_width) - x)
        else:
            left, right = taps_inside(start, a.breadth, a.kernel_width, a.dilation_across)
        _fill_pixels(
            address, count, line + (start + left * a.dilation_across) * a.stride_x,
            a.weights + (above * a.kernel_width + left) * size, below - above, right - left, output + x * size,
        )  # fmt: skip
        x += count


@compiled("void(i8, i8, i8)")
def _fill_narrow_line(address: int, sample: int, y: int) -> None:
    """Compute a line of the output of a sample of few channels, which lie in C order."""
    a = arguments_at(address, DEPTHWISE)
    channels, reach = a.channels, (a.kernel_width - 1) * a.dilation_across
    begin, end = -(-a.pad_left // a.stride_across), (a.breadth - 1 + a.pad_left - reach) // a.stride_across + 1
    image, pixel = 4 * sample * a.height * a.breadth * channels, (sample * a.output_height + y) * a.output_width
    data = carray(pointer(a.data + image), (a.height, a.breadth, channels), np.float32)
    weights = carray(pointer(a.weights), (a.kernel_height, a.kernel_width, channels), np.float32)
    bias = carray(pointer(a.bias), (channels,), np.float32)
    target = carray(pointer(a.output + 4 * pixel * channels), (a.output_width, channels), np.float32)
    for x in range(a.output_width):
        for c in range(channels):
            target[x, c] = bias[c]
    for k in range(a.kernel_height):
        row = y * a.stride_down + k * a.dilation_down - a.pad_top
        if 0 <= row < a.height:
            _add_line(data[row], weights[k], target, a.stride_across, a.dilation_across, a.pad_left, begin, end)
    for x in range(a.output_width):
        for c in range(channels):
            target[x, c] = limited(target[x, c], a.low, a.high)


@job
def _lines(address: int, part: int) -> None:
    """Compute a part of the lines of every sample, and apply the epilogue."""
    a = arguments_at(address, DEPTHWISE)
    first, last = bound(a.output_height, a.parts, part), bound(a.output_height, a.parts, part + 1)
    for sample in range(a.rows // (a.output_height * a.output_width)):
        for y in range(first, last):
            if a.channels >= QUARTER:
                _fill_line(address, sample, y)
            else:
                _fill_narrow_line(address, sample, y)
            row = (sample * a.output_height + y) * a.output_width
            apply_epilogue(address, row, row + a.output_width)


class Depthwise(JobKernel):
    """A depthwise convolution with weights [kh, kw, C], and its epilogue.

    It computes the output [N, H, W, C], in C order, from data [N, H, W, C] and the epilogue's operands as rows.
    """

    reads_operand_rows = True

    def __init__(self, geometry: Geometry, weights: Array, epilogue: EncodedEpilogue, spin_pool: SpinPool) -> None:
        self._weights = np.ascontiguousarray(weights)
        self._bias, after_bias = split_bias(epilogue, geometry.channels)
        (low, high), self._epilogue = split_limits(after_bias)
        arguments = filled(
            DEPTHWISE, weights=address_of(self._weights), bias=address_of(self._bias), low=low, high=high,
            **epilogue_fields(self._epilogue),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [], 1, epilogue.position)
        self._reads_strides = geometry.channels >= QUARTER
        self.resize(geometry)

    def resize(self, geometry: Geometry) -> None:
        """Convolve data of other lengths from now on."""
        work = geometry.data[0] * geometry.output[0] * geometry.output[1] * self._weights.size
        parts = self._pool.size if work >= policy.DEPTHWISE_JOB_SHARED_MIN_MULTIPLICATIONS else 1
        fill(self._arguments, parts=parts, **convolution_fields(geometry))
        self._set_jobs([_lines.address], parts)


@register(keys.DEPTHWISE_CONVOLUTION)
def depthwise_convolution(weights: Array, stages: Sequence[EpilogueStage]) -> Callable[[Geometry], BindRun] | None:
    """Return a factory of a depthwise convolution: it takes a geometry, then a pool; None for an unknown stage."""
    epilogue = encode_epilogue(stages, weights.shape[-1])
    if epilogue is None:
        return None
    return lambda geometry: lambda pool: Depthwise(geometry, weights, epilogue, cast("SpinPool", pool))
