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


TAIL = "OpenVINO's CPU reads memory that nothing wrote where the channels do not fill bytes"
FLOATS = "OpenVINO's CPU has floats only"


def stored(kernel: Any) -> Any:
    """Return the weights -1 and 1 of a u1 kernel, whose file has the first element in the highest bit of a byte."""
    packed = np.packbits(kernel.reshape(-1).astype(np.uint8))
    return 2.0 * np.unpackbits(packed, count=kernel.size, bitorder="little").reshape(kernel.shape) - 1


def signs(pad: int = 0, value: float = 0.0, weights: Any = stored) -> Any:
    """Return an oracle that multiplies -1 and 1, and `value` in the pads."""

    def convolve(data: Any, kernel: Any) -> Any:
        plain = np.where(data > 0, 1.0, -1.0)
        wide = np.pad(plain, [(0, 0), (0, 0), (pad, pad), (pad, pad)], constant_values=value)
        height, width = kernel.shape[2:]
        rows, columns = wide.shape[2] - height + 1, wide.shape[3] - width + 1
        result = np.zeros((data.shape[0], kernel.shape[0], rows, columns))
        for y, x in np.ndindex(rows, columns):
            patch = wide[:, None, :, y : y + height, x : x + width]
            result[:, :, y, x] = (patch * weights(kernel)[None]).sum((2, 3, 4))
        return result

    return convolve


def above_zero(kernel: Any) -> Any:
    return np.where(kernel > 0, 1.0, -1.0)


def binary(data: Any, kernel: Any, oracle: Any = None, openvino: str = "", **more: Any) -> Sample:
    return Sample(
        "BinaryConvolution",
        1,
        [data, kernel],
        attributes(**more),
        oracle=oracle,
        openvino=openvino,
        shapes=[["?,?,?,?"]],
    )


BYTE = const(np.array([1, 0, 0, 0, 0, 0, 0, 0]).reshape(1, 8, 1, 1), "u1")
WIDE = const(bits(3, 8, 3, 3), "u1")
SAMPLES = [
    Sample(
        "BinaryConvolution",
        1,
        [param(np.eye(8).reshape(8, 8, 1, 1), "f32"), BYTE],
        attributes(),
        expected=np.array([4, 4, 4, 4, 4, 4, 4, 8]).reshape(8, 1, 1, 1),
    ),
    binary(param(bits(2, 8, 5, 4) - 0.5, "f32"), WIDE, signs()),
    binary(param(bits(2, 32, 5, 4) * 3 - 1, "f32"), const(bits(17, 32, 3, 2), "u1"), signs()),
    binary(param(bits(1, 16, 4, 4), "f32"), const(bits(3, 16, 3, 3), "u1"), signs(1), pad=1),
    binary(param(bits(1, 8, 4, 4), "f32"), WIDE, signs(1, 1), pad=1, value=1.0),
    *(binary(param(bits(1, 8, 4, 4), "f32"), WIDE, signs(1, -1), pad=1, value=value) for value in (-1.0, 0.5, 2.0)),
    binary(param(bits(1, 8, 6, 5), "f32"), WIDE, signs(1, 0), auto_pad="same_upper", pads_begin=[3, 3]),
    binary(param(bits(1, 8, 6, 5), "f16"), WIDE, signs()),
    binary(param(bits(2, 3, 5, 4), "f32"), const(bits(2, 3, 3, 2), "u1"), signs(), TAIL),
    binary(param(bits(1, 8, 6, 5), "i32"), WIDE, signs(), FLOATS),
    binary(param(bits(1, 2, 6, 5), "f32"), const(bits(3, 2, 3, 3), "f32"), signs(weights=above_zero), "refuses f32"),
    binary(param(bits(1, 2, 6, 5), "f32"), const(bits(3, 2, 3, 3), "u8"), signs(weights=above_zero), "refuses u8"),
]

ERRORS = [
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,5,5]", "u1[2,3,3,3]"], attributes(), part="kernel"),
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,5]", "u1[2,4,3]"], attributes(), part="data", says="rank"),
    ErrorSample(
        "BinaryConvolution", 1, ["f32[1,4,5,5]", "string[2,4,3,3]"], attributes(), part="kernel", says="string"
    ),
    ErrorSample("BinaryConvolution", 1, ["f32[1,4,2,5]", "u1[2,4,3,3]"], attributes(), says="does not fit"),
]
