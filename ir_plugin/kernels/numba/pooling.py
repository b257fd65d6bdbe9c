"""Maxima and sums of windows as a job of a spin pool, on memory with channels last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import prod

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import IN_OUT, JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

_LOWEST = np.finfo(np.float32).min
"""What the maximum of a window is at least."""

POOL = struct(
    "factors mean parts samples height breadth channels kernel_height stride_down dilation_down pad_top output_height "
    "kernel_width stride_across dilation_across pad_left output_width depth kernel_depth stride_deep dilation_deep "
    "pad_front output_depth",
    IN_OUT,
)
"""`mean` is 0 for maxima; `factors` is the address of one factor for each pixel of the output, for means."""


@compiled(f"void(f4[::1], {read_only(1)})")
def _to_maximum(total: Array, line: Array) -> None:
    """Keep the larger number; NaN counts for nothing."""
    for c in range(total.shape[0]):
        total[c] = line[c] if line[c] > total[c] else total[c]


@compiled(f"void(f4[::1], {read_only(1)})")
def _to_sum(total: Array, line: Array) -> None:
    for c in range(total.shape[0]):
        total[c] += line[c]


@compiled(f"void({read_only(1)}, f4[::1], i8, i8, i8)")
def _three(line: Array, target: Array, start: int, step: int, mean: int) -> None:
    """Reduce three pixels, of which the channels begin at `start` and `step` apart: most windows are so wide."""
    first, second, third = line[start:], line[start + step :], line[start + 2 * step :]
    if mean != 0:
        for c in range(target.shape[0]):
            target[c] = first[c] + second[c] + third[c]
    else:
        for c in range(target.shape[0]):
            largest = second[c] if second[c] > first[c] else first[c]
            target[c] = third[c] if third[c] > largest else largest


@compiled(f"void(i8, {read_only(1)}, i8, f4[::1])")
def _across(address: int, line: Array, pixel: int, target: Array) -> None:
    """Reduce the part of a line that is the window of a pixel of the output."""
    a = arguments_at(address, POOL)
    channels, left, dilation = a.channels, pixel * a.stride_across - a.pad_left, a.dilation_across
    if a.kernel_width == 3 and left >= 0 and left + 2 * dilation < a.breadth:
        _three(line, target, left * channels, dilation * channels, a.mean)
        return
    target[:] = 0 if a.mean != 0 else _LOWEST
    for column in range(a.kernel_width):
        x = left + column * dilation
        if 0 <= x < a.breadth:
            if a.mean != 0:
                _to_sum(target, line[x * channels : (x + 1) * channels])
            else:
                _to_maximum(target, line[x * channels : (x + 1) * channels])


@compiled("void(i8, i8, i8, i8, f4[::1])")
def _down(address: int, sample: int, image: int, line: int, total: Array) -> None:
    """Reduce the lines of data, in all images, that the windows of a line of an image of the output cover."""
    a = arguments_at(address, POOL)
    size = a.breadth * a.channels
    total[:] = 0 if a.mean != 0 else _LOWEST
    for plane in range(a.kernel_depth):
        z = image * a.stride_deep + plane * a.dilation_deep - a.pad_front
        for row in range(a.kernel_height if 0 <= z < a.depth else 0):
            y = line * a.stride_down + row * a.dilation_down - a.pad_top
            if 0 <= y < a.height:
                number = (sample * a.depth + z) * a.height + y
                source = carray(pointer(a.data + 4 * number * size), (size,), np.float32)
                if a.mean != 0:
                    _to_sum(total, source)
                else:
                    _to_maximum(total, source)


@job
def _lines(address: int, part: int) -> None:
    """Pool a part of the lines of all images, down first: there all pixels of a line are one long loop."""
    a = arguments_at(address, POOL)
    channels, pixels = a.channels, a.output_width
    lines = a.output_depth * a.output_height
    factors = carray(pointer(a.factors), (lines * pixels,), np.float32)
    total = np.empty(a.breadth * channels, np.float32)
    count = a.samples * lines
    for number in range(bound(count, a.parts, part), bound(count, a.parts, part + 1)):
        line = number % lines
        _down(address, number // lines, line // a.output_height, line % a.output_height, total)
        for pixel in range(pixels):
            target = carray(pointer(a.output + 4 * (number * pixels + pixel) * channels), (channels,), np.float32)
            _across(address, total, pixel, target)
            if a.mean != 0:
                factor = factors[line * pixels + pixel]
                for c in range(channels):
                    target[c] *= factor


_AXES = (
    *("depth", "kernel_depth", "stride_deep", "dilation_deep", "output_depth", "pad_front"),
    *("height", "kernel_height", "stride_down", "dilation_down", "output_height", "pad_top"),
    *("breadth", "kernel_width", "stride_across", "dilation_across", "output_width", "pad_left"),
)
"""The fields of `POOL` for depth, lines and pixels, each in the order of an axis."""


@register_job(keys.POOLING)
class Pool(JobKernel):
    """Maxima, or with factors for [D, H, W] means, of windows; each axis is as in `kernels.numpy.pooling.Axis`.

    It fills the output [N, D, H, W, C], which lies in C order, from the data [N, D, H, W, C]; D may be left out.
    """

    def __init__(
        self,
        samples: int,
        axes: Sequence[Sequence[int]],
        channels: int,
        factors: Array | None,
        spin_pool: SpinPool,
    ) -> None:
        shape = [axis[4] for axis in axes]
        scale = (
            np.zeros(1) if factors is None else np.broadcast_to(factors.reshape(shape if factors.ndim else ()), shape)
        )
        self._factors = np.array(scale, np.float32, order="C")
        work = samples * prod(shape) * prod(axis[1] for axis in axes) * channels
        parts = spin_pool.size if work >= policy.POOLING_JOB_SHARED_MIN_ELEMENTS else 1
        arguments = filled(
            POOL, factors=address_of(self._factors), mean=factors is not None, parts=parts, samples=samples,
            channels=channels, **dict(zip(_AXES, chain.from_iterable(axes), strict=True)),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [_lines.address], parts)
