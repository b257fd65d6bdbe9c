"""Samples of VariadicSplit-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(48, dtype=np.float32).reshape(2, 6, 4)


SAMPLES = [
    Sample(
        "VariadicSplit",
        1,
        [param(CUBE), const(1), const([1, 3, 2])],
        expected=[CUBE[:, :1], CUBE[:, 1:4], CUBE[:, 4:]],
        outputs=3,
        shapes=[["2,?,4"], ["?,3..10,1..3"], ["..."]],
    ),
    Sample(
        "VariadicSplit",
        1,
        [param(CUBE), const([-2]), const([-1, 2])],
        expected=[CUBE[:, :4], CUBE[:, 4:]],
        outputs=2,
        shapes=[["2,?,4"], ["2,3..10,1..3"], ["2,..9,4"]],
    ),
    Sample(
        "VariadicSplit",
        1,
        [param(CUBE), param(2, "i32"), const([4, 0], "i32")],
        expected=[CUBE, CUBE[..., :0]],
        outputs=2,
    ),
    Sample(
        "VariadicSplit",
        1,
        [param(CUBE), const(0), param([1, -1])],
        expected=[CUBE[:1], CUBE[1:]],
        outputs=2,
        shapes=[["2,6,4", "2"], ["...", "2"]],
        openvino_shapes="OpenVINO has no outputs where their number is unknown",
    ),
    Sample(
        "VariadicSplit", 1, [param(CUBE[0, 0], "f16"), const(0), const([3, 1])], expected=[[0, 1, 2], [3]], outputs=2
    ),
    Sample("VariadicSplit", 1, [param(CUBE[0, 0], "bf16"), const(0), const([-1])], expected=CUBE[0, 0]),
    Sample(
        "VariadicSplit",
        1,
        [param([[1, 250, 7]], "u8"), const(1), const([1, 2])],
        expected=[[[1]], [[250, 7]]],
        outputs=2,
    ),
    Sample(
        "VariadicSplit",
        1,
        [param([2**62 + 1, 5]), const(0), const([1, 1])],
        expected=[[2**62 + 1], [5]],
        outputs=2,
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "VariadicSplit",
        1,
        [param([True, False], "boolean"), const(0), const([-1, 1])],
        expected=[[True], [False]],
        outputs=2,
    ),
]

ERRORS = [
    ErrorSample(
        "VariadicSplit", 1, ["f32[2,3]", const(1), const([1, 1])], part="split_lengths", says="sum up to 2", outputs=2
    ),
    ErrorSample(
        "VariadicSplit", 1, ["f32[2,3]", const(1), const([4, -1])], part="split_lengths", says="sum up to 4", outputs=2
    ),
    ErrorSample(
        "VariadicSplit", 1, ["f32[2,3]", const(1), const([-1, -1])], part="split_lengths", says="one -1", outputs=2
    ),
    ErrorSample(
        "VariadicSplit", 1, ["f32[2,3]", const(1), const([-2, 5])], part="split_lengths", says="at least 0", outputs=2
    ),
    ErrorSample("VariadicSplit", 1, ["f32[2,3]", const(2), const([1, 1])], part="axis", says="[-2, 1]", outputs=2),
    ErrorSample(
        "VariadicSplit", 1, ["f32[2,3]", const(1), const([[1, 2]])], part="split_lengths", says="rank", outputs=2
    ),
    ErrorSample(
        "VariadicSplit", 1, ["f32[2,3]", const(1), "string[2]"], part="split_lengths", says="string", outputs=2
    ),
]
