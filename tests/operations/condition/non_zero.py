"""Samples of NonZero-3."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

I64, I32 = {"output_type": "i64"}, {"output_type": "i32"}
PAGE = [[1, 0], [1, 1]]
CUBE = np.array([0.0, 1.5, 0, -2, 0, 0, 3, 0, 0, 0, 0, 1]).reshape(2, 3, 2)

SAMPLES = [
    Sample("NonZero", 3, [param(PAGE, "i32")], I64, expected=[[0, 1, 1], [0, 0, 1]], shapes=[["?,2"], ["1..3,2"]]),
    Sample("NonZero", 3, [param(PAGE, "f32")], I32, expected=[[0, 1, 1], [0, 0, 1]]),
    Sample("NonZero", 3, [param(CUBE, "f32")], I64, oracle=lambda data: np.stack(np.nonzero(data))),
    Sample(
        "NonZero",
        3,
        [const(CUBE, "f16")],
        I64,
        oracle=lambda data: np.stack(np.nonzero(data)),
        openvino_shapes="does not fold it",
    ),
    Sample("NonZero", 3, [param([True, False, True])], I64, expected=[[0, 2]]),
    Sample("NonZero", 3, [param([np.nan, -0.0, np.inf])], I64, expected=[[0, 2]]),
    Sample("NonZero", 3, [param(np.float32(2))], I64, expected=[[0]]),
    Sample("NonZero", 3, [param(np.float32(0))], I64, expected=np.zeros((1, 0), np.int64)),
    Sample("NonZero", 3, [param(np.zeros((2, 3), np.float32))], I64, expected=np.zeros((2, 0), np.int64)),
    Sample("NonZero", 3, [param([2**40, 0])], I64, expected=[[0]], openvino="cuts 64 bits to 32"),
]

ERRORS = [ErrorSample("NonZero", 3, ["string[2]"], I64, part="data", says="string")]
