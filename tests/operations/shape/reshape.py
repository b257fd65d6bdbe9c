"""Samples of Reshape-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(11)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


ZERO = {"special_zero": True}
PLAIN = {"special_zero": False}

RANK = "OpenVINO's CPU cannot run outputs of unknown rank"

SAMPLES = [
    Sample(
        "Reshape",
        1,
        [param(floats(2, 5, 5, 0)), const([0, 4])],
        PLAIN,
        expected=np.zeros((0, 4)),
        openvino_shapes="[0, 4] cannot hold the data of the interval variant, which OpenVINO does not see",
    ),
    Sample(
        "Reshape",
        1,
        [param(floats(2, 5, 5, 24)), const([0, -1, 4])],
        ZERO,
        shapes=[["?,5,5,24"], ["?,?,?,?"], ["1..3,5,5,2..4"], ["..."], ["2,5,..5,24"]],
    ),
    Sample("Reshape", 1, [param(floats(2, 2, 3)), const([0, 0, 1, -1])], ZERO, shapes=[["?,?,3"], ["?,2,3"], ["..."]]),
    Sample("Reshape", 1, [param(floats(3, 1, 1)), const([-1, 0])], ZERO, shapes=[["?,1,1"], ["?,?,?"]]),
    Sample("Reshape", 1, [param(floats(3, 1, 1)), const([0, -1], "i32")], ZERO),
    Sample("Reshape", 1, [param(floats(2, 3, 4)), const([6, 4])], PLAIN, shapes=[["?,3,4"], ["2..3,3,4"], ["..."]]),
    Sample(
        "Reshape",
        1,
        [param(floats(2, 3, 4)), const([-1, 6])],
        PLAIN,
        shapes=[["1..8,3,4"], ["?,3,4"], ["1..3,2..4,2"], ["..7,4"], ["..."], ["?,0"], ["0..3,0"]],
    ),
    Sample(
        "Reshape",
        1,
        [param(floats(2, 3, 4)), param([4, 6])],
        PLAIN,
        openvino=RANK,
        oracle=lambda data, pattern: data.reshape(pattern),
        shapes=[["2,3,4", "2"], ["2,3,4", "?"], ["2,3,4", "2..4"], ["2,3,4", "..."], ["...", "3"]],
    ),
    Sample(
        "Reshape",
        1,
        [param(floats(0, 6)), const([0, -1])],
        PLAIN,
        expected=np.zeros((0, 1)),
        openvino="OpenVINO refuses -1 beside 0 unless a dimension of the data is known to be 0",
        openvino_shapes="OpenVINO refuses -1 beside 0 unless a dimension of the data is known to be 0",
    ),
    Sample("Reshape", 1, [param(floats(2, 0, 3)), const([-1, 0])], ZERO, shapes=[["?,0,3"], ["0,?,3"]]),
    Sample("Reshape", 1, [param(floats(0, 3, 2)), const([0])], ZERO, shapes=[["?,3,2"], ["0..,1..,2"]]),
    Sample("Reshape", 1, [param(np.float32(3)), const([1, -1])], PLAIN),
    Sample("Reshape", 1, [param(floats(1)), const(np.zeros(0, np.int64))], PLAIN, shapes=[["?"], ["..."]]),
    Sample("Reshape", 1, [param(np.array([[True, False]])), const([-1])], PLAIN),
    Sample("Reshape", 1, [param(np.array([["a", "b"], ["c", "d"]], object), "string"), const([4])], PLAIN),
    Sample("Reshape", 1, [param(floats(2, 6), "f16"), const([3, 4])], PLAIN),
    Sample("Reshape", 1, [param(floats(2, 6), "bf16"), const([3, 4])]),
]

ERRORS = [
    ErrorSample("Reshape", 1, ["f32[2,3,4]", const([5, 4])], PLAIN, part="pattern", says="24 elements"),
    ErrorSample("Reshape", 1, ["f32[2,3,4]", const([5, -1])], PLAIN, part="pattern", says="divide by 5"),
    ErrorSample("Reshape", 1, ["f32[2,3,4]", const([0, -1])], PLAIN, part="pattern", says="dimension of 0"),
    ErrorSample("Reshape", 1, ["f32[2,3]", const([0, 0, 0])], ZERO, part="pattern", says="copies dimension 2"),
    ErrorSample("Reshape", 1, ["f32[2,3]", const([-1, -1])], PLAIN, part="pattern", says="[0, 1]"),
    ErrorSample("Reshape", 1, ["f32[2,3]", const([-2, 3])], PLAIN, part="pattern", says="-2"),
    ErrorSample("Reshape", 1, ["f32[2,3]", const([[2, 3]])], PLAIN, part="pattern", says="rank 2"),
    ErrorSample("Reshape", 1, ["f32[2,3]", "f32[2]"], PLAIN, part="pattern", says="f32"),
    ErrorSample("Reshape", 1, ["f32[2..4,6]", const([30])], PLAIN, part="pattern", says="30"),
]
