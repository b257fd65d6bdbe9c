"""Samples of Bucketize-3."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RIGHT = {"output_type": "i64", "with_right_bound": True}
LEFT = {"output_type": "i32", "with_right_bound": False}

SAMPLES = [
    Sample(
        "Bucketize",
        3,
        [param([[3, 50], [10, -1]], "i32"), const([0, 5, 10], "i32")],
        RIGHT,
        expected=[[1, 3], [2, 0]],
        shapes=[["?,1..3"]],
    ),
    Sample(
        "Bucketize",
        3,
        [param([[3, 50], [10, -1]], "i32"), param([0, 5, 10], "i32")],
        LEFT,
        expected=[[1, 3], [3, 0]],
        shapes=[["?,2", "?"]],
    ),
    Sample("Bucketize", 3, [param([0.0, 5.0, 4.5, 11.0]), const([0.0, 5.0, 10.0])], RIGHT, expected=[0, 1, 1, 3]),
    Sample("Bucketize", 3, [param([0.0, 5.0, 4.5, 11.0]), const([0, 5, 10], "i32")], LEFT, expected=[1, 2, 1, 3]),
    Sample(
        "Bucketize",
        3,
        [param([0.0, 5.0, 4.5, 11.0], "f16"), const([0.0, 5.0, 10.0], "f16")],
        RIGHT,
        expected=[0, 1, 1, 3],
    ),
    Sample("Bucketize", 3, [param([1.0, 2.0]), const(np.zeros(0, np.float32))], RIGHT, expected=[0, 0]),
    Sample(
        "Bucketize",
        3,
        [param([-5, 2**63 - 1]), param([3, 2**63], "u64")],
        RIGHT,
        expected=[0, 1],
        openvino="cuts 64 bits to 32",
    ),
    Sample(
        "Bucketize",
        3,
        [param([5, 2**63], "u64"), param([-3, 5, 2**63 - 1])],
        RIGHT,
        expected=[1, 3],
        openvino="cuts 64 bits to 32",
    ),
    Sample("Bucketize", 3, [param(np.zeros((0, 2), np.float32)), const([1.0])], RIGHT),
]

ERRORS = [
    ErrorSample("Bucketize", 3, ["f32[2,3]", "f32[3,2]"], RIGHT, part="buckets", says="rank"),
    ErrorSample("Bucketize", 3, ["boolean[2]", "f32[3]"], RIGHT, part="data", says="boolean"),
    ErrorSample("Bucketize", 3, ["f32[2]", "string[3]"], RIGHT, part="buckets", says="string"),
]
