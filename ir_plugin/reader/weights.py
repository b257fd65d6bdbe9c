"""The weights file: memory-mapped and read one constant at a time."""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from ir_plugin.errors import ReadError
from ir_plugin.reader.document import refused
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.files import open_regular
from ir_plugin.tensors.mapped import map_file
from ir_plugin.tensors.packing import unpack

WeightsSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | Array | Any | None"


class Weights:
    """The bytes that constants refer to by offset; `path` is empty if they are not from a file.

    `guard` raises if the mapped file has changed. It is called before every read, so that a change is an error instead
    of a mixture of old and new numbers, or of SIGBUS for a read past the end of the file.
    """

    def __init__(
        self,
        data: bytes | mmap.mmap | memoryview | Array | None,
        path: str = "",
        guard: Callable[[], None] | None = None,
    ) -> None:
        self.path = path
        self.is_missing = data is None
        self._guard = guard
        self._bytes = np.frombuffer(data, np.uint8) if data is not None and len(data) else np.empty(0, np.uint8)

    def __len__(self) -> int:
        return int(self._bytes.size)

    def require_unchanged(self) -> None:
        """Raise if the mapped file has changed since it was opened."""
        if self._guard is not None:
            self._guard()

    def is_zero(self, begin: int, end: int) -> bool:
        """Return whether a range holds only zeros."""
        self.require_unchanged()
        return not self._bytes[begin:end].any()

    def packed(self, offset: int, size: int) -> Array:
        """Return a range of bytes, as a view."""
        self.require_unchanged()
        return self._bytes[offset : offset + size]

    def load(self, offset: int, size: int, element_type: ElementType, shape: tuple[int, ...]) -> Array:
        """Return the constant at `offset`, as a read-only view of the file if its type allows."""
        self.require_unchanged()
        count = int(np.prod(shape, dtype=object)) if shape else 1
        array = unpack(self._bytes[offset : offset + size], element_type, count).reshape(shape)
        if array.flags.writeable:
            array.flags.writeable = False
        return array


def open_weights(source: WeightsSource, xml: str) -> Weights:
    """Return the weights of a source, or those beside the XML; paths are mapped, bytes and arrays are not copied."""
    if source is None:
        beside = Path(xml).with_suffix(".bin") if xml and not xml.startswith("<") and Path(xml).name else None
        return _map(beside) if beside is not None and _exists(beside) else Weights(None, str(beside or ""))
    if isinstance(source, (str, os.PathLike)):
        return _map(Path(os.fspath(source))) if str(source) else Weights(None)
    if isinstance(source, (bytes, bytearray, memoryview, mmap.mmap)):
        return Weights(memoryview(source).cast("B"), guard=_guard_of(source))
    if callable(getattr(source, "read", None)):
        return _from_file(source)
    try:
        array = np.asarray(getattr(source, "data", source))
        return Weights(np.ascontiguousarray(array).reshape(-1).view(np.uint8), guard=_guard_of(array))
    except (ValueError, TypeError) as fault:
        raise refused("IR001", f"the weights are neither a path nor bytes: {fault}", "<weights>") from None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _from_file(source: Any) -> Weights:
    """Return the mapped weights of a file object at its beginning, or the bytes read from any other."""
    name = str(getattr(source, "name", ""))
    with suppress(OSError, ValueError, AttributeError):
        if source.tell() == 0:
            return _mapped(source, name)
    data = source.read()
    if not isinstance(data, bytes):
        raise refused("IR001", "the file object of the weights gives text; open it in binary mode", name or "<file>")
    return Weights(data, name)


def _map(path: Path) -> Weights:
    try:
        with open_regular(path) as file:
            return _mapped(file, str(path))
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        help = "put the .bin of the model itself there"
        raise refused("IR001", f"the weights file cannot be read: {reason}", str(path), help=help) from None


def _mapped(file: BinaryIO, path: str) -> Weights:
    handle = _Handle(file, path)
    data = map_file(file.fileno(), handle.size) if handle.size else b""
    return Weights(data, path, handle.require_unchanged)


class _Handle:
    """A descriptor of a mapped file, with its size and modification time when it was opened.

    It stays with the mapped file if another file takes its name, as the content of the old one is still whole.
    """

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._path = path
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)
        status = os.fstat(self._descriptor)
        self.size, self._modified = status.st_size, status.st_mtime_ns

    def require_unchanged(self) -> None:
        """Raise if another program has written to the file or truncated it."""
        status = os.fstat(self._descriptor)
        if status.st_size != self.size:
            change = "was cut" if status.st_size < self.size else "has grown"
            raise _changed(self._path, f"{change} from {self.size} to {status.st_size} bytes")
        if status.st_mtime_ns != self._modified:
            time = datetime.fromtimestamp(status.st_mtime_ns / 1e9).isoformat(" ", "milliseconds")
            raise _changed(self._path, f"was written to at {time}")


def _guard_of(source: object) -> Callable[[], None] | None:
    """Return the guard for a memory map of the caller, or for an array or a memoryview in one, or None.

    The guard checks only the size.
    """
    while source is not None and not isinstance(source, mmap.mmap):
        source = source.obj if isinstance(source, memoryview) else getattr(source, "base", None)
    return None if source is None else partial(_require_map, source)


def _require_map(source: mmap.mmap) -> None:
    try:
        size = source.size()
    except (OSError, ValueError):
        return
    if size < len(source):
        raise _changed("the file of the memory map", f"was cut from {len(source)} to {size} bytes")


def _changed(path: str, change: str) -> ReadError:
    return refused("IR001", f"{path} {change} while it was in use", path, help="read the model again")
