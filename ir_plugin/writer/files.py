"""Atomic writes: a file is written beside the one that it replaces, and renamed when it is complete."""

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
"""Folders of open files, such as the target of `/dev/stdout`, which a rename would not reach."""
_MAX_LINKS = 40
_NAME_LETTERS = 40
"""The most letters of the target's name in the temporary name, which keeps it within the limit."""


def write_file(path: PathLike, content: bytes | str) -> None:
    """Write a file atomically, text as UTF-8; an error leaves the old file."""
    with replacing(path) as (file,):
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def replacing(*paths: PathLike, durable: bool = False) -> Iterator[list[BinaryIO]]:
    """Yield a file for each path, which replaces the old one when the block ends without an error.

    Links are followed, and a replaced file keeps its permissions and, if possible, its owner. Pipes, devices and
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
    """A file written beside the one that it replaces."""

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
        """Flush and close the file, so that a full disk raises here at the latest."""
        if self._file is not None:
            self._file.flush()
            if durable:
                os.fsync(self._file.fileno())
            self._file.close()

    def commit(self) -> None:
        """Rename the file to its target."""
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
    """Return the path of a regular or new file with links resolved; None if it must be opened directly."""
    for _ in range(_MAX_LINKS):
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
    """Copy the permissions and, if possible, the owner of the replaced file to the new one."""
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
