"""Samples of SliceScatter-15."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

ROWS = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
ROW = [[10, 20, 30, 40, 50]]

SAMPLES = [
    # the page's examples
    Sample(
        "SliceScatter",
        15,
        [
            param(ROWS, "f32"),
            param(ROW, "f32"),
            const([0], "i32"),
            const([1], "i32"),
            const([1], "i32"),
            const([0], "i32"),
        ],
        expected=[ROW[0], ROWS[1]],
        shapes=[["?,5", "1,?"], ["1..3,5", "?,?"]],
    ),
    Sample(
        "SliceScatter",
        15,
        [
            param(ROWS, "f32"),
            param([[10, 20, 30], [40, 50, 60]], "f32"),
            const([-25], "i32"),
            const([25], "i32"),
            const([2], "i32"),
            const([1], "i32"),
        ],
        expected=[[10, 1, 20, 3, 30], [40, 6, 50, 8, 60]],
    ),
    Sample(
        "SliceScatter",
        15,
        [
            param(np.arange(15, dtype=np.float32).reshape(3, 5)),
            param([[50, 60], [70, 80]], "f32"),
            const([0, 1], "i32"),
            const([3, 5], "i32"),
            const([2, 2], "i32"),
        ],
        expected=[[0, 50, 2, 60, 4], [5, 6, 7, 8, 9], [10, 70, 12, 80, 14]],
    ),
    # parameters, backwards, types
    Sample(
        "SliceScatter",
        15,
        [param(ROWS, "f32"), param([ROW[0]], "f32"), const([-5]), const([-9]), const([-1]), const([0])],
        expected=[ROW[0], ROWS[1]],
    ),
    Sample(
        "SliceScatter",
        15,
        [param(ROWS, "f16"), param([[9, 8], [7, 6]], "f16"), param([-1]), param([2]), param([-1]), param([-1])],
        expected=[[0, 1, 2, 8, 9], [5, 6, 7, 6, 7]],
        openvino="the CPU plugin returns data as it is where the indices are parameters",
    ),
    Sample(
        "SliceScatter",
        15,
        [param([1, 2, 3], "bf16"), param([7], "bf16"), const([-1]), const([2**63 - 1]), const([1])],
        expected=[1, 2, 7],
    ),
    Sample(
        "SliceScatter",
        15,
        [param([1, 2, 3], "u8"), param(np.zeros(0), "u8"), const([2]), const([2]), const([1])],
        expected=[1, 2, 3],
    ),
    Sample(
        "SliceScatter",
        15,
        [param([2**62 + 1, 5]), param([2**62 + 3]), const([1]), const([2]), const([1])],
        expected=[2**62 + 1, 2**62 + 3],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "SliceScatter",
        15,
        [param(["a", "b"], "string"), param(["é"], "string"), const([0]), const([1]), const([1])],
        expected=["é", "b"],
        openvino="the CPU plugin breaks the memory of strings",
    ),
]

ERRORS = [
    ErrorSample(
        "SliceScatter", 15, [param([1.0, 2]), param([3.0]), *[param([0])] * 2, param([1])], code="IR701", says="[0]"
    ),
    ErrorSample(
        "SliceScatter", 15, ["f32[4]", "f32[2]", const([0]), const([1]), const([1])], part="updates", says="[1]"
    ),
    ErrorSample(
        "SliceScatter", 15, ["f32[4]", "string[1]", const([0]), const([1]), const([1])], part="updates", says="string"
    ),
    ErrorSample("SliceScatter", 15, ["f32[4]", "f32[1]", const([0]), const([1]), const([0])], part="step", says="is 0"),
    ErrorSample(
        "SliceScatter",
        15,
        ["f32[4]", "f32[1]", const([0]), const([1]), const([1]), const([3])],
        part="axes",
        says="axes 3",
    ),
    ErrorSample(
        "SliceScatter", 15, ["f32[4]", "f32[1,1]", const([0]), const([1]), const([1])], part="updates", says="[1,1]"
    ),
]
