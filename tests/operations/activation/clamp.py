"""Samples of Clamp-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

VALUES = [[-3.0, 0.5, 1.0], [2.5, 50.0, 9.0]]

SAMPLES = [
    Sample(
        "Clamp",
        1,
        [param(VALUES, "f32")],
        {"min": 1.0, "max": 10.0},
        expected=[[1, 1, 1], [2.5, 10, 9]],
        shapes=[["?,3"], ["1..3,3"]],
    ),
    Sample("Clamp", 1, [param(VALUES, "f16")], {"min": -1.0, "max": 0.75}, expected=[[-1, 0.5, 0.75], [0.75] * 3]),
    Sample("Clamp", 1, [param(VALUES, "bf16")], {"min": -1.0, "max": 0.75}, expected=[[-1, 0.5, 0.75], [0.75] * 3]),
    Sample("Clamp", 1, [const(VALUES, "f32")], {"min": 0, "max": 6}, expected=[[0, 0.5, 1], [2.5, 6, 6]]),
    Sample("Clamp", 1, [param([-5, 0, 1, 2, 3, 9], "i32")], {"min": 0.5, "max": 2.7}, expected=[1, 1, 1, 2, 2, 2]),
    Sample("Clamp", 1, [param([0, 7, 255], "u8")], {"min": -3.0, "max": 1000.0}, expected=[0, 7, 255]),
    Sample(
        "Clamp",
        1,
        [param([-(2**62), 3, 2**62 + 1])],
        {"min": -1e30, "max": 1e30},
        expected=[-(2**62), 3, 2**62 + 1],
        openvino="cuts 64 bits to 32",
    ),
    Sample(
        "Clamp",
        1,
        [param([np.nan, np.inf, -np.inf])],
        {"min": 0.5, "max": 1.0},
        expected=[np.nan, 1, 0.5],
        openvino="gives min for NaN",
    ),
    Sample("Clamp", 1, [param([-2.0, 2.0])], {"min": "-inf", "max": 1.0}, expected=[-2, 1]),
    Sample("Clamp", 1, [param(np.float64(7))], {"min": 2.0, "max": 2.0}, expected=2.0),
    Sample("Clamp", 1, [param(np.zeros((0, 2), np.float32))], {"min": 0.0, "max": 1.0}),
]

ERRORS = [
    ErrorSample("Clamp", 1, ["f32[2]"], {"min": 3.0, "max": 1.0}, part="min", says="min 3.0 is above max, 1.0"),
    ErrorSample("Clamp", 1, ["f32[2]"], {"min": "nan", "max": 1.0}, part="min"),
    ErrorSample("Clamp", 1, ["boolean[2]"], {"min": 0.0, "max": 1.0}, part="data", says="boolean"),
]
