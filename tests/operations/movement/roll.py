"""Samples of Roll-7."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

ROWS = np.arange(1, 13, dtype=np.float32).reshape(4, 3)

SAMPLES = [
    # the page's examples
    Sample(
        "Roll",
        7,
        [param(ROWS), const(1), const(0)],
        expected=[[10, 11, 12], [1, 2, 3], [4, 5, 6], [7, 8, 9]],
        shapes=[["?,1..3"], ["..."]],
    ),
    Sample(
        "Roll",
        7,
        [param(ROWS), const([-1, 2]), const([0, 1])],
        expected=[[5, 6, 4], [8, 9, 7], [11, 12, 10], [2, 3, 1]],
    ),
    Sample(
        "Roll",
        7,
        [param(ROWS), const([1, 2, 1]), const([0, 1, 0])],
        expected=[[8, 9, 7], [11, 12, 10], [2, 3, 1], [5, 6, 4]],
    ),
    # the rest
    Sample(
        "Roll",
        7,
        [param(ROWS), param(7, "i32"), param([-1, 0], "i32")],
        expected=np.roll(ROWS, (7, 7), (1, 0)),
        shapes=[["4,3", "", "?"], ["4,3", "...", "2"]],
        openvino="the CPU plugin wants as many shifts as axes",
    ),
    Sample("Roll", 7, [param(ROWS, "f16"), param([1]), const([1])], expected=np.roll(ROWS, 1, 1)),
    Sample("Roll", 7, [param(ROWS, "bf16"), const(-2), const([-2])], expected=np.roll(ROWS, -2, 0)),
    Sample("Roll", 7, [param([1, 250, 3], "u8"), const([2]), const([0])], expected=[250, 3, 1]),
    Sample(
        "Roll",
        7,
        [param([1, 2, 3], "i32"), const(-(2**31) - 2), const(0)],
        expected=[2, 3, 1],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Roll",
        7,
        [param([2**62 + 1, 5]), const(1), const(0)],
        expected=[5, 2**62 + 1],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Roll",
        7,
        [param(["a", "é"], "string"), const(1), const(0)],
        expected=["é", "a"],
        openvino="the CPU plugin does not run strings",
    ),
    Sample("Roll", 7, [param(np.zeros((0, 3), np.float32)), const(1), const(0)], expected=np.zeros((0, 3))),
    Sample("Roll", 7, [param(2.5), const(1), const(0)], expected=2.5),
    Sample("Roll", 7, [param(2.5), const([1, 2]), const([0, -1])], expected=2.5),
]

ERRORS = [
    ErrorSample("Roll", 7, [param(2.5), param(1), param(1)], code="IR701", says="scalar"),
    ErrorSample("Roll", 7, [param([1.0]), param(1), param([0, 3])], code="IR701", says="axes 3"),
    ErrorSample("Roll", 7, ["f32[2,3]", const(1), const(2)], part="axes", says="axes 2"),
    ErrorSample("Roll", 7, ["f32[2,3]", const([1, 2]), const([0])], part="shift", says="[2], axes [1]"),
    ErrorSample("Roll", 7, ["f32[2,3]", const([1]), const(0)], part="shift", says="[1], axes []"),
    ErrorSample("Roll", 7, ["f32[2,3]", const([[1]]), const([0])], part="shift", says="rank"),
    ErrorSample("Roll", 7, ["f32[2,3]", const(1.0), const(0)], part="shift", says="f32"),
    ErrorSample("Roll", 7, ["f32[2,3]", const(1), const(0.0)], part="axes", says="f32"),
]
