"""The byte order of files, which is little-endian on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ir_plugin.tensors.element_type import Array


def from_little_endian(raw: npt.NDArray[np.uint8], dtype: np.dtype[Any]) -> Array:
    """Return the elements of a dtype in the bytes of a file: a view on a little-endian machine, else a copy."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    elements: Array = raw.view(unsigned.newbyteorder("<")).astype(unsigned, copy=False).view(dtype)
    return elements


def to_little_endian(elements: Array) -> npt.NDArray[np.uint8]:
    """Return the bytes that a file has of the elements, in C order: a view where they are in memory like that."""
    order = elements.dtype.byteorder if elements.dtype.byteorder in "<>" else "="
    unsigned = np.dtype(f"{order}u{elements.dtype.itemsize}")
    bits = np.ascontiguousarray(elements).reshape(-1).view(unsigned)
    raw: npt.NDArray[np.uint8] = bits.astype(unsigned.newbyteorder("<"), copy=False).view(np.uint8)
    return raw
