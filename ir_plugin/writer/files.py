"""Files that appear whole or not at all: written beside the one they replace, and renamed when they are complete."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TypeAlias

from ir_plugin.errors import InputError

PathLike: TypeAlias = "str | os.PathLike[str]"

_DESCRIPTORS = ("/dev/fd/", "/proc/")
"""Folders whose entries stand for open files: `/dev/stdout` leads there, and a rename would not reach the open file."""
_MOST_LINKS = 40
_NAME_LETTERS = 40
"""Letters of a name that the temporary file's name begins with, so that it fits where the name itself does."""


def write_file(path: PathLike, content: bytes | str) -> None:
    """Write a file whole, text as UTF-8; an error leaves what was there."""
    with replacing(path) as (file,):
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def replacing(*paths: PathLike, durable: bool = False) -> Iterator[list[BinaryIO]]:
    """Yield a file for each path, which replaces what is at the path when the block ends without an error.

    Links are followed, and a replaced file keeps its permissions and, where possible, its owner. Pipes, devices and
    `/dev/stdout` are written directly. With `durable` the content is on the disk before an old file is replaced.
    """
    replacements = [_Replacement(os.fsdecode(path)) for path in paths]
    names = " and ".join(replacement.path for replacement in replacements)
    try:
        yield [replacement.open() for replacement in replacements]
        for replacement in replacements:
            replacement.close(durable)
        for replacement in replacements:
            replacement.commit()
    except OSError as fault:
        raise InputError(f"{names} cannot be written: {fault.strerror or fault}") from None
    finally:
        for replacement in replacements:
            replacement.discard()


class _Replacement:
    """A file that is written beside the one it replaces."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._target = ""
        self._temporary = ""
        self._file: BinaryIO | None = None

    def open(self) -> BinaryIO:
        """Return the file to write to."""
        try:
            target = _regular_target(self.path)
            if target is None:
                self._file = open(self.path, "wb")  # noqa: SIM115 (closed by `close` or `discard`)
                return self._file
            folder, name = os.path.split(target)
            self._target = target
            self._temporary = os.path.join(folder, f".{name[:_NAME_LETTERS]}.{secrets.token_hex(4)}")
            self._file = open(self._temporary, "xb")  # noqa: SIM115 (closed by `close` or `discard`)
            _take_permissions(self._temporary, target)
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise InputError(f"{self.path} cannot be written: {reason}") from None
        return self._file

    def close(self, durable: bool) -> None:
        """Write what is buffered; errors of a full disk are raised here at the latest."""
        if self._file is not None:
            self._file.flush()
            if durable:
                os.fsync(self._file.fileno())
            self._file.close()

    def commit(self) -> None:
        """Let the file take the name that it was written for."""
        if self._temporary:
            os.replace(self._temporary, self._target)
            self._temporary = ""

    def discard(self) -> None:
        """Remove the file unless it was committed."""
        with suppress(OSError):
            if self._file is not None:
                self._file.close()
        with suppress(OSError):
            if self._temporary:
                os.unlink(self._temporary)


def _regular_target(path: str) -> str | None:
    """Return the path behind links of a regular or new file; None for what has to be opened by its own name."""
    for _ in range(_MOST_LINKS):
        if os.path.abspath(path).startswith(_DESCRIPTORS):
            return None
        if not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return path
    return path if stat.S_ISREG(status.st_mode) else None


def _take_permissions(path: str, target: str) -> None:
    """Give a new file the permissions and, where possible, the owner of the one it replaces."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return
    if not os.access(target, os.W_OK):
        raise PermissionError(f"{target} may not be written to")
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode))
