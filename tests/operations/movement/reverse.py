"""Samples of Reverse-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

SAMPLES = [
    Sample(
        "Reverse",
        1,
        [param(CUBE), const([1])],
        {"mode": "index"},
        expected=CUBE[:, ::-1],
        shapes=[["?,1..3,4"], ["..."]],
    ),
    Sample("Reverse", 1, [param(CUBE), const([0, 2], "i32")], {"mode": "index"}, expected=CUBE[::-1, :, ::-1]),
    Sample("Reverse", 1, [param(CUBE), const([], "i64")], {"mode": "index"}, expected=CUBE),
    Sample("Reverse", 1, [param(CUBE), const([True, False, True])], {"mode": "mask"}, expected=CUBE[::-1, :, ::-1]),
    Sample("Reverse", 1, [param(CUBE), param([2, 1])], {"mode": "index"}, expected=CUBE[:, ::-1, ::-1]),
    Sample("Reverse", 1, [param(CUBE[0], "f16"), const([True, False])], {"mode": "mask"}, expected=CUBE[0, ::-1]),
    Sample("Reverse", 1, [param(CUBE[0], "bf16"), const([1])], {"mode": "index"}, expected=CUBE[0, :, ::-1]),
    Sample("Reverse", 1, [param([1, 250], "u8"), const([0])], {"mode": "index"}, expected=[250, 1]),
    Sample(
        "Reverse",
        1,
        [param([2**62 + 1, 5]), const([0])],
        {"mode": "index"},
        expected=[5, 2**62 + 1],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Reverse",
        1,
        [param(["a", "é"], "string"), const([0])],
        {"mode": "index"},
        expected=["é", "a"],
        openvino="the CPU plugin does not run strings",
    ),
]

SAMPLES += [
    Sample("Reverse", 1, [param(CUBE), const([0, 2, 0, 0, -1])], {"mode": "index"}, expected=CUBE[::-1, :, ::-1])
]

ERRORS = [
    ErrorSample("Reverse", 1, ["f32[2,3]", const([2])], {"mode": "index"}, part="axis", says="axis 2"),
    ErrorSample("Reverse", 1, ["f32[2,3]", const([True])], {"mode": "mask"}, part="axis", says="it must hold 2"),
    ErrorSample("Reverse", 1, ["f32[2,3]", const([True, True])], {"mode": "index"}, part="axis", says="boolean"),
    ErrorSample("Reverse", 1, ["f32[2,3]", const([0, 1])], {"mode": "mask"}, part="axis", says="i64"),
    ErrorSample("Reverse", 1, ["f32[2,3]", const([[0]])], {"mode": "index"}, part="axis", says="rank"),
]
