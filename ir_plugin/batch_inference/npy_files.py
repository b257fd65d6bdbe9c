"""Arrays in .npy files, which are read and written batch by batch."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

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


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of the one at a path when the block ends without an error."""
    target = path.resolve()
    partial = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}")
    try:
        with open(partial, "xb") as file:
            yield file
        os.replace(partial, target)
    except OSError as fault:
        raise InputError(f"{path} cannot be written: {fault.strerror or fault}") from None
    finally:
        partial.unlink(missing_ok=True)
