"""Arrays in .npy files, which are read batch by batch."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ir_plugin.errors import InputError


def open_npy(path: str | os.PathLike[str]) -> Any:
    """Return the array of an .npy, read when it is sliced; raises `InputError` where there is none."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path} cannot be read as .npy: it is not a regular file")
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as fault:
        raise InputError(f"{path} cannot be read as .npy: {getattr(fault, 'strerror', None) or fault}") from None
