"""Samples of ReduceLogicalOr-1."""

from __future__ import annotations

import numpy as np

from tests.support.reductions import Reduction
from tests.support.sample import const, param

REDUCTION = Reduction("ReduceLogicalOr", 1, np.any)

SAMPLES = [
    *REDUCTION.forms(np.random.default_rng(31).random((2, 3, 4, 5)) < 0.2),
    REDUCTION.sample([param(np.zeros((2, 0), bool)), const([1])]),
]

ERRORS = REDUCTION.errors("boolean", wrong="f32")
