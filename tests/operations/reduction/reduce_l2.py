"""Samples of ReduceL2-4."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.reductions import Reduction
from tests.support.sample import const, param


def norm(data: Array, axes: tuple[int, ...]) -> Any:
    """Return the root of the sum of squares, truncated for integers."""
    norms = np.sqrt(np.square(data).sum(axes))
    return norms.astype(data.dtype) if data.dtype.kind in "iu" else norms


REDUCTION = Reduction("ReduceL2", 4, norm, none=np.abs)

SAMPLES = [*REDUCTION.numbers(seed=26), REDUCTION.sample([param(np.zeros((2, 0), np.float32)), const([1])])]

ERRORS = REDUCTION.errors("f32", wrong="boolean")
