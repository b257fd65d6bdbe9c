"""Samples of Transpose-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

RANKLESS = "OpenVINO infers a scalar from an empty order and an unknown rank"

SAMPLES = [
    Sample(
        "Transpose",
        1,
        [param(CUBE), const([2, 0, 1])],
        expected=CUBE.transpose(2, 0, 1),
        shapes=[["?,1..3,4"], ["2..,..5,?"]],
    ),
    Sample(
        "Transpose",
        1,
        [param(CUBE), const([], "i64")],
        expected=CUBE.T,
        shapes=[["?,1..3,4"]],
        openvino_shapes=RANKLESS,
    ),
    Sample(
        "Transpose",
        1,
        [param(CUBE), param([1, 0, 2], "i32")],
        expected=CUBE.transpose(1, 0, 2),
        shapes=[["2,3,4", "?"], ["...", "3"], ["2,3,4", "..."]],
    ),
    Sample("Transpose", 1, [param(CUBE[0], "f16"), const([1, 0], "i32")], expected=CUBE[0].T),
    Sample("Transpose", 1, [param(CUBE[0], "bf16"), const([0, 1], "u8")], expected=CUBE[0]),
    Sample("Transpose", 1, [param([[1, 2, 250]], "u8"), const([1, 0])], expected=[[1], [2], [250]]),
    Sample("Transpose", 1, [param([[True, False]], "boolean"), const([1, 0])], expected=[[True], [False]]),
    Sample(
        "Transpose",
        1,
        [param([[2**62 + 1, 5]]), const([1, 0])],
        expected=[[2**62 + 1], [5]],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Transpose",
        1,
        [param([["a", "é"]], "string"), const([1, 0])],
        expected=[["a"], ["é"]],
        openvino="the CPU plugin does not run strings",
    ),
    Sample("Transpose", 1, [param(np.zeros((0, 3), np.float32)), const([1, 0])], expected=np.zeros((3, 0))),
    Sample("Transpose", 1, [param(5.0), const([], "i64")], expected=5.0, openvino_shapes=RANKLESS),
]

ERRORS = [
    ErrorSample("Transpose", 1, [param([[1.0, 2]]), param([-1, 0])], code="IR701", says="[-1, 0]"),
    ErrorSample("Transpose", 1, ["f32[2,3]", const([0, 1, 2])], part="input_order", says="3 values"),
    ErrorSample("Transpose", 1, ["f32[2,3]", const([1, 1])], part="input_order", says="[1, 1]"),
    ErrorSample("Transpose", 1, ["f32[2,3]", const([0, -1])], part="input_order", says="[0, -1]"),
    ErrorSample("Transpose", 1, ["f32[2,3]", const([[0, 1]])], part="input_order", says="rank"),
    ErrorSample("Transpose", 1, ["f32[2,3]", "f32[2]"], part="input_order", says="f32"),
    ErrorSample("Transpose", 1, ["f32[2,3]", "i64[3]"], part="input_order", says="3 values"),
]
