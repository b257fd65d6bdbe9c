"""Samples of HardSigmoid-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

VALUES = [[-6.0, -1.5, -0.1], [0.3, 1.0, 9.0]]


EXPECTED = [[0, 0.125, 0.475], [0.575, 0.75, 1]]

SAMPLES = [
    Sample("HardSigmoid", 1, [param(VALUES, "f32"), const(0.25), const(0.5)], expected=EXPECTED, shapes=[["?,1..4"]]),
    Sample("HardSigmoid", 1, [const(VALUES, "f32"), const(0.25), const(0.5)], expected=EXPECTED),
    Sample("HardSigmoid", 1, [param(VALUES, "f16"), const(0.25, "f16"), const(0.5, "f16")], expected=EXPECTED),
    Sample("HardSigmoid", 1, [param(VALUES, "bf16"), const(0.25, "bf16"), const(0.5, "bf16")], expected=EXPECTED),
    Sample(
        "HardSigmoid",
        1,
        [param([np.nan, np.inf]), param(np.float32(-1)), param(np.float32(0))],
        expected=[np.nan, 0],
        openvino="gives 0 for NaN",
    ),
    Sample("HardSigmoid", 1, [param(np.zeros((0, 2), np.float32)), const(0.25), const(0.5)]),
]

ERRORS = [
    ErrorSample("HardSigmoid", 1, ["f32[2]", "f32[1]", "f32[]"], part="alpha", says="rank"),
    ErrorSample("HardSigmoid", 1, ["f32[2]", "f32[]", "f32[1]"], part="beta", says="rank"),
    ErrorSample("HardSigmoid", 1, ["f32[2]", "f16[]", "f32[]"], part="input 1", says="f16"),
    ErrorSample("HardSigmoid", 1, ["string[2]", "string[]", "string[]"], part="data", says="string"),
]
