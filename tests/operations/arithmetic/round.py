"""Samples of Round-5."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

PAGE = [-4.5, -1.9, -1.5, 0.5, 0.9, 1.5, 2.3, 2.5]
EVEN = {"mode": "half_to_even"}
AWAY = {"mode": "half_away_from_zero"}
NEAR = [0.49999997, -0.49999997, 8388609.0, -8388609.0, 4503599627370497.0]

SAMPLES = [
    Sample("Round", 5, [param(PAGE, "f32")], EVEN, expected=[-4, -2, -2, 0, 1, 2, 2, 2], shapes=[["?"], ["2..9"]]),
    Sample("Round", 5, [param(PAGE, "f32")], AWAY, expected=[-5, -2, -2, 1, 1, 2, 2, 3]),
    Sample("Round", 5, [const(PAGE, "f32")], expected=[-4, -2, -2, 0, 1, 2, 2, 2]),
    Sample("Round", 5, [param(PAGE, "f16")], AWAY, expected=[-5, -2, -2, 1, 1, 2, 2, 3]),
    Sample("Round", 5, [param(PAGE, "bf16")], EVEN, expected=[-4, -2, -2, 0, 1, 2, 2, 2]),
    Sample("Round", 5, [param(NEAR[:4], "f32")], AWAY, expected=[0, 0, *NEAR[2:4]], openvino="adds 0.5 and cuts"),
    Sample("Round", 5, [param(NEAR, "f64")], AWAY, expected=[0, 0, *NEAR[2:]], openvino="computes f64 in f32"),
    Sample("Round", 5, [param([np.nan, np.inf, -np.inf], "f32")], AWAY, expected=[np.nan, np.inf, -np.inf]),
    Sample("Round", 5, [param([2**62 + 1, -3])], EVEN, expected=[2**62 + 1, -3], openvino="cuts 64 bits to 32"),
    Sample("Round", 5, [param(2.5)], EVEN, expected=2.0),
    Sample("Round", 5, [param(np.zeros((0, 2), np.float32))], AWAY),
]

ERRORS = [ErrorSample("Round", 5, ["string[2]"], EVEN, part="data", says="string")]
