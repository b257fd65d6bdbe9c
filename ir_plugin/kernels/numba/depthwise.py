"""Depthwise convolution and the epilogue behind it in one pass, on channels-last memory."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, split_bias
from ir_plugin.kernels.numba.gemm.products import CONVOLUTION, apply_epilogue, convolution_fields, epilogue_fields
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.tensors import Array

DEPTHWISE = struct("bias tiled", CONVOLUTION)
"""The numbers that sums begin with, and whether weights are repeated for all pixels of a line."""


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


@compiled(f"void(f4[::1], {read_only(1)}, i8, {read_only(1)}, i8)")
def _add_three(target: Array, line: Array, far: int, weights: Array, row: int) -> None:
    """Add three products to each element, of factors that lie `far` and of weights that lie `row` apart."""
    second, third, twice, thrice = line[far:], line[2 * far :], weights[row:], weights[2 * row :]
    for c in range(target.shape[0]):
        target[c] += line[c] * weights[c] + second[c] * twice[c] + third[c] * thrice[c]


@compiled(f"void(f4[::1], {read_only(1)}, {read_only(1)})")
def _add_one(target: Array, line: Array, weights: Array) -> None:
    for c in range(target.shape[0]):
        target[c] += line[c] * weights[c]


@compiled(f"void({read_only(1)}, {read_only(2)}, i8, f4[::1], i8, i8, i8)")
def _add_tiled_line(line: Array, weights: Array, channels: int, target: Array, far: int, left: int, width: int) -> None:
    """Add the products with one line of the kernel, of stride 1 and with weights for all pixels: few, long loops.

    The line has `width` pixels; three elements of the kernel are added at once where all of them read the line.
    """
    pixels, wide, row = target.shape[0] // channels, weights.shape[0], weights.shape[1]
    flat = weights.reshape(-1)
    for k in range(0, wide, 3):
        count = min(3, wide - k)
        begin = max(left - k * far, 0) * channels
        end = min(width + left - (k + count - 1) * far, pixels) * channels
        if count == 3 and begin < end:
            source = line[begin + (k * far - left) * channels :]
            _add_three(target[begin:end], source, far * channels, flat[k * row + begin :], row)
        else:
            begin = end = target.shape[0]
        for element in range(k, k + count):
            start, shift = max(left - element * far, 0) * channels, (element * far - left) * channels
            stop = min(width + left - element * far, pixels) * channels
            for low, high in ((start, min(begin, stop)), (max(end, start), stop)):
                if low < high:
                    _add_one(target[low:high], line[low + shift :], weights[element, low:])


@compiled(f"void({read_only(3)}, {read_only(3)}, {read_only(1)}, f4[:,:,::1], i8, i8, i8, i8)")
def _compute_lines(
    data: Array, weights: Array, bias: Array, output: Array, address: int, row: int, first: int, last: int
) -> None:
    """Compute the lines [first, last) of an output [H, W, C] of one sample; `weights` are [kh, kw, C or W * C].

    The sample begins with the row `row` of all pixels.
    """
    a = arguments_at(address, DEPTHWISE)
    height, width, channels = data.shape
    stride, dilation, left = a.stride_across, a.dilation_across, a.pad_left
    begin = (left + stride - 1) // stride
    end = (width - 1 + left - (weights.shape[1] - 1) * dilation) // stride + 1
    for y in range(first, last):
        target = output[y]
        for x in range(target.shape[0]):
            for c in range(channels):
                target[x, c] = bias[c]
        for k in range(weights.shape[0]):
            source = y * a.stride_down + k * a.dilation_down - a.pad_top
            if 0 <= source < height and a.tiled != 0:
                line = data[source].reshape(-1)
                _add_tiled_line(line, weights[k], channels, target.reshape(-1), dilation, left, width)
            elif 0 <= source < height:
                _add_line(data[source], weights[k], target, stride, dilation, left, begin, end)
        apply_epilogue(address, row + y * a.output_width, row + (y + 1) * a.output_width)


@job
def _lines(address: int, part: int) -> None:
    """Compute a part of the lines of every sample."""
    a = arguments_at(address, DEPTHWISE)
    channels, size = a.channels, 4 * a.channels
    columns = channels * a.output_width if a.tiled != 0 else channels
    weights = carray(pointer(a.weights), (a.kernel_height, a.kernel_width, columns), np.float32)
    bias = carray(pointer(a.bias), (channels,), np.float32)
    first, last = bound(a.output_height, a.parts, part), bound(a.output_height, a.parts, part + 1)
    pixels = a.output_height * a.output_width
    for row in range(0, a.rows, pixels):
        source = a.data + row // pixels * a.height * a.breadth * size
        target = a.output + row * size
        data = carray(pointer(source), (a.height, a.breadth, channels), np.float32)
        output = carray(pointer(target), (a.output_height, a.output_width, channels), np.float32)
        _compute_lines(data, weights, bias, output, address, row, first, last)


def _is_narrow(geometry: Geometry) -> bool:
    """Return whether pixels have so few channels that loops over a line are faster, and weights few bytes."""
    channels, tile = geometry.channels, geometry.output[1] * geometry.channels
    few = channels <= policy.DEPTHWISE_TILED_MAX_CHANNELS
    return few and 4 * geometry.kernel[0] * geometry.kernel[1] * tile <= policy.DEPTHWISE_TILED_MAX_BYTES


class Depthwise(JobKernel):
    """A depthwise convolution with weights [kh, kw, C], and the epilogue behind it.

    It computes the output [N, H, W, C], in C order, from data [N, H, W, C] and the epilogue's operands as rows.
    """

    def __init__(self, geometry: Geometry, weights: Array, epilogue: EncodedEpilogue, spin_pool: SpinPool) -> None:
        tiled = geometry.strides[1] == 1 and _is_narrow(geometry)
        self._weights = np.ascontiguousarray(np.tile(weights, (1, 1, geometry.output[1])) if tiled else weights)
        self._bias, self._epilogue = split_bias(epilogue, geometry.channels)
        work = geometry.data[0] * geometry.output[0] * geometry.output[1] * weights.size
        parts = spin_pool.size if work >= policy.DEPTHWISE_JOB_SHARED_MIN_MULTIPLICATIONS else 1
        arguments = filled(
            DEPTHWISE, weights=address_of(self._weights), bias=address_of(self._bias), parts=parts, tiled=tiled,
            **convolution_fields(geometry), **epilogue_fields(self._epilogue),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [_lines.address], parts, epilogue.position)
