"""Samples of Inverse-14."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(9)


def regular(*shape: int) -> Any:
    return (RNG.standard_normal(shape) + 4 * np.eye(shape[-1])).astype(np.float32)


SAMPLES = [
    Sample(
        "Inverse",
        14,
        [param([[4.0, 7.0], [2.0, 6.0]])],
        expected=[[0.6, -0.7], [-0.2, 0.4]],
        shapes=[["?,2"], ["2..3,2"], ["..."]],
    ),
    Sample(
        "Inverse",
        14,
        [param(regular(3, 4, 4))],
        {"adjoint": True},
        oracle=lambda a: np.linalg.inv(a).swapaxes(-1, -2),
        rtol=1e-4,
    ),
    Sample("Inverse", 14, [param(regular(2, 1, 3, 3))], {"adjoint": False}, rtol=1e-4),
    Sample("Inverse", 14, [param(regular(3, 3), "f16")], rtol=1e-2, atol=1e-3),
    Sample("Inverse", 14, [param(regular(3, 3), "bf16")], rtol=1e-2, atol=1e-2),
    Sample("Inverse", 14, [param(regular(3, 3), "f64")], rtol=1e-4),
    Sample("Inverse", 14, [const([[0.0, 2.0], [1.0, 0.0]])], expected=[[0, 1], [0.5, 0]]),
]

ERRORS = [
    ErrorSample("Inverse", 14, ["f32[3,4]"], part="data", says="3 by 4"),
    ErrorSample("Inverse", 14, ["f32[3]"], part="data", says="two dimensions"),
    ErrorSample("Inverse", 14, ["i32[3,3]"], part="data", says="i32"),
    ErrorSample(
        "Inverse",
        14,
        [param([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 4.0]]])],
        code="IR701",
        says="data[1] is singular",
    ),
]
