"""Samples of ReduceMean-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.reductions import Reduction
from tests.support.sample import const, param


def mean(data: Array, axes: tuple[int, ...]) -> Any:
    """Return the mean, truncated for integers."""
    means = np.mean(data, axes)
    return np.trunc(means).astype(data.dtype) if data.dtype.kind in "iu" else means


REDUCTION = Reduction("ReduceMean", 1, mean)

SAMPLES = [*REDUCTION.numbers(seed=21), REDUCTION.sample([param(np.zeros((2, 0), np.float32)), const([1])])]

ERRORS = REDUCTION.errors("f32", wrong="boolean")
