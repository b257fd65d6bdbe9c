"""Samples of ConvolutionBackpropData-1."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(3)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def attributes(axes: int, stride: int = 1, dilation: int = 1, auto_pad: str = "explicit", **more: object) -> Any:
    windows = {"strides": [stride] * axes, "dilations": [dilation] * axes, "pads_begin": [0] * axes}
    return windows | {"pads_end": [0] * axes, "auto_pad": auto_pad} | more


def scattered(stride: int, begin: int, length: int) -> Any:
    """Return an oracle in one dimension: every product is added where it belongs."""

    def transpose(data: Any, filters: Any, _shape: Any = None) -> Any:
        result = np.zeros((data.shape[0], filters.shape[1], length), data.dtype)
        for n, c, o, i, k in product(
            range(data.shape[0]), *map(range, filters.shape[:2]), range(data.shape[2]), range(filters.shape[2])
        ):
            position = i * stride + k - begin
            if 0 <= position < length:
                result[n, o, position] += data[n, c, i] * filters[c, o, k]
        return result

    return transpose


def planar(height: int, width: int) -> Any:
    """Return an oracle for 3 by 3 elements, a kernel of the same size and strides of 2, centred as by same_upper."""

    def transpose(data: Any, filters: Any, _shape: Any = None) -> Any:
        whole = np.zeros((data.shape[0], filters.shape[1], 7, 7), data.dtype)
        for i, j in product(range(3), range(3)):
            whole[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += np.einsum("nc,cohw->nohw", data[:, :, i, j], filters)
        top, left = -((height - 7) // 2), -((width - 7) // 2)
        return whole[:, :, top : top + height, left : left + width]

    return transpose


CONSTANT = "OpenVINO's CPU needs constant filters and shapes where shapes are dynamic"
LINE = np.array([1, 2, 3, 4], np.float32).reshape(1, 1, 4)
KERNEL = np.array([1, 10, 100], np.float32).reshape(1, 1, 3)


def with_an_infinite_weight(*shape: int) -> Any:
    filters = floats(*shape)
    filters[0, 0, 0, 1], filters[1, 0, 1, 0] = np.inf, np.nan
    return filters


SAMPLES = [
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(2, 4, 5, 3)), const(with_an_infinite_weight(4, 3, 3, 2))],
        attributes(2, 2),
        name="weights that are not finite",
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(2, 4, 5, 3)), const(floats(4, 3, 3, 2))],
        attributes(2, 2),
        shapes=[["?,4,2..5,?"], ["..."], ["1,4,..2,1.."]],
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 4, 5, 6)), const(floats(4, 2, 3, 3))],
        attributes(2, 2, pads_begin=[1, 1], pads_end=[1, 2], output_padding=[1, 0]),
        shapes=[["?,4,2..5,?"]],
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 5)), param(floats(2, 3, 3))],
        attributes(1, 2, pads_begin=[1]),
        oracle=scattered(2, 1, 10),
        openvino=CONSTANT,
        shapes=[["?,2,2..5", "2,3,3"], ["1,2,5", "..."], ["1,2,2..", "2,?,1..3"]],
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 5, 5)), const(floats(2, 3, 3, 2))],
        attributes(2, 1, 2, pads_begin=[1, 0], pads_end=[0, 1]),
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(LINE), const(KERNEL), const([6])],
        attributes(1, 2, auto_pad="same_upper"),
        expected=[[[102, 20, 203, 30, 304, 40]]],
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(LINE), const(KERNEL), const([6])],
        attributes(1, 2, auto_pad="same_lower"),
        expected=[[[10, 102, 20, 203, 30, 304]]],
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(LINE), const(KERNEL), const([8])],
        attributes(1, 2, auto_pad="same_upper", output_padding=[1]),
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(LINE), const(KERNEL), const([11])],
        attributes(1, 2, auto_pad="valid"),
        expected=[[[1, 10, 102, 20, 203, 30, 304, 40, 400, 0, 0]]],
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(LINE), const(KERNEL), const([7])],
        attributes(1, 2, auto_pad="valid"),
        oracle=scattered(2, 0, 7),
    ),
    *(
        Sample(
            "ConvolutionBackpropData",
            1,
            [param(LINE), const(KERNEL), const([length])],
            attributes(1, 2, pads_begin=[begin], pads_end=[1], output_padding=[extra]),
            oracle=scattered(2, begin, length),
        )
        for length, begin, extra in product((5, 7, 8, 12), (0, 1, 2), (0, 1))
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 4, 5)), const(floats(2, 3, 3, 2)), const([7, 6])],
        attributes(2, 2, pads_begin=[0, 2], pads_end=[3, 1]),
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(LINE), const(KERNEL)],
        attributes(1, 2, auto_pad="same_upper", pads_begin=[1], pads_end=[1]),
        oracle=scattered(2, 0, 9),
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 3, 3)), const(floats(2, 1, 3, 3)), param([5, 6])],
        attributes(2, 2, auto_pad="same_upper"),
        shapes=[["?,2,3,3", "2"], ["...", "2"]],
        oracle=planar(5, 6),
        openvino=CONSTANT,
        openvino_shapes="for an unknown number of lengths OpenVINO infers rank 2, for an unknown shape it refuses",
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 3, 2, 3)), const(floats(2, 2, 2, 3, 2))],
        attributes(3, 2, pads_end=[1, 0, 1]),
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 5, 5), "f16"), const(floats(2, 2, 3, 3), "f16")],
        attributes(2, 2),
        atol=1e-2,
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(floats(1, 2, 5, 5), "bf16"), const(floats(2, 2, 3, 3), "bf16")],
        attributes(2, 2),
        atol=6e-2,
    ),
    Sample(
        "ConvolutionBackpropData",
        1,
        [param(RNG.integers(-3, 4, (1, 2, 5)), "i32"), const(RNG.integers(-3, 4, (2, 2, 3)), "i32")],
        attributes(1, 2),
        oracle=scattered(2, 0, 11),
        openvino="OpenVINO's CPU has none for integers",
    ),
]

ERRORS = [
    ErrorSample("ConvolutionBackpropData", 1, ["f32[1,4,3,3]", "f32[3,2,3,3]"], attributes(2), part="filters"),
    ErrorSample("ConvolutionBackpropData", 1, ["f32[1,4,3,3]", "f32[4,2,3]"], attributes(2), part="filters"),
    ErrorSample(
        "ConvolutionBackpropData",
        1,
        ["f32[1,4,3,3]", "f32[4,2,3,3]", const([5, 6, 7])],
        attributes(2),
        part="output_shape",
        says="3 values",
    ),
    ErrorSample(
        "ConvolutionBackpropData",
        1,
        ["f32[1,4,3,3]", "f32[4,2,3,3]", const([5, -6])],
        attributes(2),
        part="output_shape",
        says="-6",
    ),
    ErrorSample(
        "ConvolutionBackpropData",
        1,
        ["f32[1,4,3,3]", "f32[4,2,3,3]", "f32[2]"],
        attributes(2),
        part="output_shape",
        says="f32",
    ),
    ErrorSample(
        "ConvolutionBackpropData",
        1,
        ["f32[1,4,1,1]", "f32[4,2,1,1]"],
        attributes(2, pads_begin=[3, 3]),
        part="pads_begin",
    ),
    ErrorSample(
        "ConvolutionBackpropData",
        1,
        ["f32[1,4,3,3]", "f32[4,2,3,3]"],
        attributes(2, output_padding=[1]),
        part="output_padding",
    ),
]
