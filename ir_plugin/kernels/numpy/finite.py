"""Forms that are exact for finite data only, as they multiply by weights of 0 that the evaluation leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ir_plugin.tensors import Array

Run = TypeVar("Run", bound=Callable[..., None])


def are_finite(array: Array) -> bool:
    """Return whether no element is NaN or infinite, for finite ones of usual size at the cost of one BLAS product."""
    elements = array.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        square = np.dot(elements, elements)
    return math.isfinite(square) or bool(np.isfinite(elements).all())


def by_finiteness(finite: Run, other: Callable[..., None]) -> Callable[..., None]:
    """Return what calls `finite` where the data, the first argument, is finite, and else `other`.

    A product of 0 and NaN or infinity is NaN, where the evaluation has no product at all.
    """

    def run(data: Array, *arguments: Any) -> None:
        (finite if are_finite(data) else other)(data, *arguments)

    return run
