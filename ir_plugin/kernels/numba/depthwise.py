"""Depthwise convolution with bias and activation in one pass, on channels-last memory."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numba.math_functions import limited
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.tensors import Array

NONE, CLIP, HSWISH, HSIGMOID = range(4)
"""Activations after the sum; CLIP has the limits `low` and `high`, which are infinite where there is none."""

DEPTHWISE = struct(
    "weights bias samples height breadth channels kernel_height kernel_width stride_down stride_across dilation_down "
    "dilation_across pad_top pad_left output_height output_width activation parts tiled",
    IN_OUT,
    low=np.float32,
    high=np.float32,
)


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


@compiled("void(f4[:,::1], i8, f4, f4)")
def activate(target: Array, activation: int, low: float, high: float) -> None:
    """Change rows to one of the activations of them."""
    zero, three, six, sixth = np.float32(0), np.float32(3), np.float32(6), np.float32(1 / 6)
    flat = target.reshape(-1)
    if activation == CLIP:
        for c in range(flat.shape[0]):
            flat[c] = limited(flat[c], low, high)
    elif activation == HSWISH:
        for c in range(flat.shape[0]):
            flat[c] *= limited(flat[c] + three, zero, six) * sixth
    elif activation == HSIGMOID:
        for c in range(flat.shape[0]):
            flat[c] = limited(flat[c] + three, zero, six) * sixth


@compiled(f"void({read_only(3)}, {read_only(3)}, {read_only(1)}, f4[:,:,::1], i8, i8, i8)")
def _compute_lines(
    data: Array, weights: Array, bias: Array, output: Array, address: int, first: int, last: int
) -> None:
    """Compute the lines [first, last) of an output [H, W, C] of one sample; `weights` are [kh, kw, C or W * C]."""
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
            row = y * a.stride_down + k * a.dilation_down - a.pad_top
            if 0 <= row < height and a.tiled != 0:
                line = data[row].reshape(-1)
                _add_tiled_line(line, weights[k], channels, target.reshape(-1), dilation, left, width)
            elif 0 <= row < height:
                _add_line(data[row], weights[k], target, stride, dilation, left, begin, end)
        if a.activation != NONE:
            activate(target, a.activation, a.low, a.high)


@job
def _lines(address: int, part: int) -> None:
    """Compute a part of the lines of every sample."""
    a = arguments_at(address, DEPTHWISE)
    channels, size = a.channels, 4 * a.channels
    columns = channels * a.output_width if a.tiled != 0 else channels
    weights = carray(pointer(a.weights), (a.kernel_height, a.kernel_width, columns), np.float32)
    bias = carray(pointer(a.bias), (channels,), np.float32)
    first, last = bound(a.output_height, a.parts, part), bound(a.output_height, a.parts, part + 1)
    for sample in range(a.samples):
        source = a.data + sample * a.height * a.breadth * size
        target = a.output + sample * a.output_height * a.output_width * size
        data = carray(pointer(source), (a.height, a.breadth, channels), np.float32)
        output = carray(pointer(target), (a.output_height, a.output_width, channels), np.float32)
        _compute_lines(data, weights, bias, output, address, first, last)


def _is_narrow(geometry: Geometry) -> bool:
    """Return whether pixels have so few channels that loops over a line are faster, and weights few bytes."""
    channels, tile = geometry.channels, geometry.output[1] * geometry.channels
    few = channels <= policy.DEPTHWISE_TILED_MAX_CHANNELS
    return few and 4 * geometry.kernel[0] * geometry.kernel[1] * tile <= policy.DEPTHWISE_TILED_MAX_BYTES


class Depthwise(JobKernel):
    """A depthwise convolution with weights [kh, kw, C], a bias, and an activation with its limits.

    It computes the output [N, H, W, C], which lies in C order, from data [N, H, W, C].
    """

    def __init__(
        self,
        geometry: Geometry,
        weights: Array,
        bias: Array,
        activation: int,
        limits: tuple[float, float],
        spin_pool: SpinPool,
    ) -> None:
        tiled = geometry.strides[1] == 1 and _is_narrow(geometry)
        self._weights = np.ascontiguousarray(np.tile(weights, (1, 1, geometry.output[1])) if tiled else weights)
        self._bias = np.ascontiguousarray(bias)
        samples, height, breadth, channels = geometry.data
        work = samples * geometry.output[0] * geometry.output[1] * weights.size
        parts = spin_pool.size if work >= policy.DEPTHWISE_JOB_SHARED_MIN_MULTIPLICATIONS else 1
        arguments = filled(
            DEPTHWISE, weights=address_of(self._weights), bias=address_of(self._bias), samples=samples, height=height,
            breadth=breadth, channels=channels, kernel_height=geometry.kernel[0], kernel_width=geometry.kernel[1],
            stride_down=geometry.strides[0], stride_across=geometry.strides[1], dilation_down=geometry.dilations[0],
            dilation_across=geometry.dilations[1], pad_top=geometry.begin[0], pad_left=geometry.begin[1],
            output_height=geometry.output[0], output_width=geometry.output[1], activation=activation,
            low=limits[0], high=limits[1], parts=parts, tiled=tiled,
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [_lines.address], parts)
