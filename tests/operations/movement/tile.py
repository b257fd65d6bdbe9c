"""Samples of Tile-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(4, 2, 3)

SAMPLES = [
    Sample(
        "Tile", 1, [param(CUBE), const([1, 2, 3])], expected=np.tile(CUBE, (1, 2, 3)), shapes=[["?,1..3,2.."], ["..."]]
    ),
    Sample("Tile", 1, [param(CUBE[0]), const([2, 2, 2])], expected=np.tile(CUBE[0], (2, 2, 2)), shapes=[["?,1..3"]]),
    Sample("Tile", 1, [param(CUBE), const([2, 2], "i32")], expected=np.tile(CUBE, (2, 2)), shapes=[["?,1..3,2"]]),
    Sample(
        "Tile",
        1,
        [param(CUBE[0]), param([2, 1])],
        expected=np.tile(CUBE[0], (2, 1)),
        shapes=[["2,3", "?"], ["2,3", "3"], ["...", "2"]],
    ),
    Sample("Tile", 1, [param(3.0), const([2, 3])], expected=np.full((2, 3), 3)),
    Sample("Tile", 1, [param(CUBE[0]), const([0, 2])], expected=np.zeros((0, 6))),
    Sample("Tile", 1, [param(CUBE[0]), const([-1, 2])], expected=np.zeros((0, 6))),
    Sample(
        "Tile",
        1,
        [param(CUBE[0]), const([], "i64")],
        expected=CUBE[0],
        openvino="the CPU plugin leaves the output as it finds it",
    ),
    Sample("Tile", 1, [param(CUBE[0], "f16"), const([1, 2])], expected=np.tile(CUBE[0], 2)),
    Sample("Tile", 1, [param(CUBE[0], "bf16"), const([2])], expected=np.tile(CUBE[0], 2)),
    Sample("Tile", 1, [param([1, 250], "u8"), const([2])], expected=[1, 250, 1, 250]),
    Sample(
        "Tile", 1, [param([2**62 + 1]), const([2])], expected=[2**62 + 1] * 2, openvino="the CPU plugin cuts i64 to i32"
    ),
    Sample(
        "Tile",
        1,
        [param(["é"], "string"), const([2])],
        expected=["é", "é"],
        openvino="the CPU plugin does not run strings",
    ),
]

ERRORS = [
    ErrorSample("Tile", 1, ["f32[2,3]", const([1.0, 2.0])], part="repeats", says="f32"),
    ErrorSample("Tile", 1, ["f32[2,3]", const([[1, 2]])], part="repeats", says="rank"),
    ErrorSample("Tile", 1, ["f32[2,3]", const(2)], part="repeats", says="rank"),
]
