"""Samples of ReduceL1-4."""

from __future__ import annotations

import numpy as np

from tests.support.reductions import Reduction
from tests.support.sample import const, param

REDUCTION = Reduction("ReduceL1", 4, lambda data, axes: np.abs(data).sum(axes), none=np.abs)

SAMPLES = [*REDUCTION.numbers(seed=25), REDUCTION.sample([param(np.zeros((2, 0), np.float32)), const([1])])]

ERRORS = REDUCTION.errors("f32", wrong="boolean")
