"""Samples of GroupedMatMul-17."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

RNG = np.random.default_rng(10)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def rows(a: Any, b: Any, offsets: Any) -> Any:
    parts = np.split(a, offsets[:-1])
    return np.concatenate([part @ matrix.T for part, matrix in zip(parts, b, strict=True)])


def columns(a: Any, b: Any, offsets: Any) -> Any:
    pairs = zip(np.split(a, offsets[:-1], 1), np.split(b, offsets[:-1]), strict=True)
    return np.stack([left @ right for left, right in pairs])


NONE = "OpenVINO's CPU cannot run the operation alone"
SAMPLES = [
    Sample(
        "GroupedMatMul",
        17,
        [param(floats(10, 4)), param(floats(3, 5, 4)), param([3, 8, 10])],
        oracle=rows,
        openvino=NONE,
        shapes=[["?,4", "3,?,4", "?"], ["?,4", "?,5,4", "3"], ["2..5,4", "3..4,5,3..4", "2..3"]],
    ),
    Sample(
        "GroupedMatMul",
        17,
        [param(floats(5, 4)), param(floats(3, 2, 4)), param([0, 5, 5], "i32")],
        oracle=rows,
        openvino=NONE,
    ),
    Sample(
        "GroupedMatMul",
        17,
        [param(floats(3, 2, 4)), param(floats(3, 5, 4))],
        openvino=NONE,
        oracle=lambda a, b: a @ b.swapaxes(1, 2),
        shapes=[["1..4,2,4", "3,?,4"], ["1..4,2,?", "3..5,6,4"]],
    ),
    Sample(
        "GroupedMatMul",
        17,
        [param(floats(4, 6)), param(floats(6, 5)), param([1, 4, 6])],
        oracle=columns,
        openvino=NONE,
        openvino_shapes="OpenVINO refuses two 2-D operands, the specification describes them",
    ),
    Sample(
        "GroupedMatMul",
        17,
        [param(RNG.integers(-5, 6, (4, 3)), "i32"), param(RNG.integers(-5, 6, (2, 2, 3)), "i32"), param([1, 4])],
        oracle=rows,
        openvino=NONE,
    ),
    Sample(
        "GroupedMatMul",
        17,
        [param(floats(4, 3), "f16"), param(floats(2, 2, 3), "f16"), param([2, 4])],
        oracle=rows,
        openvino=NONE,
        atol=1e-2,
    ),
]

ERRORS = [
    ErrorSample("GroupedMatMul", 17, ["f32[10,4]", "f32[3,5,4]"], part="offsets", says="needed"),
    ErrorSample("GroupedMatMul", 17, ["f32[10,3]", "f32[3,5,4]", "i64[3]"], part="mat_b", says="3"),
    ErrorSample("GroupedMatMul", 17, ["f32[2,4,6]", "f32[3,5,6]"], part="mat_b", says="2 groups"),
    ErrorSample("GroupedMatMul", 17, ["f32[10,4]", "f32[3,5,4]", "u8[3]"], part="offsets", says="u8"),
    ErrorSample("GroupedMatMul", 17, ["f32[10,4]", "f32[3,5,4]", "i64[4]"], part="offsets"),
    ErrorSample("GroupedMatMul", 17, ["f32[10]", "f32[3,5,4]", "i64[3]"], part="mat_a", says="rank"),
    ErrorSample(
        "GroupedMatMul",
        17,
        [param(floats(5, 4)), param(floats(2, 2, 4)), param([3, 2])],
        code="IR701",
        says="offsets[1] is 2",
    ),
    ErrorSample(
        "GroupedMatMul",
        17,
        [param(floats(5, 4)), param(floats(2, 2, 4)), param([3, 4])],
        code="IR701",
        says="before the 5 rows",
    ),
]
