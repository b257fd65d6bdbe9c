"""Index values: range checks and wrapping of negative ones, exact for all 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.tensors import Array


def outside(indices: Array, lower: int, upper: int) -> Array | None:
    """Return the mask of the indices outside [lower, upper], or None where there are none."""
    if indices.size == 0 or (int(indices.max()) <= upper and int(indices.min()) >= lower):
        return None
    mask: Array = (indices > upper) | (indices < lower)
    return mask


def require_inside(indices: Array, lower: int, upper: int, name: str = "indices", of: str = "") -> None:
    """Raise if an index is outside [lower, upper], with position and value of the first such index."""
    mask = outside(indices, lower, upper)
    if mask is None:
        return
    position = tuple(int(axis[0]) for axis in np.nonzero(mask)) if indices.ndim else ()
    where = f"[{', '.join(map(str, position))}]" if position else ""
    allowed = f"[{lower}, {upper}]" if lower <= upper else "none, as the axis has length 0"
    raise EvaluationError(
        f"{name}{where} is {int(indices[position])}, outside the allowed range{of}: {allowed}"
        + (f" ({int(mask.sum())} such values in all)" if int(mask.sum()) > 1 else "")
    )


def wrapped(indices: Array, length: int) -> Array:
    """Return the indices as int64, with those in [-length, -1] counted from the end."""
    positive = indices.astype(np.int64, copy=False)
    if indices.dtype.kind == "i" and indices.size and int(indices.min()) < 0:
        positive = np.where(positive < 0, positive + length, positive)
    return positive


def zeros(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """Return an array of zeros, or of empty strings."""
    return np.full(shape, "", object) if dtype == np.object_ else np.zeros(shape, dtype)


def boxed(value: Any, dtype: np.dtype[np.generic]) -> Array:
    """Return a value as an array; NumPy gives a bare object for one element of an array of objects."""
    if isinstance(value, np.ndarray):
        return value
    array = np.empty((), dtype)
    array[()] = value
    return array
