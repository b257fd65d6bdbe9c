"""Samples of the comparisons of two operands."""

from __future__ import annotations

import operator

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

A, B = [[1.0, 2.0, 3.0], [-1.0, 0.0, 2.5]], [1.0, 3.0, 2.5]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, np.nan]
OTHER = [np.nan, np.inf, np.inf, -0.0, 1.0]
PDPD = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 0}
TABLE = {
    "Equal": operator.eq,
    "NotEqual": operator.ne,
    "Less": operator.lt,
    "LessEqual": operator.le,
    "Greater": operator.gt,
    "GreaterEqual": operator.ge,
}


def samples() -> list[Sample]:
    collected = []
    for type, function in TABLE.items():
        collected += [
            Sample(type, 1, [param(A), param(B)], oracle=function, shapes=[["?,3", "1..3"], ["...", "3"]]),
            Sample(type, 1, [param(A, "f16"), const(B, "f16")], {"auto_broadcast": "numpy"}, oracle=function),
            Sample(type, 1, [param(A, "bf16"), const(2.0, "bf16")], oracle=function),
            Sample(
                type,
                1,
                [param([5, -3, 0], "i32"), param([5, 0, 0], "i32")],
                {"auto_broadcast": "none"},
                oracle=function,
            ),
            Sample(type, 1, [param([2**53 + 1, 2**62]), param([2**53, 2**62 + 1])], oracle=function),
            Sample(type, 1, [param([5, 250, 0], "u8"), param([5, 0, 7], "u8")], oracle=function),
            Sample(type, 1, [param([True, True, False]), param([True, False, True])], oracle=function),
            Sample(
                type,
                1,
                [param(SPECIAL, "f32"), param(OTHER, "f32")],
                oracle=function,
                openvino="takes NaN for the greatest number" if type.startswith("Greater") else "",
            ),
            Sample(
                type,
                1,
                [param([[1, 2], [3, 4]], "i32"), param([2, 3], "i32")],
                PDPD,
                oracle=lambda a, b, of=function: of(a, b[:, None]),
                openvino="broadcasts by NumPy's rule",
            ),
            Sample(type, 1, [param(np.zeros((0, 2), np.float32)), param([1.0, 2.0])]),
            Sample(type, 1, [param(np.float64(2)), param(np.float64(2))], oracle=function),
            Sample(
                type,
                1,
                [param(["a", "b", "é"], "string"), param(["a", "c", "e"], "string")],
                oracle=lambda a, b, of=function: np.array([of(x, y) for x, y in zip(a, b, strict=True)]),
                openvino="does not compare strings",
            ),
        ]
    return collected


SAMPLES = samples()

ERRORS = [
    *[ErrorSample(type, 1, ["f32[2]", "i32[2]"], part="input 1", says="i32") for type in TABLE],
    *[ErrorSample(type, 1, ["f32[2,3]", "f32[2]"], part="input 1", says="cannot be broadcast") for type in TABLE],
]
