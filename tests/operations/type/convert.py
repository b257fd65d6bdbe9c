"""Samples of Convert-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

FLOATS = [0.5, -0.5, 1.7, -1.7, 255.9, 256.0, 300.0, -300.0, 65519.0]
BEYOND = [3e9, -3e9, 1e19, np.inf, -np.inf, np.nan]
WHOLE = [-1, 300, 2**31, 2**40 + 5, -(2**63), 2**63 - 1, 2**24 + 1, 128]
CUTS = "cuts 64 bits to 32"
NONE = "does not convert between these types"
LOW = [0.0, 0.5, 1.0, 3.0, 7.0, 8.0, 15.0, 17.0, -1.0, -7.0, -9.0, 100.0]
LEAST = -(2**31)


def to(type: str, data: In, expected: object, openvino: str = "", **more: Any) -> Sample:
    return Sample(
        "Convert",
        1,
        [data],
        {"destination_type": type},
        expected=expected,
        openvino=openvino,
        name=f"{data.type.name} to {type}",
        **more,
    )


def whole_parts(modulus: int, shift: int = 0) -> list[int]:
    return [(int(value) + shift) % modulus - shift for value in FLOATS]


SAMPLES = [
    to("i8", param(FLOATS, "f32"), whole_parts(256, 128), shapes=[["?"], ["1..9"]]),
    to("u8", param(FLOATS, "f32"), whole_parts(256)),
    to("i16", param(FLOATS, "f32"), whole_parts(65536, 32768)),
    to("u16", param(FLOATS, "f32"), whole_parts(65536)),
    to("i32", param(FLOATS, "f32"), whole_parts(2**32, 2**31)),
    to("u32", param(FLOATS, "f32"), whole_parts(2**32)),
    to("i64", param(FLOATS, "f32"), whole_parts(2**64, 2**63)),
    to("u64", param(FLOATS, "f32"), [value % 2**64 for value in whole_parts(2**64)]),
    to("i8", param(BEYOND, "f32"), [0] * 6),
    to("i32", param(BEYOND, "f32"), [LEAST] * 6),
    to("i64", param(BEYOND, "f32"), [3000000000, -3000000000, *[-(2**63)] * 4], CUTS),
    to("u64", param(BEYOND, "f32"), [3000000000, 2**64 - 3000000000, 9999999980506447872, *[2**63] * 3], CUTS),
    to("u32", param(BEYOND, "f32"), [3000000000, 2**32 - 3000000000, 0, 0, 0, 0], CUTS),
    to(
        "boolean",
        param([0.0, -0.0, 0.3, np.nan, np.inf], "f32"),
        [False, False, True, True, True],
        "takes NaN for false",
    ),
    to("f16", param([0.1, 65519.0, 65520.0, -1e9, np.nan], "f32"), [0.1, 65504, np.inf, -np.inf, np.nan]),
    to("bf16", param([0.1, 1.0, 1.00390625, 1.01171875, np.inf], "f32"), [0.1, 1, 1, 1.015625, np.inf]),
    to("f64", param([0.1, -2.5], "f32"), [float(np.float32(0.1)), -2.5]),
    to("f32", param([0.1, 1e300], "f64"), [0.1, np.inf], "gives the largest f32"),
    to("i32", param([1.9, -1.9], "f16"), [1, -1]),
    to("i8", param([100.5, -1.5], "bf16"), [100, -1]),
    to("i8", param(WHOLE), [-1, 44, 0, 5, 0, -1, 1, -128]),
    to("u8", param(WHOLE), [255, 44, 0, 5, 0, 255, 1, 128]),
    to("i32", param(WHOLE), [-1, 300, LEAST, 5, 0, -1, 2**24 + 1, 128]),
    to("u64", param(WHOLE), [2**64 - 1, 300, 2**31, 2**40 + 5, 2**63, 2**63 - 1, 2**24 + 1, 128], CUTS),
    to("boolean", param(WHOLE), [True] * 8, CUTS),
    to("f32", param(WHOLE), np.array(WHOLE).astype(np.float32)),
    to("f64", param(WHOLE), np.array(WHOLE).astype(np.float64)),
    to("f16", param([70000, 5, -3], "i32"), [np.inf, 5, -3]),
    to("bf16", param([70000, 5, -3], "i32"), [70144, 5, -3]),
    to("i64", param([2**64 - 1, 5], "u64"), [-1, 5]),
    to("u32", param([-1, -300], "i32"), [2**32 - 1, 2**32 - 300]),
    to("f32", param([True, False]), [1, 0]),
    to("i64", const([True, False]), [1, 0]),
    to("boolean", param([0, 2, 255], "u8"), [False, True, True]),
    to("f32", param([0, 7, 15], "u4"), [0, 7, 15], NONE),
    to("f32", const([0, 7, 15], "u4"), [0, 7, 15]),
    to("f32", const([0, 7, -8], "i4"), [0, 7, -8]),
    to("i32", const([0, 1, 1], "u1"), [0, 1, 1]),
    to("f16", const([0.1, -1.0, 0.5], "nf4"), [0.0796, -1, 0.4407]),
    to("f32", const([0.5, 448.0], "f8e4m3"), [0.5, 448]),
    to("f32", const([0.5, 57344.0], "f8e5m2"), [0.5, 57344]),
    to("f32", const([0.5, 2.0], "f8e8m0"), [0.5, 2]),
    to("f32", const([0.5, 6.0], "f4e2m1"), [0.5, 6]),
    to("u1", param(LOW, "f32"), [int(value) % 2 for value in LOW], NONE),
    to("u2", param(LOW, "f32"), [int(value) % 4 for value in LOW], NONE),
    to("u3", param(LOW, "f32"), [int(value) % 8 for value in LOW], NONE),
    to("u4", param(LOW, "f32"), [int(value) % 16 for value in LOW], NONE),
    to("u6", param(LOW, "f32"), [int(value) % 64 for value in LOW], NONE),
    to("i4", param(LOW, "f32"), [(int(value) + 8) % 16 - 8 for value in LOW], NONE),
    to("i4", param([7, 8, -9, 100]), [7, -8, 7, 4], NONE),
    to("nf4", param([0.3, 0.5, -2.0, 0.04], "f32"), [0.33791524, 0.44070983, -1, 0.0795803], NONE),
    to("nf4", param([np.nan, np.inf, -np.inf, 1e30], "f32"), [-1, 1, -1, 1], NONE),
    to("f8e4m3", param([17.0, 450.0, 464.0, 0.3], "f32"), [16, 448, 448, 0.3125]),
    to("f32", const([np.nan, 448.0], "f8e4m3"), [np.nan, 448]),
    to("f8e5m2", param([17.0, 450.0, 61440.0, np.inf, 0.3], "f32"), [16, 448, np.inf, np.inf, 0.3125]),
    to("f8e8m0", param([0.0, 1.5, 2.5, 3.0, 6.0, -7.0, np.inf], "f32"), [2.0**-127, 2, 2, 2, 8, 2.0**-127, 2.0**127]),
    to("f4e2m1", param([0.3, 2.5, 5.0, 17.0, -8.0], "f32"), [0.5, 2, 4, 6, -6], NONE),
    to("f8e5m2", param([100, -3], "i32"), [96, -3]),
    to("f32", param(np.float32(2.5)), 2.5),
    to("i32", param(np.zeros((0, 2), np.float32)), np.zeros((0, 2), np.int32)),
    to("string", param(["a", ""], "string"), np.array(["a", ""], object), "converts no strings"),
]

ERRORS = [
    ErrorSample("Convert", 1, ["string[2]"], {"destination_type": "f32"}, part="destination_type", says="string"),
    ErrorSample("Convert", 1, ["f32[2]"], {"destination_type": "string"}, part="destination_type", says="string"),
    ErrorSample("Convert", 1, ["f32[2]"], {"destination_type": "dynamic"}, part="destination_type", says="dynamic"),
]
