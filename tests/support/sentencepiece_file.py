"""Small SentencePiece models, written as the protobuf messages that their files are."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD, CHAR = range(1, 5)
Piece = tuple[str, float, int]


def _varint(number: int) -> bytes:
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def field(number: int, value: int | bytes) -> bytes:
    """Return a field of a message: a whole number, or bytes."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def message(fields: Mapping[int, int | bytes]) -> bytes:
    """Return a message of single fields."""
    return b"".join(field(number, value) for number, value in fields.items())


def model(pieces: Iterable[Piece], trainer: Mapping[int, int | bytes], rules: Mapping[int, int | bytes]) -> bytes:
    """Return a model of pieces with scores and types, the fields of its training and of its normalization."""
    parts = [
        field(1, field(1, text.encode()) + (b"\x15" + struct.pack("<f", score) if score else b"") + field(3, type))
        for text, score, type in pieces
    ]
    return b"".join([*parts, field(2, message(trainer)), field(3, message(rules))])


CONTROLS: list[Piece] = [("<unk>", 0, UNKNOWN), ("<s>", 0, CONTROL), ("</s>", 0, CONTROL)]
BYTES: list[Piece] = [(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)]
WORDS: list[Piece] = [
    ("▁", -3, NORMAL), ("a", -4, NORMAL), ("b", -4.5, NORMAL), ("c", -5, NORMAL), ("é", -6, NORMAL), ("日", -6, NORMAL),
    ("ab", -3.5, NORMAL), ("bc", -3.25, NORMAL), ("▁a", -2.5, NORMAL), ("abc", -3, UNUSED), ("▁ab", -2.25, NORMAL),
    ("cab", -2.75, NORMAL), ("日本", -7, NORMAL), ("<x>", 0, USER_DEFINED), ("ca", 0, USER_DEFINED), ("▁b", -5, NORMAL),
]  # fmt: skip


def small_model(algorithm: int, byte_fallback: bool, **rules: int) -> bytes:
    """Return a model of few pieces, which overlap; `rules` are prefix, extra, escape and suffix."""
    pieces = [*CONTROLS, *(BYTES if byte_fallback else []), *WORDS]
    trainer = {3: algorithm, 24: rules.get("suffix", 0), 35: int(byte_fallback)}
    names = {"prefix": 3, "extra": 4, "escape": 5}
    return model(pieces, trainer, {names[name]: value for name, value in rules.items() if name in names})
