"""Real numbers cut to whole ones as x86 processors cut them, without undefined behaviour."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array, ElementType

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def truncated(array: Array, target: ElementType) -> Array:
    """Return the numbers truncated to integers of 32 bits for i32 and types of up to 16 bits, of 64 bits for others.

    Numbers out of range and NaN become the lowest such integer. The result is not yet of the target's type.
    """
    narrow = target.bits <= 16 or target is ElementType.i32
    info = _INT32 if narrow else _INT64
    if target is ElementType.u64:
        above = (array >= 2.0**63) & (array < 2.0**64)
        high = np.where(above, array, 0).astype(np.uint64)
        return np.where(above, high, _cut(array, info).astype(np.uint64))
    return _cut(array, info)


def _cut(real: Array, info: np.iinfo[Any]) -> Array:
    fits = (real > info.min - 1.0) & (real < -float(info.min))
    if fits.all():
        return real.astype(info.dtype)
    return np.where(fits, np.where(fits, real, 0).astype(info.dtype), info.min)
