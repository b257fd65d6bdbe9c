"""Samples of BinaryConvolution-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(5)


def bits(*shape: int) -> Any:
    return RNG.integers(0, 2, shape)


def attributes(pad: int = 0, value: float = 0.0, auto_pad: str = "explicit", **more: object) -> Any:
    return {
        "strides": [1, 1], "dilations": [1, 1], "pads_begin": [pad] * 2, "pads_end": [pad] * 2,
        "mode": "xnor-popcount", "pad_value": value, "auto_pad": auto_pad,
    } | more  # fmt: skip


ORDER = "OpenVINO's CPU reads the packed bits of the kernel in another order"


def signs(pad: int, value: float) -> Any:
    """Return an oracle that multiplies -1 and 1, and `value` in the pads."""

    def convolve(data: Any, kernel: Any) -> Any:
        wide = np.pad(2.0 * data - 1, [(0, 0), (0, 0), (pad, pad), (pad, pad)], constant_values=value)
        height, width = kernel.shape[2:]
        rows, columns = wide.shape[2] - height + 1, wide.shape[3] - width + 1
        result = np.zeros((data.shape[0], kernel.shape[0], rows, columns))
        for y, x in np.ndindex(rows, columns):
            patch = wide[:, None, :, y : y + height, x : x + width]
            result[:, :, y, x] = (patch * (2.0 * kernel[None] - 1)).sum((2, 3, 4))
        return result

    return convolve


def popcount(data: Any, kernel: Any) -> Any:
    """Count equal bits, place by place (no pads)."""
    height, width = kernel.shape[2:]
    rows, columns = data.shape[2] - height + 1, data.shape[3] - width + 1
    result = np.zeros((data.shape[0], kernel.shape[0], rows, columns), data.dtype)
    for y in range(rows):
        for x in range(columns):
            patch = data[:, None, :, y : y + height, x : x + width]
            result[:, :, y, x] = 2 * (patch == kernel[None]).sum((2, 3, 4)) - kernel[0].size
    return result


SAMPLES = [
    Sample(
        "BinaryConvolution",
        1,
        [param(bits(2, 3, 5, 4), "f32"), const(bits(2, 3, 3, 2), "u1")],
        attributes(),
        oracle=popcount,
        shapes=[["?,3,2..9,?"]],
        openvino=ORDER,
    ),
    Sample(
        "BinaryConvolution",
        1,
        [param(bits(1, 1, 3, 3), "f32"), const(bits(1, 1, 3, 3), "u1")],
        attributes(1),
        oracle=signs(1, 0),
        openvino=ORDER,
    ),
    Sample(
        "BinaryConvolution",
        1,
        [param(bits(1, 2, 4, 4), "f32"), const(bits(3, 2, 3, 3), "u1")],
        attributes(1, 1.0),
        oracle=signs(1, 1),
        openvino=ORDER,
    ),
    Sample(
        "BinaryConvolution",
        1,
        [param(bits(1, 2, 4, 4), "f32"), const(bits(3, 2, 3, 3), "u1")],
        attributes(1, -1.0),
        oracle=signs(1, -1),
        openvino=ORDER,
    ),
    Sample(
        "BinaryConvolution",
        1,
        [param(bits(1, 2, 6, 5), "f32"), const(bits(3, 2, 3, 3), "u1")],
        attributes(auto_pad="same_upper", pads_begin=[3, 3]),
        oracle=signs(1, 0),
        openvino=ORDER,
    ),
    Sample(
        "BinaryConvolution",
        1,
        [param(bits(1, 2, 6, 5), "i32"), const(bits(3, 2, 3, 3), "u1")],
        attributes(),
        oracle=popcount,
        openvino="OpenVINO's CPU has floats only",
    ),
]

ERRORS = [
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,5,5]", "u1[2,3,3,3]"], attributes(), part="kernel"),
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,5]", "u1[2,4,3]"], attributes(), part="data", says="rank"),
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,5,5]", "f32[2,4,3,3]"], attributes(), part="kernel", says="f32"),
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,2,5]", "u1[2,4,3,3]"], attributes(), says="does not fit"),
]
