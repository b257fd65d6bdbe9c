"""Samples of Slice-8."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

TEN = param(np.arange(10, dtype=np.float32))
DEEP = param(np.arange(1000, dtype=np.float32).reshape(20, 10, 5))
INTERVALS = "OpenVINO infers an interval that is too narrow or too wide"


def ten(
    start: int, stop: int, step: int, expected: Sequence[int], shapes: Sequence[Sequence[str]] = (), unlike: str = ""
) -> Sample:
    """Return one of the page's slices of 0 to 9."""
    inputs = [TEN, const([start]), const([stop]), const([step]), const([0])]
    return Sample("Slice", 8, inputs, expected=expected, shapes=shapes, openvino_shapes=unlike)


SAMPLES = [
    # the page's examples
    ten(1, 8, 1, range(1, 8), [["2..3"], ["5.."], ["..20"]]),
    Sample(
        "Slice",
        8,
        [TEN, param([1]), param([8]), param([1])],
        expected=range(1, 8),
        shapes=[["?", "1", "1", "1"], ["3..8", "?", "1", "?"], ["3..", "?", "?", "?"]],
    ),
    ten(1, 8, 2, [1, 3, 5, 7], [["2..9"], ["?"]]),
    ten(-100, 100, 1, range(10)),
    ten(9, -11, -1, range(9, -1, -1), unlike=INTERVALS),
    ten(9, 0, -1, range(9, 0, -1)),
    ten(9, -10, -1, range(9, 0, -1), unlike=INTERVALS),
    ten(9, -11, -2, [9, 7, 5, 3, 1], unlike=INTERVALS),
    ten(100, -100, -1, range(9, -1, -1), unlike=INTERVALS),
    Sample(
        "Slice",
        8,
        [param([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], "f32"), const([0, 1]), const([2, 4]), const([1, 2]), const([0, 1])],
        expected=[[1, 3], [6, 8]],
        shapes=[["?,5"], ["1..2,2..8"]],
    ),
    Sample(
        "Slice",
        8,
        [DEEP, const([0, 0, 0]), const([4, 10, 5]), const([1, 1, 1]), const([0, 1, 2])],
        expected=DEEP.value[:4],
    ),
    Sample(
        "Slice",
        8,
        [DEEP, const([0, 0], "i32"), const([4, 10], "i32"), const([1, 1], "i32"), const([0, 1], "i32")],
        expected=DEEP.value[:4],
    ),
    # limits, negative axes, types
    ten(-20, -11, -1, [0], unlike=INTERVALS),
    ten(-(2**63), -(2**31), -3, [0], unlike=INTERVALS),
    Sample(
        "Slice", 8, [TEN, param([-20]), param([-11]), param([-1]), param([0])], expected=[0], openvino_shapes=INTERVALS
    ),
    Sample(
        "Slice",
        8,
        [param(np.zeros((0, 3), np.float32)), const([-5]), const([-9]), const([-1])],
        expected=np.zeros((0, 3)),
    ),
    ten(2, 2**63 - 1, 1, range(2, 10), [["?"], ["1..4"], ["3.."]]),
    ten(-3, 2**31 - 1, 1, [7, 8, 9], unlike=INTERVALS),
    ten(3, 3, 1, []),
    Sample(
        "Slice",
        8,
        [DEEP, const([-2, 1]), const([2**63 - 1, -1]), const([1, 3]), const([-1, -3])],
        expected=DEEP.value[1:-1:3, :, -2:],
        shapes=[["?,?,?"], ["3..30,2,1..4"], ["..."]],
    ),
    Sample(
        "Slice",
        8,
        [DEEP, param([3, 1]), param([0, 0]), const([-1, -1]), const([1, 2])],
        expected=DEEP.value[:, 3:0:-1, 1:0:-1],
        shapes=[["20,10,5", "2", "2"]],
    ),
    Sample("Slice", 8, [DEEP, param([3]), const([5]), const([1]), param([2])], expected=DEEP.value[:, :, 3:5]),
    Sample(
        "Slice",
        8,
        [TEN, const([-20]), const([-10]), const([-1])],
        expected=[],
        openvino_shapes="OpenVINO infers one element, and computes none",
    ),
    Sample(
        "Slice",
        8,
        [param(np.arange(6).reshape(2, 3), "f16"), const([1]), const([3]), const([1]), const([1])],
        expected=[[1, 2], [4, 5]],
    ),
    Sample("Slice", 8, [param(np.arange(6), "bf16"), const([4]), const([0]), const([-2])], expected=[4, 2]),
    Sample(
        "Slice", 8, [param(np.arange(6), "u8"), const([1], "i8"), const([-1], "i8"), const([2], "i8")], expected=[1, 3]
    ),
    Sample(
        "Slice",
        8,
        [param([2**62 + 1, 5, 7]), const([0]), const([1]), const([1])],
        expected=[2**62 + 1],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Slice", 8, [param([True, False, True], "boolean"), const([1]), const([3]), const([1])], expected=[False, True]
    ),
    Sample(
        "Slice",
        8,
        [param(["a", "é", "c"], "string"), const([1]), const([2]), const([1])],
        expected=["é"],
        openvino="the CPU plugin does not slice strings",
    ),
    Sample(
        "Slice", 8, [param(np.zeros((0, 3), np.float32)), const([0]), const([5]), const([1])], expected=np.zeros((0, 3))
    ),
]

ERRORS = [
    ErrorSample("Slice", 8, [param([1.0]), param([0]), param([1]), param([0])], code="IR701", says="step[0] is 0"),
    ErrorSample(
        "Slice", 8, [param([1.0]), param([0]), param([1]), param([1]), param([3])], code="IR701", says="axes 3"
    ),
    ErrorSample("Slice", 8, ["f32[4]", const([0]), const([1]), const([0])], part="step", says="step[0] is 0"),
    ErrorSample("Slice", 8, ["f32[4]", const([0]), const([1]), const([1]), const([1])], part="axes", says="axes 1"),
    ErrorSample(
        "Slice", 8, ["f32[4,4]", const([0, 0]), const([1, 1]), const([1, 1]), const([0, -2])], part="axes", says="twice"
    ),
    ErrorSample("Slice", 8, ["f32[4,4]", "i64[2]", "i64[1]", "i64[2]"], part="stop", says="1 values"),
    ErrorSample("Slice", 8, ["f32[4,4]", "i64[3]", "i64[3]", "i64[3]"], part="start", says="3 values"),
    ErrorSample("Slice", 8, ["f32[4,4]", "i64[2,1]", "i64[2]", "i64[2]"], part="start", says="rank"),
    ErrorSample("Slice", 8, ["f32[4,4]", "i64[2]", "f32[2]", "i64[2]"], part="stop", says="f32"),
    ErrorSample("Slice", 8, ["f32[]", "i64[0]", "i64[0]", "i64[0]"], part="data", says="scalar"),
]
