"""Samples of ReduceSum-1."""

from __future__ import annotations

import numpy as np

from tests.support.reductions import Reduction
from tests.support.sample import const, param

REDUCTION = Reduction("ReduceSum", 1, np.sum)

SAMPLES = [*REDUCTION.numbers(seed=20), REDUCTION.sample([param(np.zeros((2, 0), np.float32)), const([1])])]

ERRORS = REDUCTION.errors("f32", wrong="boolean")
