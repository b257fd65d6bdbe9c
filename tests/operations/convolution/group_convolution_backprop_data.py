"""Samples of GroupConvolutionBackpropData-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(4)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def attributes(axes: int, stride: int = 1, dilation: int = 1, auto_pad: str = "explicit", **more: object) -> Any:
    windows = {"strides": [stride] * axes, "dilations": [dilation] * axes, "pads_begin": [0] * axes}
    return windows | {"pads_end": [0] * axes, "auto_pad": auto_pad} | more


SAMPLES = [
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(2, 4, 5, 3)), const(floats(2, 2, 3, 3, 2))],
        attributes(2, 2),
        shapes=[["?,4,2..5,?"], ["..."], ["1,?,5,3"]],
    ),
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(1, 4, 5, 6)), const(floats(4, 1, 1, 3, 3))],
        attributes(2, 2, pads_begin=[1, 1], pads_end=[1, 2], output_padding=[1, 0]),
    ),
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(1, 4, 5, 6)), param(floats(4, 1, 2, 1, 1))],
        attributes(2),
        oracle=lambda data, filters: np.einsum("ngyx,goab->ngoyx", data, filters[:, 0]).reshape(1, 8, 5, 6),
        openvino="OpenVINO's CPU needs constant filters where shapes are dynamic",
        shapes=[["1,4,5,6", "?,1,1,3,3"], ["1,4..9,5,6", "?,2,5,3,3"], ["1,4,5,6", "?,?,5,3,3"], ["1,4,5,6", "..."]],
    ),
    Sample("GroupConvolutionBackpropData", 1, [param(floats(1, 4, 7)), const(floats(2, 2, 1, 3))], attributes(1, 2, 2)),
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(1, 2, 3, 2, 3)), const(floats(2, 1, 2, 2, 3, 2))],
        attributes(3, 2),
    ),
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(1, 2, 4, 4)), const(floats(2, 1, 2, 3, 3)), const([8, 7])],
        attributes(2, 2, auto_pad="same_upper"),
    ),
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(1, 4, 3, 1)), const(floats(2, 2, 3, 1, 7))],
        attributes(2, strides=[2, 4], pads_begin=[3, 0], pads_end=[1, 2], output_padding=[0, 2]),
    ),
    Sample(
        "GroupConvolutionBackpropData",
        1,
        [param(floats(1, 4, 5), "f16"), const(floats(2, 2, 1, 3), "f16")],
        attributes(1, 2),
        atol=1e-2,
    ),
]

ERRORS = [
    ErrorSample("GroupConvolutionBackpropData", 1, ["f32[1,5,3,3]", "f32[2,2,5,3,3]"], attributes(2), part="filters"),
    ErrorSample("GroupConvolutionBackpropData", 1, ["f32[1,5,3,3]", "f32[?,2,5,3,3]"], attributes(2), part="filters"),
    ErrorSample("GroupConvolutionBackpropData", 1, ["f32[1,4,3,3]", "f32[4,5,3,3]"], attributes(2), part="filters"),
]
