"""Samples of Concat-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

SAMPLES = [
    Sample(
        "Concat",
        1,
        [param(CUBE), param(CUBE[:, :1]), param(CUBE[:, 1:])],
        {"axis": 1},
        expected=np.concatenate([CUBE, CUBE[:, :1], CUBE[:, 1:]], 1),
        shapes=[["2,?,4", "?,1,4", "2..3,2,?"], ["1..3,3,4", "2..9,1..2,4", "?,..5,4"], ["...", "2,1,4", "2,2,4"]],
    ),
    Sample("Concat", 1, [param(CUBE), param(CUBE + 1)], {"axis": -3}, expected=np.concatenate([CUBE, CUBE + 1])),
    Sample("Concat", 1, [param(CUBE[0, 0]), const(CUBE[1, 0])], {"axis": 0}, expected=[0, 1, 2, 3, 12, 13, 14, 15]),
    Sample("Concat", 1, [param(CUBE)], {"axis": 2}, expected=CUBE),
    Sample(
        "Concat",
        1,
        [param(CUBE[0], "f16"), param(CUBE[0], "f16")],
        {"axis": -1},
        expected=np.concatenate([CUBE[0]] * 2, 1),
    ),
    Sample(
        "Concat",
        1,
        [param(CUBE[0], "bf16"), param(CUBE[0], "bf16")],
        {"axis": 0},
        expected=np.concatenate([CUBE[0]] * 2),
    ),
    Sample("Concat", 1, [param([1, 250], "u8"), param([3], "u8")], {"axis": 0}, expected=[1, 250, 3]),
    Sample("Concat", 1, [param([True], "boolean"), param([False], "boolean")], {"axis": 0}, expected=[True, False]),
    Sample(
        "Concat",
        1,
        [param([2**62 + 1]), const([5, 6])],
        {"axis": 0},
        expected=[2**62 + 1, 5, 6],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Concat",
        1,
        [param(["a"], "string"), param(["é"], "string")],
        {"axis": 0},
        expected=["a", "é"],
        openvino="the CPU plugin does not run strings",
    ),
    Sample("Concat", 1, [param(np.zeros((2, 0), np.float32)), param([[1.0], [2.0]])], {"axis": 1}, expected=[[1], [2]]),
]

ERRORS = [
    ErrorSample("Concat", 1, ["f32[2,3]", "f32[2,3]"], {"axis": 2}, part="axis", says="[-2, 1]"),
    ErrorSample("Concat", 1, ["f32[2,3]", "f32[2,3,1]"], {"axis": 0}, part="input 1", says="rank"),
    ErrorSample("Concat", 1, ["f32[2,3]", "f32[2,3]", "f32[2,4]"], {"axis": 0}, part="input 2", says="[2,4]"),
    ErrorSample("Concat", 1, ["f32[2,3]", "i32[2,3]"], {"axis": 0}, part="input 1", says="i32"),
    ErrorSample("Concat", 1, ["f32[]", "f32[]"], {"axis": 0}, says="scalars"),
]
