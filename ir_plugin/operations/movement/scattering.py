"""Writing updates at positions, with a reduction: what the scatter operations share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir_plugin.tensors import Array

UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
_IDENTITIES = {"sum": 0, "prod": 1, "mean": 0}


def scatter(data: Array, places: Array, updates: Array, reduction: str = "none", keep: bool = True) -> None:
    """Apply `updates` in order to `data` at `places` along its first axis; of two equal places the later one wins.

    Where `keep` is false, the elements at `places` do not take part in the reduction.
    """
    if places.size == 0:
        return
    if reduction == "none":
        data[places] = updates
        return
    if not keep:
        data[places] = _IDENTITIES.get(reduction, updates)
    if reduction == "mean":
        _mean(data, places, updates, keep)
        return
    _ufunc(reduction, data.dtype).at(data, places, updates)


def _ufunc(reduction: str, dtype: np.dtype[Any]) -> np.ufunc:
    return np.logical_xor if reduction == "sub" and dtype == np.bool_ else UFUNCS[reduction]


def _mean(data: Array, places: Array, updates: Array, keep: bool) -> None:
    """Replace the elements at `places` by means; those of integers are rounded down, without overflow."""
    counts = np.bincount(places, minlength=len(data)) + int(keep)
    touched = np.unique(places)
    if data.dtype.kind not in "iu":
        np.add.at(data, places, updates)
        data[touched] /= counts[touched].astype(data.dtype)
        return
    divisors = counts.astype(data.dtype if data.dtype.itemsize == 8 else np.int64)
    parts = [(data, divisors)] if keep else []
    whole, rest = (_of_each(part, data, divisors, places, updates, parts) for part in (np.floor_divide, np.remainder))
    data[touched] = (whole + rest // np.maximum(divisors, 1))[touched].astype(data.dtype)


def _of_each(
    part: Callable[[Array, Array], Array],
    data: Array,
    divisors: Array,
    places: Array,
    updates: Array,
    own: list[tuple[Array, Array]],
) -> Array:
    """Return the sums, at each place, of the quotients or of the remainders of all that the mean is of."""
    sums = part(own[0][0].astype(divisors.dtype), np.maximum(divisors, 1)) if own else np.zeros_like(divisors)
    np.add.at(sums, places, part(updates.astype(divisors.dtype), divisors[places]))
    assert data.shape == sums.shape
    return sums
