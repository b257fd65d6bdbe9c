"""Messages of protobuf, read without their definition."""

from __future__ import annotations

import struct

from ir_plugin.errors import EvaluationError

_FIXED_SIZES = {1: 8, 5: 4}
_VARINT, _LENGTH_DELIMITED = 0, 2
_LONGEST_VARINT = 10


class Message:
    """The values of each field, by its number: whole numbers, and the bytes of all others."""

    def __init__(self, data: bytes) -> None:
        self._values: dict[int, list[int | bytes]] = {}
        position = 0
        while position < len(data):
            tag, position = _varint(data, position)
            value: int | bytes
            if tag & 7 == _VARINT:
                value, position = _varint(data, position)
            else:
                size, position = _size(data, tag & 7, position)
                value, position = data[position : position + size], position + size
            if position > len(data):
                raise EvaluationError("a message of protobuf ends within a field")
            self._values.setdefault(tag >> 3, []).append(value)

    def all_bytes(self, field: int) -> list[bytes]:
        """Return the values of a repeated field."""
        return [value for value in self._values.get(field, ()) if isinstance(value, bytes)]

    def text(self, field: int, default: bytes = b"") -> bytes:
        """Return a text."""
        return self.all_bytes(field)[-1] if self.all_bytes(field) else default

    def message(self, field: int) -> Message:
        """Return a message, of which later parts add to the former ones."""
        return Message(b"".join(self.all_bytes(field)))

    def has(self, field: int) -> bool:
        """Return whether a field has a value."""
        return field in self._values

    def integer(self, field: int, default: int = 0) -> int:
        """Return a whole number."""
        numbers = [value for value in self._values.get(field, ()) if isinstance(value, int)]
        return numbers[-1] if numbers else default

    def flag(self, field: int, default: bool = False) -> bool:
        """Return a boolean."""
        return bool(self.integer(field, default))

    def number(self, field: int) -> float:
        """Return a number of f32, 0 by default."""
        data = self.text(field)
        number: float = struct.unpack("<f", data)[0] if len(data) == _FIXED_SIZES[5] else 0.0
        return number


def _size(data: bytes, kind: int, position: int) -> tuple[int, int]:
    """Return how many bytes a value has, and where it begins."""
    if kind == _LENGTH_DELIMITED:
        return _varint(data, position)
    if kind not in _FIXED_SIZES:
        raise EvaluationError(f"a message of protobuf has a field of the wire type {kind}")
    return _FIXED_SIZES[kind], position


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a whole number, and the position after it."""
    number = 0
    for index, byte in enumerate(data[position : position + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, position + index + 1
    raise EvaluationError("a message of protobuf ends within a number, or has one of more than 64 bits")
