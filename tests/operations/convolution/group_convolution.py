"""Samples of GroupConvolution-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(2)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def attributes(axes: int, stride: int = 1, dilation: int = 1, auto_pad: str = "explicit", **more: object) -> Any:
    windows = {"strides": [stride] * axes, "dilations": [dilation] * axes, "pads_begin": [0] * axes}
    return windows | {"pads_end": [0] * axes, "auto_pad": auto_pad} | more


def by_groups(data: Any, filters: Any) -> Any:
    """Convolve each group alone, one element of the kernel at a time (stride and dilation 1, no pads)."""
    groups, _, channels, height, width = filters.shape
    rows, columns = data.shape[2] - height + 1, data.shape[3] - width + 1
    parts = []
    for g in range(groups):
        part = data[:, g * channels : (g + 1) * channels]
        parts.append(
            sum(
                np.einsum("nchw,oc->nohw", part[:, :, y : y + rows, x : x + columns], filters[g, :, :, y, x])
                for y in range(height)
                for x in range(width)
            )
        )
    return np.concatenate(parts, 1)


SAMPLES = [
    Sample(
        "GroupConvolution",
        1,
        [param(np.zeros((1, 4, 3, 7), np.float32)), const(np.zeros((4, 1, 1, 0, 0), np.float32))],
        attributes(2, 2) | {"pads_begin": [1, 1], "pads_end": [1, 1]},
        expected=np.zeros((1, 4, 3, 5)),
        openvino="the CPU finds the shapes incompatible",
        name="a kernel without elements",
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(2, 6, 6, 5)), const(floats(2, 4, 3, 3, 2))],
        attributes(2),
        oracle=by_groups,
        shapes=[["?,6,4..,?"], ["1,?,6,5"], ["?,3..9,6,5"]],
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 7, 7)), param(floats(4, 1, 1, 3, 3))],
        attributes(2),
        oracle=by_groups,
        openvino="OpenVINO's CPU needs constant filters where shapes are dynamic",
        shapes=[
            ["1,4,7,7", "?,1,1,3,3"],
            ["1,4,7,7", "?,1,?,3,3"],
            ["1,?,7,7", "?,1,1,3,3"],
            ["1,4,7,7", "2..8,1..2,1,3,3"],
            ["1,4,7,7", "..."],
            ["1,4..5,7,7", "?,3,2,3,3"],
        ],
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 7, 7)), const(floats(4, 1, 1, 3, 3))],
        attributes(2, 2, pads_begin=[1, 1], pads_end=[1, 1]),
    ),
    Sample("GroupConvolution", 1, [param(floats(1, 4, 9)), const(floats(2, 3, 2, 3))], attributes(1, 2, 2)),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 4, 5, 4)), const(floats(2, 1, 2, 2, 3, 2))],
        attributes(3, auto_pad="same_upper"),
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 7, 6)), const(floats(4, 2, 1, 4, 3))],
        attributes(2, 2, auto_pad="same_lower"),
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 7, 6)), const(floats(4, 2, 1, 2, 3))],
        attributes(2, 1, 2, auto_pad="valid"),
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 5, 5), "f16"), const(floats(4, 1, 1, 3, 3), "f16")],
        attributes(2),
        atol=1e-2,
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 5, 5), "bf16"), const(floats(2, 1, 2, 3, 3), "bf16")],
        attributes(2),
        atol=6e-2,
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(RNG.integers(-3, 4, (1, 4, 5, 5)), "i64"), const(RNG.integers(-3, 4, (2, 1, 2, 3, 3)), "i64")],
        attributes(2),
        oracle=by_groups,
        openvino="OpenVINO's CPU has no grouped convolution of integers",
    ),
    Sample(
        "GroupConvolution",
        1,
        [param(floats(1, 4, 5, 5), "f64"), const(floats(2, 1, 2, 3, 3), "f64")],
        attributes(2),
        oracle=by_groups,
    ),
]

ERRORS = [
    ErrorSample("GroupConvolution", 1, ["f32[1,7,8,8]", "f32[2,4,3,3,3]"], attributes(2), part="filters", says="7"),
    ErrorSample("GroupConvolution", 1, ["f32[1,7,8,8]", "f32[?,4,3,3,3]"], attributes(2), part="filters"),
    ErrorSample("GroupConvolution", 1, ["f32[1,7,8,8]", "f32[2,4,?,3,3]"], attributes(2), part="filters"),
    ErrorSample("GroupConvolution", 1, ["f32[1,6,8,8]", "f32[4,3,3,3]"], attributes(2), part="filters"),
    ErrorSample("GroupConvolution", 1, ["f32[1,6,8,8]", "i32[2,4,3,3,3]"], attributes(2), says="i32"),
]
