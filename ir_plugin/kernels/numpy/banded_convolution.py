"""2-D convolution with channels last, several pixels of a line at a time: for wide kernels and for few outputs.

The windows of neighbouring pixels overlap. One product computes all of them from what they read together, with weights
that are zero where a pixel does not read: fewer elements are copied, and BLAS gets a wider matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.convolution import Geometry, Run, with_packed
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array


def wide_geometry(geometry: Geometry, pixels: int) -> Geometry:
    """Return the convolution whose outputs are `pixels` neighbouring ones, a number that divides the output's width."""
    (tall, wide), (step_y, step_x), (far_y, far_x) = geometry.kernel, geometry.strides, geometry.dilations
    return replace(
        geometry,
        kernel=(tall, (pixels - 1) * step_x + (wide - 1) * far_x + 1),
        strides=(step_y, step_x * pixels),
        dilations=(far_y, 1),
        output=(geometry.output[0], geometry.output[1] // pixels),
        channels=geometry.channels * pixels,
    )


def banded_weights(geometry: Geometry, weights: Array, pixels: int) -> Array:
    """Return weights [O, C, kh, kw] packed for `wide_geometry` as [kh * wider kw * C, pixels * O]."""
    outputs, channels, tall, wide = weights.shape
    step, dilation = geometry.strides[1], geometry.dilations[1]
    wider = wide_geometry(geometry, pixels).kernel[1]
    packed = np.zeros((tall * wider * channels, pixels * outputs), weights.dtype)
    by_taps = packed.reshape(tall, wider, channels, pixels, outputs)
    for pixel in range(pixels):
        first = pixel * step
        by_taps[:, first : first + (wide - 1) * dilation + 1 : dilation, :, pixel] = weights.transpose(2, 3, 1, 0)
    return packed


def banded(
    geometry: Geometry,
    weights: Array,
    epilogue: Rows | None,
    pool: ThreadPool,
    derived: Derived = underived,
    *,
    pixels: int,
) -> Run:
    """Return the kernel of a convolution that computes `pixels` pixels at a time; `weights` are [O, C, kh, kw]."""
    key = ("banded", pixels, geometry.strides[1], geometry.dilations[1])
    (packed,) = derived(key, [weights], lambda: [banded_weights(geometry, weights, pixels)])

    def of_pixels(block: Array, first: int, operands: Sequence[Array]) -> None:
        if epilogue is not None:
            epilogue(block.reshape(-1, geometry.channels), first * pixels, operands)

    return with_packed(wide_geometry(geometry, pixels), packed, None if epilogue is None else of_pixels, pool)
