"""Writer of the weights file: deduplicated constants one after the other."""

from __future__ import annotations

from hashlib import blake2b
from typing import BinaryIO

from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const

_NOTHING = b"\0"
"""The content of a constant without elements, as OpenVINO cannot read one of no bytes."""


class WeightsWriter:
    """Appends constants to a file, unaligned like OpenVINO."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._offsets: dict[bytes, int] = {}
        self._end = 0

    def add(self, node: Node) -> tuple[int, int]:
        """Return the offset and size of a Const layer's values, written unless equal ones are."""
        const: Const = node.operation
        hashed, size = blake2b(digest_size=32), 0
        for block in const.blocks():
            hashed.update(block.data)
            size += block.size
        offset = self._offsets.get(hashed.digest())
        if offset is None:
            offset = self._offsets[hashed.digest()] = self._end
            for block in const.blocks() if size else ():
                self._file.write(block.data)
            self._file.write(b"" if size else _NOTHING)
            self._end += max(size, len(_NOTHING))
        return offset, max(size, len(_NOTHING))
