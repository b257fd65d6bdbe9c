"""The weights file: constants one after the other, equal ones only once."""

from __future__ import annotations

from hashlib import blake2b
from typing import BinaryIO

from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.tensors.packing import pack

_NOTHING = b"\0"
"""What a constant without elements holds: OpenVINO cannot read one of no bytes."""


class WeightsWriter:
    """Appends constants to a file, unaligned as OpenVINO does, and tells where each stands."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._offsets: dict[bytes, int] = {}
        self._end = 0

    def add(self, node: Node) -> tuple[int, int]:
        """Return offset and size of a Const layer's values."""
        const: Const = node.operation
        data = pack(const.evaluate(), const.element_type) or _NOTHING
        key = blake2b(data, digest_size=32).digest()
        offset = self._offsets.get(key)
        if offset is None:
            offset = self._offsets[key] = self._end
            self._file.write(data)
            self._end += len(data)
        return offset, len(data)
