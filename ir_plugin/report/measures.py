"""The distance between two tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import to_type


@dataclass(frozen=True)
class Tolerance:
    """An element agrees where `|mine - theirs| <= atol + rtol * |theirs|`.

    Without `atol` it is 1e-4 of the tensor's largest value, as rounding errors grow with it, and whole numbers must be
    equal. Types of lower precision than f32 have a larger `rtol`.
    """

    rtol: float = 1e-3
    atol: float | None = None

    def limits(self, theirs: Array, type: ElementType) -> Array:
        """Return the permitted error of each element."""
        finite = np.where(np.isfinite(theirs), np.abs(theirs), 0.0)
        if not type.is_floating:
            return np.full(theirs.shape, self.atol or 0.0)
        epsilon = _epsilon(type)
        largest = float(finite.max()) if finite.size else 0.0
        atol = max(1e-4, epsilon) * largest if self.atol is None else self.atol
        return cast(Array, atol + max(self.rtol, min(4 * epsilon, 0.5)) * finite)


DEFAULT_TOLERANCE = Tolerance()


@dataclass(frozen=True)
class Measures:
    """The largest errors, the cosine of the angle between the tensors, and the element that is farthest off."""

    max_abs: float
    max_rel: float
    """The largest `|mine - theirs| / |theirs|`, with 1e-6 of the largest value as the least denominator."""
    cosine: float
    worst: tuple[int, ...]
    mine: Any
    theirs: Any
    over: int
    """The number of elements over the tolerance."""


def measure(mine: Array, theirs: Array, tolerance: Tolerance = DEFAULT_TOLERANCE) -> Measures:
    """Return the distance of two arrays of equal shape; NaNs and equal infinities agree."""
    if mine.dtype.kind in "OUS" or theirs.dtype.kind in "OUS":
        return _texts(mine, theirs)
    type = ElementType.from_dtype(mine.dtype)
    if mine.size == 0:
        return Measures(0.0, 0.0, 1.0, (), None, None, 0)
    with np.errstate(all="ignore"):
        a, b = mine.astype(np.float64), theirs.astype(np.float64)
        same = (mine == theirs) | (np.isnan(a) & np.isnan(b))
        error = np.abs(a - b)
        error = np.where(np.isnan(error), np.inf, error)
        if not type.is_floating:
            error = np.maximum(error, 1.0)
        error = np.where(same, 0.0, error)
        over = int((error > tolerance.limits(b, type)).sum())
        worst = tuple(int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
        return Measures(
            float(error[worst]),
            _relative(error, b),
            _cosine(a.reshape(-1), b.reshape(-1)),
            worst,
            mine[worst].item(),
            theirs[worst].item(),
            over,
        )


def _relative(error: Array, theirs: Array) -> float:
    finite = np.where(np.isfinite(theirs), np.abs(theirs), 0.0)
    least = max(float(finite.max()) * 1e-6, 1e-30)
    return float((error / np.maximum(finite, least)).max())


def _cosine(a: Array, b: Array) -> float:
    largest = max(float(np.abs(a).max()), float(np.abs(b).max()))
    if largest == 0:
        return 1.0
    a, b = a / largest, b / largest
    norms = float(np.sqrt(np.dot(a, a)) * np.sqrt(np.dot(b, b)))
    return float(np.clip(np.dot(a, b) / norms, -1, 1)) if norms else 0.0


def _texts(mine: Array, theirs: Array) -> Measures:
    differs = np.asarray(mine.astype(str) != theirs.astype(str))
    worst = tuple(int(i) for i in np.unravel_index(int(differs.argmax()), differs.shape)) if differs.size else ()
    here, there = (str(mine[worst]), str(theirs[worst])) if differs.size else (None, None)
    error = float(differs.any())
    return Measures(error, error, 1 - error, worst, here, there, int(differs.sum()))


def _epsilon(type: ElementType) -> float:
    """Return the distance from 1 to the next number of a type."""
    if issubclass(type.memory_dtype.type, np.floating):
        return float(np.finfo(type.dtype).eps)
    with np.errstate(all="ignore"):
        unit = np.float64(1)
        steps = np.float64(2.0) ** -np.arange(1, 12)
        rounded = to_type(unit + steps, type).astype(np.float64)
    return float(steps[rounded > unit].min(initial=0.5))
