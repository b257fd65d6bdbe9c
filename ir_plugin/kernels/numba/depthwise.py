"""Depthwise convolution with bias and activation in one pass, on channels-last memory."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.numba.math_functions import limited
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, given, job
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobArguments, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.tensors import Array

NONE, CLIP, HSWISH, HSIGMOID = range(4)
"""Activations after the sum; CLIP has the limits `low` and `high`, which are infinite where there is none."""

DEPTHWISE = struct(
    "weights bias samples height breadth channels kernel_height kernel_width stride_down stride_across dilation_down "
    "dilation_across pad_top pad_left output_height output_width activation parts",
    IN_OUT,
    low=np.float32,
    high=np.float32,
)


@compiled(f"void({given(2)}, {given(2)}, f4[:,::1], i8, i8, i8, i8, i8)")
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


@compiled(f"void({given(3)}, {given(3)}, {given(1)}, f4[:,:,::1], i8, i8, i8)")
def _compute_lines(
    data: Array, weights: Array, bias: Array, output: Array, address: int, first: int, last: int
) -> None:
    """Compute the lines [first, last) of an output [H, W, C] of one sample; `weights` are [kh, kw, C]."""
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
            if 0 <= row < height:
                _add_line(data[row], weights[k], target, stride, dilation, left, begin, end)
        if a.activation != NONE:
            activate(target, a.activation, a.low, a.high)


@job
def _lines(address: int, part: int) -> None:
    """Compute a part of the lines of every sample."""
    a = arguments_at(address, DEPTHWISE)
    channels, size = a.channels, 4 * a.channels
    weights = carray(pointer(a.weights), (a.kernel_height, a.kernel_width, channels), np.float32)
    bias = carray(pointer(a.bias), (channels,), np.float32)
    first, last = bound(a.output_height, a.parts, part), bound(a.output_height, a.parts, part + 1)
    for sample in range(a.samples):
        source = a.data + sample * a.height * a.breadth * size
        target = a.output + sample * a.output_height * a.output_width * size
        data = carray(pointer(source), (a.height, a.breadth, channels), np.float32)
        output = carray(pointer(target), (a.output_height, a.output_width, channels), np.float32)
        _compute_lines(data, weights, bias, output, address, first, last)


class Depthwise:
    """A depthwise convolution with weights [kh, kw, C], a bias, and an activation with its limits."""

    def __init__(
        self,
        geometry: Geometry,
        weights: Array,
        bias: Array,
        activation: int,
        limits: tuple[float, float],
        spin_pool: SpinPool,
    ) -> None:
        self._weights, self._bias = np.ascontiguousarray(weights), np.ascontiguousarray(bias)
        samples, height, breadth, channels = geometry.data
        work = samples * geometry.output[0] * geometry.output[1] * weights.size
        self._parts = spin_pool.size if work >= policy.DEPTHWISE_JOB_SHARED_MIN_MULTIPLICATIONS else 1
        arguments = filled(
            DEPTHWISE, weights=address_of(self._weights), bias=address_of(self._bias), samples=samples, height=height,
            breadth=breadth, channels=channels, kernel_height=geometry.kernel[0], kernel_width=geometry.kernel[1],
            stride_down=geometry.strides[0], stride_across=geometry.strides[1], dilation_down=geometry.dilations[0],
            dilation_across=geometry.dilations[1], pad_top=geometry.begin[0], pad_left=geometry.begin[1],
            output_height=geometry.output[0], output_width=geometry.output[1], activation=activation,
            low=limits[0], high=limits[1], parts=self._parts,
        )  # fmt: skip
        self._arguments = JobArguments(spin_pool, arguments)

    def __call__(self, data: Array, output: Array) -> None:
        """Compute the output [N, H, W, C], which lies in C order, from data [N, H, W, C]."""
        self._arguments.run([_lines.address], self._parts, data, output, ())
