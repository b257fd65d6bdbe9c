"""The weights file: memory-mapped, and read a constant at a time."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.reader.document import refused
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import unpack

WeightsSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | Array | Any | None"


class Weights:
    """The bytes that constants refer to by offset; `path` is empty where they did not come from a file."""

    def __init__(self, data: bytes | mmap.mmap | memoryview | None, path: str = "") -> None:
        self.path = path
        self.is_missing = data is None
        self._bytes = np.frombuffer(data, np.uint8) if data is not None and len(data) else np.empty(0, np.uint8)

    def __len__(self) -> int:
        return int(self._bytes.size)

    def load(self, offset: int, size: int, element_type: ElementType, shape: tuple[int, ...]) -> Array:
        """Return the constant at `offset`, as a read-only view of the file wherever its type allows."""
        count = int(np.prod(shape, dtype=object)) if shape else 1
        array = unpack(self._bytes[offset : offset + size], element_type, count).reshape(shape)
        if array.flags.writeable:
            array.flags.writeable = False
        return array


def open_weights(source: WeightsSource, xml: str) -> Weights:
    """Return the weights given, or those beside the XML: a path is mapped, bytes and arrays are used as they are."""
    if source is None:
        beside = Path(xml).with_suffix(".bin") if xml and not xml.startswith("<") else None
        return _map(beside) if beside is not None and beside.is_file() else Weights(None, str(beside or ""))
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        return _map(path) if str(source) else Weights(None)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Weights(memoryview(source).cast("B"))
    array = np.ascontiguousarray(np.asarray(getattr(source, "data", source)))
    return Weights(array.reshape(-1).view(np.uint8).tobytes())


def _map(path: Path) -> Weights:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise refused("IR001", f"the weights file cannot be read: {reason}", str(path)) from None
    return Weights(data, str(path))
