"""Rows of cached keys and values as u8: each row begins with its scale and offset, two f32, before a code a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors.element_type import Array

HEADER = 8
"""The bytes of a row before its codes."""
LEVELS = 255

_CODE, _NUMBER = np.dtype(np.uint8), np.dtype(np.float32)


def is_packed(array: Array, dtype: np.dtype[Any] = _NUMBER) -> bool:
    """Return whether an array that stands for a dtype holds packed rows."""
    return array.dtype == _CODE and dtype == _NUMBER


def pack_rows(values: Array) -> Array:
    """Return f32 [..., E] as packed rows [..., HEADER + E]: the smallest number of a row is 0, the greatest 255.

    The numbers of a row with NaN or infinity all become NaN.
    """
    low, high = values.min(-1, keepdims=True), values.max(-1, keepdims=True)
    with np.errstate(invalid="ignore", over="ignore"):
        scale = (high - low) / np.float32(LEVELS)
        is_finite = np.isfinite(scale)
        divisor = np.where(is_finite & (scale > 0), scale, np.float32(1))
        codes = np.where(is_finite, np.rint((values - low) / divisor), np.float32(0))
    rows = np.empty((*values.shape[:-1], HEADER + values.shape[-1]), np.uint8)
    header = np.concatenate([np.where(is_finite, scale, np.float32("nan")), low], -1).astype(np.float32, copy=False)
    rows[..., :HEADER] = header.view(np.uint8)
    rows[..., HEADER:] = np.minimum(codes, LEVELS).astype(np.uint8)
    return rows


def unpack_rows(rows: Array) -> Array:
    """Return packed rows as f32."""
    header = np.ascontiguousarray(rows[..., :HEADER]).view(np.float32)
    values = rows[..., HEADER:].astype(np.float32)
    values *= header[..., :1]
    values += header[..., 1:]
    return values


def as_floats(array: Array, dtype: np.dtype[Any] = _NUMBER) -> Array:
    """Unpack packed rows into floats; any other array is returned unchanged."""
    return unpack_rows(array) if is_packed(array, dtype) else array


def shape_of_values(rows: Array) -> tuple[int, ...]:
    """Return the shape of the f32 for which packed rows stand."""
    return (*rows.shape[:-1], rows.shape[-1] - HEADER)
