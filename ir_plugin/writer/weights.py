"""Writer of the weights file: deduplicated constants one after the other."""

from __future__ import annotations

from hashlib import blake2b
from typing import BinaryIO

from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.tensors.packing import pack

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
        data = pack(const.evaluate(), const.element_type) or _NOTHING
        key = blake2b(data, digest_size=32).digest()
        offset = self._offsets.get(key)
        if offset is None:
            offset = self._offsets[key] = self._end
            self._file.write(data)
            self._end += len(data)
        return offset, len(data)
