"""Samples of ReduceMin-1."""

from __future__ import annotations

import numpy as np

from tests.support.reductions import Reduction
from tests.support.sample import const, param

REDUCTION = Reduction("ReduceMin", 1, np.min)

SAMPLES = [
    *REDUCTION.numbers(seed=24),
    REDUCTION.sample(
        [param(np.zeros((2, 0), np.float32)), const([1])],
        expected=[np.inf, np.inf],
        openvino="OpenVINO's CPU gives the largest finite number",
    ),
    REDUCTION.sample([param([1.0, np.nan, 2.0]), const([0])], expected=np.nan, openvino="OpenVINO's CPU ignores NaN"),
]

ERRORS = REDUCTION.errors("f32", wrong="boolean")
