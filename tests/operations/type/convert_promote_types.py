"""Samples of ConvertPromoteTypes-14."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

UNSAFE = {"promote_unsafe": True, "pytorch_scalar_promotion": False, "u64_integer_promotion_target": "f32"}
SAFE = {**UNSAFE, "promote_unsafe": False}
SCALAR = {**SAFE, "pytorch_scalar_promotion": True}
A, B = [[1, 2, 3]], [4, 5]


def pair(left: str, right: str, attributes: dict[str, Any], openvino: str = "", **more: Any) -> Sample:
    return Sample(
        "ConvertPromoteTypes",
        14,
        [param(A, left), param(B, right)],
        attributes,
        expected=[A, B],
        outputs=2,
        openvino=openvino,
        name=f"{left} and {right}",
        **more,
    )


SAMPLES = [
    pair("i8", "f32", SAFE, shapes=[["?,3", "1..4"], ["...", "?"]]),
    pair("i32", "u8", SAFE),
    pair("f16", "f32", SAFE),
    pair("i16", "u32", UNSAFE),
    pair("i16", "u64", UNSAFE),
    pair("i16", "u64", {**UNSAFE, "u64_integer_promotion_target": "i64"}),
    pair("i8", "u8", UNSAFE),
    pair("f16", "bf16", UNSAFE),
    pair("f16", "i64", UNSAFE),
    Sample("ConvertPromoteTypes", 14, [param([True, False]), param(B, "i32")], SAFE, expected=[[1, 0], B], outputs=2),
    Sample(
        "ConvertPromoteTypes",
        14,
        [param(np.int64(300)), param([1, 2], "i32")],
        {**SCALAR, "promote_unsafe": True},
        expected=[300, [1, 2]],
        outputs=2,
    ),
    Sample("ConvertPromoteTypes", 14, [param([1, 2], "u8"), const(7, "u4")], SCALAR, expected=[[1, 2], 7], outputs=2),
    Sample(
        "ConvertPromoteTypes",
        14,
        [param(np.float16(1.5)), param([1, 2], "i8")],
        SCALAR,
        expected=[1.5, [1, 2]],
        outputs=2,
    ),
    Sample(
        "ConvertPromoteTypes",
        14,
        [const([1, 2], "f8e4m3"), const([4, 8], "f8e5m2")],
        UNSAFE,
        expected=[[1, 2], [4, 8]],
        outputs=2,
    ),
]

ERRORS = [
    ErrorSample(
        "ConvertPromoteTypes",
        14,
        ["f16[2]", "i64[2]"],
        SAFE,
        part="promote_unsafe",
        says="f16 and i64 to f16",
        outputs=2,
    ),
    ErrorSample("ConvertPromoteTypes", 14, ["f64[2]", "u64[2]"], SAFE, part="promote_unsafe", says="to f64", outputs=2),
    ErrorSample("ConvertPromoteTypes", 14, ["i8[2]", "u8[2]"], SAFE, part="promote_unsafe", says="to i16", outputs=2),
    ErrorSample(
        "ConvertPromoteTypes", 14, ["f16[2]", "bf16[2]"], SAFE, part="promote_unsafe", says="to f32", outputs=2
    ),
    ErrorSample(
        "ConvertPromoteTypes", 14, ["f8e4m3[2]", "f8e5m2[2]"], SAFE, part="promote_unsafe", says="to f16", outputs=2
    ),
    ErrorSample("ConvertPromoteTypes", 14, ["u64[2]", "i8[2]"], SAFE, part="promote_unsafe", says="to f32", outputs=2),
    ErrorSample("ConvertPromoteTypes", 14, ["i64[]", "u8[2]"], SCALAR, part="promote_unsafe", says="to u8", outputs=2),
    ErrorSample("ConvertPromoteTypes", 14, ["string[2]", "u8[2]"], SAFE, part="input 0", says="string", outputs=2),
]
