"""Opens regular files, and refuses pipes and devices, which would make the reader wait for ever."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Return a regular file opened for reading; raises `OSError` for any other without waiting for it."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except ValueError as fault:
        raise OSError(errno.EINVAL, str(fault)) from None
    require_regular(descriptor)
    return os.fdopen(descriptor, "rb")


def require_regular(descriptor: int) -> None:
    """Close what is open and raise `OSError`, if it is not a regular file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
