"""Samples of Identity-16."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

SAMPLES = [
    Sample(
        "Identity",
        16,
        [param(np.arange(9, dtype=np.float32).reshape(3, 3))],
        oracle=lambda data: data,
        shapes=[["?,1..4"]],
    ),
    Sample("Identity", 16, [const([1, 2, 3], "i32")], expected=[1, 2, 3]),
    Sample("Identity", 16, [param([2**62 + 1, -1])], expected=[2**62 + 1, -1], openvino="cuts 64 bits to 32"),
    Sample("Identity", 16, [param([True, False])], expected=[True, False]),
    Sample("Identity", 16, [param([1.5, 2.0], "f16")], expected=[1.5, 2]),
    Sample("Identity", 16, [param(np.zeros((0, 2), np.float32))]),
    Sample("Identity", 16, [param(np.float32(5))], expected=5.0),
]

ERRORS = [ErrorSample("Identity", 16, ["f32[2]", "f32[2]"], code="IR108", says="2 input ports")]
