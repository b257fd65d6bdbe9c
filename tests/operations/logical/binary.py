"""Samples of the logical operations of two operands."""

from __future__ import annotations

import operator

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

A, B = np.array([[True, True], [False, False]]), np.array([[True, False], [True, False]])
PDPD = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 0}
TABLE = {"LogicalAnd": operator.and_, "LogicalOr": operator.or_, "LogicalXor": operator.xor, "Xor": operator.xor}


def samples() -> list[Sample]:
    collected = []
    for type, function in TABLE.items():
        collected += [
            Sample(type, 1, [param(A), param(B)], oracle=function, shapes=[["?,2", "2,1..3"], ["...", "2"]]),
            Sample(type, 1, [param(A), const(B)], {"auto_broadcast": "numpy"}, oracle=function),
            Sample(type, 1, [param(A), param([True, False])], oracle=function),
            Sample(type, 1, [param(A), param(B)], {"auto_broadcast": "none"}, oracle=function),
            Sample(
                type,
                1,
                [param(A), param([True, False])],
                PDPD,
                oracle=lambda a, b, of=function: of(a, b[:, None]),
                openvino="broadcasts by NumPy's rule",
            ),
            Sample(type, 1, [param(np.zeros((0, 2), bool)), param([True, False])]),
            Sample(type, 1, [param(np.bool_(True)), param(np.bool_(False))], oracle=function),
        ]
    return collected


SAMPLES = samples()

ERRORS = [
    *[ErrorSample(type, 1, ["i32[2]", "i32[2]"], part="input 0", says="i32") for type in TABLE],
    *[ErrorSample(type, 1, ["boolean[2]", "f32[2]"], part="input 1", says="f32") for type in TABLE],
    ErrorSample("LogicalAnd", 1, ["boolean[2]", "boolean[3]"], part="input 1", says="cannot be broadcast"),
]
