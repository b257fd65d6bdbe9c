"""Bytes of texts: those that are no UTF-8, and the characters that stand for bytes in byte-level vocabularies."""

from __future__ import annotations

from functools import cache

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.spans import joined, pairs_of, texts_of
from ir_plugin.operations.text.layout import (
    FLAGS,
    positions_of,
    require_count,
    require_rows,
    require_texts,
    rewritten,
    texts_like,
)
from ir_plugin.tensors import Array, TensorInfo

REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()


def character_length(lead: int) -> int:
    """Return how many bytes a character has whose first byte is `lead`; a byte that begins none counts as one."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


class UTF8Validate(Operation, version="extension"):
    """Texts in which bytes that are no UTF-8 are left out, or with `replace_mode` become U+FFFD.

    Surrogates and code points above U+10FFFF are accepted, as OpenVINO does.
    """

    widen = False

    replace_mode: bool

    def infer(self, begins: TensorInfo, ends: TensorInfo, chars: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return texts of the same shape."""
        return texts_like(require_texts(begins, ends, chars))

    def evaluate(self, begins: Array, ends: Array, chars: Array) -> tuple[Array, ...]:
        """Return the texts."""
        replacement = REPLACEMENT if self.replace_mode else b""
        return rewritten((begins, ends, chars), False, lambda text: validated(text, replacement))


def validated(text: bytes, replacement: bytes) -> bytes:
    """Return a text with a replacement for each fault; a sequence that is too long has a fault in every byte."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return _without_faults(text, replacement)
    return text


def _without_faults(text: bytes, replacement: bytes) -> bytes:
    output, position = bytearray(), 0
    while position < len(text):
        length = _length_of(text[position])
        end = position + 1
        while end < min(position + length, len(text)) and text[end] >> 6 == 0b10:
            end += 1
        if end - position != length:
            output += replacement
        elif _is_overlong(text[position:end]):
            output += replacement * length
        else:
            output += text[position:end]
        position = end
    return bytes(output)


def _length_of(lead: int) -> int:
    """Return how many bytes a sequence has that begins with a byte; 0 if none does."""
    if lead < 0x80:
        return 1
    return next((length for length, bits, mark in _LEADS if lead >> bits == mark), 0)


_LEADS = ((2, 5, 0b110), (3, 4, 0b1110), (4, 3, 0b11110))
"""The lengths of sequences, the bits of a lead byte that belong to the code point, and those before them."""


def _is_overlong(sequence: bytes) -> bool:
    if len(sequence) == 2:
        return sequence[0] < 0xC2
    return len(sequence) > 2 and sequence[0] in (0xE0, 0xF0) and sequence[1] < (0xA0 if len(sequence) == 3 else 0x90)


class ByteFallback(Operation, version="extension"):
    """Texts in which one that is wholly `<0xNN>`, with capital digits, is the byte of this number."""

    widen = False

    def infer(self, begins: TensorInfo, ends: TensorInfo, chars: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return texts of the same shape."""
        return texts_like(require_texts(begins, ends, chars))

    def evaluate(self, begins: Array, ends: Array, chars: Array) -> tuple[Array, ...]:
        """Return the texts."""
        tokens = byte_tokens()
        return rewritten((begins, ends, chars), False, lambda text: tokens.get(text, text))


@cache
def byte_tokens() -> dict[bytes, bytes]:
    """Return the byte that each text such as `<0x0A>` stands for."""
    return {b"<0x%02X>" % byte: bytes([byte]) for byte in range(256)}


@cache
def byte_characters() -> tuple[bytes, ...]:
    """Return the printable character in UTF-8 that stands for each byte in byte-level vocabularies."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printable]
    return tuple(chr(byte if byte in printable else 256 + others.index(byte)).encode() for byte in range(256))


@cache
def _bytes_by_character() -> dict[str, int]:
    """Return the byte that each character stands for; ASCII characters stand for themselves."""
    inverse = {character.decode(): byte for byte, character in enumerate(byte_characters())}
    return {chr(code): code for code in range(128)} | inverse


class BytesToChars(Operation, version="extension"):
    """Rows of texts in which each byte is the printable character of byte-level vocabularies, as a blank is U+0120.

    A last input flags the texts that stay as they are.
    """

    widen = False

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of texts, and the flags."""
        require_count(inputs, 5, 6)
        shape = require_rows(inputs[:5])
        if len(inputs) > 5:
            require_type("skips", inputs[5], "boolean")
        return (*positions_of(shape), *texts_like(inputs[2].shape), *([FLAGS] if len(inputs) > 5 else []))

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the rows."""
        characters = byte_characters()
        texts = rewritten(inputs[2:], len(inputs) > 5, lambda text: b"".join([characters[byte] for byte in text]))
        return (*inputs[:2], *texts)


class CharsToBytes(Operation, version="extension"):
    """The texts of each row joined, with each character of a byte-level vocabulary as the byte that it stands for.

    A character that stands for none keeps its bytes.
    """

    widen = False

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return a text for each row."""
        require_count(inputs, 5, 5)
        return texts_like(require_rows(inputs))

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the texts."""
        row_begins, row_ends, begins, ends, chars = inputs
        texts = [_as_bytes(text) for text in texts_of(begins, ends, chars)]
        rows = pairs_of(row_begins, row_ends, len(texts), "texts", "a row")
        return joined([b"".join(texts[first:last]) for first, last in rows], np.shape(row_begins))


def _as_bytes(text: bytes) -> bytes:
    inverse = _bytes_by_character()
    characters = text.decode("utf-8", "surrogateescape")
    return b"".join(
        bytes([inverse[character]]) if character in inverse else character.encode("utf-8", "surrogateescape")
        for character in characters
    )
