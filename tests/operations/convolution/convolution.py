"""Samples of Convolution-1."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(1)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def whole(*shape: int) -> Any:
    return RNG.integers(-4, 5, shape)


def attributes(axes: int, stride: int = 1, dilation: int = 1, auto_pad: str = "explicit", **more: object) -> Any:
    windows = {"strides": [stride] * axes, "dilations": [dilation] * axes, "pads_begin": [0] * axes}
    return windows | {"pads_end": [0] * axes, "auto_pad": auto_pad} | more


def naive(strides: list[int], dilations: list[int], begin: list[int], end: list[int]) -> Any:
    """Return an oracle that sums products one by one."""

    def convolve(data: Any, filters: Any) -> Any:
        wide = np.pad(data, [(0, 0), (0, 0), *zip(begin, end, strict=True)])
        kernel = filters.shape[2:]
        outputs = [
            (n - (k - 1) * d - 1) // s + 1
            for n, k, d, s in zip(wide.shape[2:], kernel, dilations, strides, strict=True)
        ]
        result = np.zeros([data.shape[0], filters.shape[0], *outputs], data.dtype)
        for n, o in product(range(result.shape[0]), range(result.shape[1])):
            for window in product(*map(range, outputs)):
                for k in product(*map(range, kernel)):
                    at = tuple(p * s + i * d for p, s, i, d in zip(window, strides, k, dilations, strict=True))
                    for c in range(filters.shape[1]):
                        target, source, weight = (n, o, *window), (n, c, *at), (o, c, *k)
                        result[target] += wide[source] * filters[weight]
        return result

    return convolve


CONSTANT = "OpenVINO's CPU needs constant filters where shapes are dynamic"

SAMPLES = [
    Sample(
        "Convolution",
        1,
        [param(np.zeros((1, 4, 3, 7), np.float32)), const(np.zeros((4, 4, 0, 0), np.float32))],
        attributes(2, 2) | {"pads_begin": [1, 1], "pads_end": [1, 1]},
        expected=np.zeros((1, 4, 3, 5)),
        openvino="the CPU finds the shapes incompatible",
        name="a kernel without elements",
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(2, 3, 7, 6)), const(floats(4, 3, 3, 2))],
        attributes(2),
        shapes=[["?,3,10..20,1.."], ["1..2,3,2..8,8"], ["..."]],
        oracle=naive([1, 1], [1, 1], [0, 0], [0, 0]),
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 9, 8)), param(floats(3, 2, 3, 3))],
        attributes(2) | {"strides": [2, 3], "dilations": [2, 1], "pads_begin": [1, 2], "pads_end": [0, 1]},
        shapes=[["?,2,..9,3..", "2..4,2,3,1..3"], ["?,2,8,8", "..."], ["...", "4,2,3,3"], ["1,?,8..,8", "4,?,?,?"]],
        oracle=naive([2, 3], [2, 1], [1, 2], [0, 1]),
        openvino=CONSTANT,
    ),
    Sample(
        "Convolution", 1, [param(floats(2, 3, 11)), const(floats(4, 3, 4))], attributes(1, 2, 2), shapes=[["?,3,9.."]]
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 5, 4, 6)), const(floats(3, 2, 2, 3, 2))],
        attributes(3) | {"pads_begin": [1, 0, 1], "pads_end": [0, 1, 1], "strides": [1, 2, 1]},
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 7, 6)), const(floats(3, 2, 3, 2))],
        attributes(2, 2, auto_pad="same_upper", pads_begin=[7, 7], pads_end=[7, 7]),
        shapes=[["?,2,..9,3.."]],
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 7, 6)), const(floats(3, 2, 4, 2))],
        attributes(2, 1, auto_pad="same_lower"),
        shapes=[["?,2,..9,3.."]],
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 7, 6)), const(floats(3, 2, 3, 2))],
        attributes(2, 2, auto_pad="valid", pads_begin=[1, 1]),
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 7, 6)), const(floats(3, 2, 3, 2))],
        attributes(2, 1, 2, auto_pad="same_upper"),
    ),
    Sample("Convolution", 1, [param(floats(2, 4, 5, 5)), const(floats(3, 4, 1, 1))], attributes(2)),
    Sample(
        "Convolution", 1, [param(floats(1, 2, 5, 5), "f16"), const(floats(2, 2, 3, 3), "f16")], attributes(2), atol=1e-2
    ),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 5, 5), "bf16"), const(floats(2, 2, 3, 3), "bf16")],
        attributes(2),
        atol=6e-2,
    ),
    Sample("Convolution", 1, [param(whole(1, 2, 5, 5), "f64"), const(whole(2, 2, 3, 3), "f64")], attributes(2)),
    Sample(
        "Convolution",
        1,
        [param(whole(1, 2, 5, 5), "i32"), const(whole(2, 2, 3, 3), "i32")],
        attributes(2),
        oracle=naive([1, 1], [1, 1], [0, 0], [0, 0]),
    ),
    Sample(
        "Convolution",
        1,
        [param(whole(1, 2, 5, 5), "i64"), const(whole(2, 2, 3, 3), "i64")],
        attributes(2),
        oracle=naive([1, 1], [1, 1], [0, 0], [0, 0]),
    ),
    Sample(
        "Convolution",
        1,
        [param(whole(1, 2, 5, 5) + 200, "u8"), const(whole(2, 2, 3, 3) + 4, "u8")],
        attributes(2),
        oracle=lambda data, filters: naive([1, 1], [1, 1], [0, 0], [0, 0])(data.astype(int), filters) % 256,
        openvino="OpenVINO saturates where C wraps",
    ),
    Sample("Convolution", 1, [param(np.zeros((0, 2, 5, 5), np.float32)), const(floats(2, 2, 3, 3))], attributes(2)),
    Sample(
        "Convolution",
        1,
        [param(floats(1, 2, 5, 5)), const(floats(2, 2, 3, 3))],
        {"strides": [1, 1], "dilations": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]},
    ),
]

ERRORS = [
    ErrorSample("Convolution", 1, ["f32[1,3,8,8]", "f32[4,2,3,3]"], attributes(2), part="filters", says="3 channels"),
    ErrorSample("Convolution", 1, ["f32[1,3,8,8]", "f32[4,3,3]"], attributes(2), part="filters", says="spatial axes"),
    ErrorSample("Convolution", 1, ["f32[1,3]", "f32[4,3]"], attributes(1), part="data", says="rank"),
    ErrorSample("Convolution", 1, ["f32[1,3,8,8]", "f16[4,3,3,3]"], attributes(2), says="f16"),
    ErrorSample("Convolution", 1, ["boolean[1,3,8,8]", "boolean[4,3,3,3]"], attributes(2), part="data"),
    ErrorSample("Convolution", 1, ["f32[1,3,2,8]", "f32[4,3,3,3]"], attributes(2), says="does not fit"),
    ErrorSample("Convolution", 1, ["f32[1,3,8,8]", "f32[4,3,3,3]"], attributes(2, 0), part="strides"),
    ErrorSample("Convolution", 1, ["f32[1,3,8,8]", "f32[4,3,3,3]"], attributes(2, 1, 0), part="dilations"),
    ErrorSample("Convolution", 1, ["f32[1,3,8,8]", "f32[4,3,3,3]"], attributes(3), part="strides", says="2 spatial"),
    ErrorSample(
        "Convolution",
        1,
        ["f32[1,3,8,8]", "f32[4,3,3,3]"],
        attributes(2, pads_begin=[-1, -1]),
        part="pads_begin",
        says="-1",
    ),
]
