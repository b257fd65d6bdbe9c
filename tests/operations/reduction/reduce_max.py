"""Samples of ReduceMax-1."""

from __future__ import annotations

import numpy as np

from tests.support.reductions import Reduction
from tests.support.sample import Sample, const, param

REDUCTION = Reduction("ReduceMax", 1, np.max)

SAMPLES = [
    *REDUCTION.numbers(seed=23),
    REDUCTION.sample([param(np.zeros((2, 0), np.float32)), const([1])]),
    REDUCTION.sample([param([[-np.inf, -np.inf], [-np.inf, 1.0]]), const([1])]),
    REDUCTION.sample([param([[-np.inf, -np.inf], [-np.inf, 1.0]], "f16"), const([1])]),
    Sample(
        "ReduceMax",
        1,
        [param([[-np.inf, -np.inf], [-np.inf, 1.0]]), const([1])],
        {"keep_dims": False, "lowest": "infinite"},
        expected=[-np.inf, 1.0],
        openvino="OpenVINO ignores lowest",
    ),
    REDUCTION.sample([param([1.0, np.nan, 2.0]), const([0])], expected=np.nan, openvino="OpenVINO's CPU ignores NaN"),
]

ERRORS = REDUCTION.errors("f32", wrong="boolean")
