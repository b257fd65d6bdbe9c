"""Samples of Split-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(48, dtype=np.float32).reshape(2, 6, 4)


SAMPLES = [
    Sample(
        "Split",
        1,
        [param(CUBE), const(1)],
        {"num_splits": 3},
        expected=[CUBE[:, :2], CUBE[:, 2:4], CUBE[:, 4:]],
        outputs=3,
        shapes=[["2,?,4"], ["?,3..10,1..3"], ["?,2..,?"]],
    ),
    Sample(
        "Split",
        1,
        [param(CUBE), const(-1, "i32")],
        {"num_splits": 2},
        expected=[CUBE[..., :2], CUBE[..., 2:]],
        outputs=2,
    ),
    Sample(
        "Split",
        1,
        [param(CUBE), param(0)],
        {"num_splits": 2},
        expected=[CUBE[:1], CUBE[1:]],
        outputs=2,
        shapes=[["2,6,4", ""]],
    ),
    Sample("Split", 1, [param(CUBE[0, 0], "f16"), const(0)], {"num_splits": 1}, expected=CUBE[0, 0]),
    Sample(
        "Split", 1, [param(CUBE[0, 0], "bf16"), const(0)], {"num_splits": 4}, expected=[[0], [1], [2], [3]], outputs=4
    ),
    Sample("Split", 1, [param([[1, 250]], "u8"), const(1)], {"num_splits": 2}, expected=[[[1]], [[250]]], outputs=2),
    Sample(
        "Split",
        1,
        [param([True, False], "boolean"), const(0)],
        {"num_splits": 2},
        expected=[[True], [False]],
        outputs=2,
    ),
    Sample(
        "Split",
        1,
        [param([2**62 + 1, 5]), const(0)],
        {"num_splits": 2},
        expected=[[2**62 + 1], [5]],
        outputs=2,
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Split",
        1,
        [param(np.zeros((0, 4), np.float32)), const(1)],
        {"num_splits": 2},
        expected=[np.zeros((0, 2)), np.zeros((0, 2))],
        outputs=2,
    ),
]

ERRORS = [
    ErrorSample(
        "Split", 1, ["f32[2,3]", const(1)], {"num_splits": 2}, part="num_splits", says="does not divide", outputs=2
    ),
    ErrorSample("Split", 1, ["f32[2,3]", const(2)], {"num_splits": 1}, part="axis", says="[-2, 1]"),
    ErrorSample("Split", 1, ["f32[2,3]", const([1])], {"num_splits": 3}, part="axis", says="rank", outputs=3),
    ErrorSample("Split", 1, ["f32[2,3]", const(1)], {"num_splits": 0}, part="num_splits", says="at least 1"),
    ErrorSample("Split", 1, ["f32[2,3]", const(1.0)], {"num_splits": 3}, part="axis", says="f32", outputs=3),
]
