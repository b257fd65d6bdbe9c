"""Samples of GRN-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

RNG = np.random.default_rng(53)
DATA = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)


def naive(data: Any) -> Any:
    return data / np.sqrt(sum(np.square(data[:, c : c + 1].astype(np.float64)) for c in range(data.shape[1])) + 0.25)


SAMPLES = [
    Sample("GRN", 1, [param(DATA)], {"bias": 0.25}, oracle=naive, shapes=[["?,1..3,4,5"], ["..."], ["?,?,?"]]),
    Sample("GRN", 1, [param(DATA[0])], {"bias": 0.25}, oracle=naive),
    Sample("GRN", 1, [param(DATA[0, 0])], {"bias": 0.25}, oracle=naive),
    Sample("GRN", 1, [param(DATA, "f16")], {"bias": 1e-3}, atol=1e-2),
    Sample("GRN", 1, [param(DATA, "bf16")], {"bias": 1e-3}, atol=2e-2),
]

ERRORS = [
    ErrorSample("GRN", 1, ["f32[3]"], {"bias": 1e-3}, part="data", says="rank 1"),
    ErrorSample("GRN", 1, ["f32[1,2,3,4,5]"], {"bias": 1e-3}, part="data", says="rank 5"),
    ErrorSample("GRN", 1, ["string[1,2,3]"], {"bias": 1e-3}, part="data", says="string"),
]
