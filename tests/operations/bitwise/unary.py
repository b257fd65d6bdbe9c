"""Samples of BitwiseNot-13."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

SAMPLES = [
    Sample("BitwiseNot", 13, [param([True, False])], expected=[False, True]),
    Sample("BitwiseNot", 13, [param([1, 3], "u8")], expected=[254, 252], shapes=[["?"], ["1..3"]]),
    Sample("BitwiseNot", 13, [param([[0, -1], [5, -6]], "i32")], expected=[[-1, 0], [-6, 5]]),
    Sample("BitwiseNot", 13, [const([0, 127], "i8")], expected=[-1, -128]),
    Sample("BitwiseNot", 13, [param([2**62])], expected=[-(2**62) - 1], openvino="cuts 64 bits to 32"),
    Sample("BitwiseNot", 13, [param([0, 5, 15], "u4")], expected=[15, 10, 0], openvino="has no operations on u4"),
    Sample("BitwiseNot", 13, [param([0, 7, -8], "i4")], expected=[-1, -8, 7], openvino="has no operations on i4"),
    Sample("BitwiseNot", 13, [param(np.zeros((0, 2), np.int32))]),
]

ERRORS = [ErrorSample("BitwiseNot", 13, ["f32[2]"], part="data", says="f32")]
