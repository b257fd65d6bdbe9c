"""Samples of DeformableConvolution-8 and DeformableConvolution-1."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(6)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def attributes(pad: int = 0, stride: int = 1, dilation: int = 1, auto_pad: str = "explicit", **more: object) -> Any:
    return {
        "strides": [stride] * 2, "dilations": [dilation] * 2, "pads_begin": [pad] * 2, "pads_end": [pad] * 2,
        "auto_pad": auto_pad, "group": 1, "deformable_group": 1,
    } | more  # fmt: skip


def read(image: Any, y: float, x: float, outside: str) -> float:
    """Return a bilinear sample of one channel."""
    height, width = image.shape
    if not (-1 < y < height and -1 < x < width):
        return 0.0
    if outside == "end":
        if y < 0 or x < 0:
            return 0.0
        y, x = min(y, height - 1), min(x, width - 1)
    top, left, total = int(np.floor(y)), int(np.floor(x)), 0.0
    for row, column in product((top, top + 1), (left, left + 1)):
        if 0 <= row < height and 0 <= column < width:
            total += float(image[row, column]) * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def naive(
    pad: int = 0, stride: int = 1, dilation: int = 1, group: int = 1, deformable: int = 1, outside: str = "end"
) -> Any:
    """Return an oracle that reads every element on its own."""

    def convolve(data: Any, offsets: Any, filters: Any, mask: Any = None) -> Any:
        outputs, channels, height, width = filters.shape
        result = np.zeros((data.shape[0], outputs, *offsets.shape[2:]), np.float64)
        for n, o, oy, ox in np.ndindex(*result.shape):
            for c, ky, kx in np.ndindex(channels, height, width):
                channel = o // (outputs // group) * channels + c
                part = channel // (data.shape[1] // deformable) * height * width + ky * width + kx
                y = oy * stride - pad + ky * dilation + offsets[n, 2 * part, oy, ox]
                x = ox * stride - pad + kx * dilation + offsets[n, 2 * part + 1, oy, ox]
                factor = 1.0 if mask is None else mask[n, part, oy, ox]
                result[n, o, oy, ox] += filters[o, c, ky, kx] * factor * read(data[n, channel], y, x, outside)
        return result

    return convolve


SAMPLES = [
    Sample(
        "DeformableConvolution",
        8,
        [param([[[[1.0, 2.0], [3.0, 4.0]]]]), param(np.full((1, 2, 2, 2), -0.5, np.float32)), const([[[[1.0]]]])],
        attributes(bilinear_interpolation_pad=False),
        expected=[[[[0, 0], [0, 2.5]]]],
    ),
    Sample(
        "DeformableConvolution",
        8,
        [param(floats(2, 4, 5, 6)), param(floats(2, 18, 3, 4)), const(floats(3, 4, 3, 3))],
        attributes(),
        oracle=naive(),
        atol=1e-4,
        shapes=[["?,4,5,?", "2,18,3,4"], ["...", "2,18,3,4"]],
    ),
    Sample(
        "DeformableConvolution",
        8,
        [
            param(floats(1, 4, 5, 5)),
            param(2 * floats(1, 36, 3, 3)),
            const(floats(2, 2, 3, 3)),
            param(floats(1, 18, 3, 3)),
        ],
        attributes(1, 2, group=2, deformable_group=2, bilinear_interpolation_pad=True),
        oracle=naive(1, 2, 1, 2, 2, "zeros"),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        8,
        [
            param(floats(1, 2, 5, 5)),
            param(2 * floats(1, 8, 4, 4)),
            const(floats(2, 2, 2, 2)),
            param(floats(1, 4, 4, 4)),
        ],
        attributes(),
        oracle=naive(),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        8,
        [param(floats(1, 2, 6, 6)), param(floats(1, 8, 4, 4)), const(floats(2, 2, 2, 2))],
        attributes(0, 1, 2, bilinear_interpolation_pad=True),
        oracle=naive(0, 1, 2, outside="zeros"),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        8,
        [param(floats(1, 2, 4, 4)), param(floats(1, 18, 4, 4)), const(floats(1, 2, 3, 3))],
        attributes(auto_pad="same_upper"),
        oracle=naive(1),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        1,
        [param(floats(1, 4, 5, 5)), param(2 * floats(1, 18, 5, 5)), const(floats(4, 2, 3, 3))],
        attributes(1, group=2),
        oracle=naive(1, group=2),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        1,
        [param(floats(1, 4, 5, 5)), param(floats(1, 16, 4, 4)), const(floats(2, 4, 2, 2))],
        attributes(deformable_group=2),
        oracle=naive(deformable=2),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        1,
        [param(floats(1, 1, 3, 3)), param(np.zeros((1, 8, 2, 2), np.float32)), const(floats(1, 1, 2, 2))],
        attributes(),
        oracle=naive(),
        atol=1e-4,
    ),
    Sample(
        "DeformableConvolution",
        1,
        [param(floats(1, 1, 4, 4), "f16"), param(floats(1, 8, 3, 3), "f16"), const(floats(1, 1, 2, 2), "f16")],
        attributes(),
        oracle=naive(outside="end"),
        atol=2e-2,
    ),
]

ERRORS = [
    ErrorSample(
        "DeformableConvolution",
        8,
        ["f32[1,4,5,5]", "f32[1,17,3,3]", "f32[2,4,3,3]"],
        attributes(),
        part="offsets",
        says="18",
    ),
    ErrorSample(
        "DeformableConvolution",
        8,
        ["f32[1,4,5,5]", "f32[1,18,3,3]", "f32[2,4,3,3]", "f32[1,8,3,3]"],
        attributes(),
        part="mask",
    ),
    ErrorSample(
        "DeformableConvolution", 8, ["f32[1,3,5,5]", "f32[1,18,3,3]", "f32[2,4,3,3]"], attributes(), part="filters"
    ),
    ErrorSample(
        "DeformableConvolution", 8, ["f32[1,4,5,5]", "f32[1,18,3,3]", "f32[2,4,3,3]"], attributes(group=0), part="group"
    ),
    ErrorSample(
        "DeformableConvolution",
        1,
        ["f32[1,4,5,5]", "f32[1,54,3,3]", "f32[2,4,3,3]"],
        attributes(deformable_group=3),
        part="deformable_group",
    ),
    ErrorSample("DeformableConvolution", 1, ["f32[1,4,5]", "f32[1,18,3,3]", "f32[2,4,3,3]"], attributes(), part="data"),
]
