"""Samples of ConvertLike-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

SAMPLES = [
    Sample(
        "ConvertLike",
        1,
        [param([1.7, -1.7, 300.0]), param(np.zeros((2, 2), np.int32))],
        expected=[1, -1, 300],
        shapes=[["?", "..."]],
    ),
    Sample("ConvertLike", 1, [param([1, -1], "i32"), const([0.0])], expected=[1, -1]),
    Sample("ConvertLike", 1, [const([1, -1], "i32"), param([0.0], "f16")], expected=[1, -1]),
    Sample("ConvertLike", 1, [param([0.0, 2.0]), const([True])], expected=[False, True]),
    Sample("ConvertLike", 1, [param([2**40 + 5]), const([1.0], "f64")], expected=[2**40 + 5]),
    Sample(
        "ConvertLike", 1, [param([20, 5], "i32"), const([1], "u4")], expected=[4, 5], openvino="does not convert to u4"
    ),
    Sample("ConvertLike", 1, [param(np.zeros((0, 2), np.float32)), const([1], "i64")]),
]

ERRORS = [
    ErrorSample("ConvertLike", 1, ["f32[2]", "string[1]"], part="like", says="string"),
    ErrorSample("ConvertLike", 1, ["string[2]", "f32[1]"], part="like", says="string"),
]
