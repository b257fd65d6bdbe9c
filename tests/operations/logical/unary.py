"""Samples of LogicalNot-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

SAMPLES = [
    Sample(
        "LogicalNot",
        1,
        [param([[True, False], [False, False]])],
        expected=[[False, True], [True, True]],
        shapes=[["?,1..3"]],
    ),
    Sample("LogicalNot", 1, [const([True, False])], expected=[False, True]),
    Sample("LogicalNot", 1, [param(np.bool_(True))], expected=False),
    Sample("LogicalNot", 1, [param(np.zeros((0, 2), bool))]),
]

ERRORS = [ErrorSample("LogicalNot", 1, ["string[2]"], part="data", says="string")]
