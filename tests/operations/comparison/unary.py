"""Samples of IsFinite-10, IsInf-10 and IsNaN-10."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

VALUES = np.array([[1.5, np.nan, np.inf], [-np.inf, 0.0, -np.nan]])
NAN = [[False, True, False], [False, False, True]]
POSITIVE = [[False, False, True], [False] * 3]
NEGATIVE = [[False] * 3, [True, False, False]]
INFINITE = [[False, False, True], [True, False, False]]
FINITE = [[True, False, False], [False, True, False]]
BOTH = {"detect_negative": True, "detect_positive": True}
EXPECTED = {"IsFinite": FINITE, "IsNaN": NAN, "IsInf": INFINITE}
F64 = "converts f64 to the largest f32"


def samples() -> list[Sample]:
    collected = []
    for type, expected in EXPECTED.items():
        collected += [
            Sample(type, 10, [param(VALUES, "f32")], expected=expected, shapes=[["?,3"], ["1..4,..7"]]),
            Sample(type, 10, [param(VALUES, "f16")], expected=expected),
            Sample(type, 10, [param(VALUES, "bf16")], expected=expected),
            Sample(type, 10, [param(VALUES)], expected=expected, openvino="" if type == "IsNaN" else F64),
            Sample(type, 10, [const(VALUES, "f32")], expected=expected),
            Sample(type, 10, [param(np.float32(np.nan))], expected=type == "IsNaN"),
            Sample(type, 10, [param(np.zeros((0, 3), np.float32))]),
        ]
    return collected


SAMPLES = [
    *samples(),
    Sample("IsInf", 10, [param(VALUES, "f32")], BOTH, expected=INFINITE),
    Sample("IsInf", 10, [param(VALUES, "f32")], {**BOTH, "detect_negative": False}, expected=POSITIVE),
    Sample("IsInf", 10, [param(VALUES, "f32")], {**BOTH, "detect_positive": False}, expected=NEGATIVE),
    Sample(
        "IsInf",
        10,
        [param(VALUES, "f32")],
        {"detect_negative": False, "detect_positive": False},
        expected=[[False] * 3] * 2,
    ),
]

ERRORS = [
    *[ErrorSample(type, 10, ["i32[2]"], part="data", says="i32") for type in EXPECTED],
    *[ErrorSample(type, 10, ["boolean[2]"], part="data", says="boolean") for type in EXPECTED],
]
