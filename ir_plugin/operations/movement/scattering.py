"""Writing updates at positions with a reduction, shared by the scatter operations."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array

_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
_STARTS = {"sum": 0, "prod": 1, "mean": 0}


def scatter(data: Array, positions: Array, updates: Array, reduction: str = "none", keep: bool = True) -> None:
    """Apply `updates` in order to `data` at `positions` along its first axis; the last of equal positions wins.

    Where `keep` is false, the reduction ignores the elements of `data` at `positions`.
    """
    if reduction == "none":
        data[positions] = updates
        return
    if not keep:
        data[positions] = _STARTS.get(reduction, updates)
    if reduction == "mean":
        _mean(data, positions, updates, keep)
        return
    ufunc = np.logical_xor if reduction == "sub" and data.dtype == np.bool_ else _UFUNCS[reduction]
    ufunc.at(data, positions, updates)


def _mean(data: Array, positions: Array, updates: Array, keep: bool) -> None:
    """Replace the elements of a 1-D array at `positions` by means; means of integers are exact and rounded down."""
    counts = np.maximum(np.bincount(positions, minlength=data.size) + int(keep), 1)
    if data.dtype.kind not in "iu":
        np.add.at(data, positions, updates)
        data /= counts.astype(data.dtype)
        return
    wide = np.uint64 if data.dtype == np.uint64 else np.int64
    counts = counts.astype(wide)
    quotients, remainders = np.divmod(data.astype(wide), counts)
    update_quotients, update_remainders = np.divmod(updates.astype(wide), counts[positions])
    np.add.at(quotients, positions, update_quotients)
    np.add.at(remainders, positions, update_remainders)
    data[:] = (quotients + remainders // counts).astype(data.dtype)
