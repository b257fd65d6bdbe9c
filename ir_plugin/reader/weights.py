"""The weights file: memory-mapped, and read a constant at a time."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.reader.document import open_regular, refused
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import unpack

WeightsSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | Array | Any | None"


class Weights:
    """The bytes that constants refer to by offset; `path` is empty where they did not come from a file.

    The length of a mapped file is looked at before each constant is read: where another program has cut it short, that
    is an error instead of the signal that reading behind the end of a mapped file would be.
    """

    def __init__(self, data: bytes | mmap.mmap | memoryview | Array | None, path: str = "") -> None:
        self.path = path
        self.is_missing = data is None
        self._map = data if isinstance(data, mmap.mmap) else None
        self._bytes = np.frombuffer(data, np.uint8) if data is not None and len(data) else np.empty(0, np.uint8)

    def __len__(self) -> int:
        return int(self._bytes.size)

    def require_whole(self) -> None:
        """Raise where the mapped file has become shorter since it was opened."""
        length = len(self) if self._map is None else self._map.size()
        if length < len(self):
            raise Error(f"{self.path} was cut from {len(self)} to {length} bytes while it was in use; read it again")

    def is_zero(self, begin: int, end: int) -> bool:
        """Return whether a range holds nothing but zeros."""
        self.require_whole()
        return not self._bytes[begin:end].any()

    def load(self, offset: int, size: int, element_type: ElementType, shape: tuple[int, ...]) -> Array:
        """Return the constant at `offset`, as a read-only view of the file wherever its type allows."""
        self.require_whole()
        count = int(np.prod(shape, dtype=object)) if shape else 1
        array = unpack(self._bytes[offset : offset + size], element_type, count).reshape(shape)
        if array.flags.writeable:
            array.flags.writeable = False
        return array


def open_weights(source: WeightsSource, xml: str) -> Weights:
    """Return the weights given, or those beside the XML: a path is mapped, bytes and arrays are used as they are."""
    if source is None:
        beside = Path(xml).with_suffix(".bin") if xml and not xml.startswith("<") and Path(xml).name else None
        return _map(beside) if beside is not None and _exists(beside) else Weights(None, str(beside or ""))
    if isinstance(source, (str, os.PathLike)):
        return _map(Path(os.fspath(source))) if str(source) else Weights(None)
    if isinstance(source, (bytes, bytearray, memoryview, mmap.mmap)):
        return Weights(memoryview(source).cast("B"))
    if callable(getattr(source, "read", None)):
        return _from_file(source)
    try:
        array = np.asarray(getattr(source, "data", source))
        return Weights(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    except (ValueError, TypeError) as fault:
        raise refused("IR001", f"the weights are neither a path nor bytes: {fault}", "<weights>") from None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _from_file(source: Any) -> Weights:
    """Map the file of a file object that stands at its beginning; read any other."""
    name = str(getattr(source, "name", ""))
    try:
        if source.tell() == 0:
            return _mapped(source, name)
    except (OSError, ValueError, AttributeError):
        pass
    data = source.read()
    if not isinstance(data, bytes):
        raise refused("IR001", "the file object of the weights gives text; open it in binary mode", name or "<file>")
    return Weights(data, name)


def _map(path: Path) -> Weights:
    try:
        with open_regular(path, "the weights file") as file:
            return _mapped(file, str(path))
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise refused("IR001", f"the weights file cannot be read: {reason}", str(path)) from None


def _mapped(file: BinaryIO, path: str) -> Weights:
    size = os.fstat(file.fileno()).st_size
    data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""
    return Weights(data, path)
