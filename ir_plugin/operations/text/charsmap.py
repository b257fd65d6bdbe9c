"""SentencePiece's normalization of texts: replacements by the longest matching rule of a table, then blanks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.text.byte_characters import REPLACEMENT, character_length
from ir_plugin.operations.text.unicode_forms import Rules, fold, foldings

Match: TypeAlias = "tuple[bytes, int]"
LongestRule: TypeAlias = "Callable[[bytes, int], Match | None]"
"""Returns the replacement and the length of the longest rule at a position of a text, or None."""

BLANK = "\N{LOWER ONE EIGHTH BLOCK}".encode()
"""What SentencePiece writes for a space."""


class DoubleArray:
    """A precompiled table: a trie as a double array, and the texts that its values point at."""

    def __init__(self, blob: bytes) -> None:
        size = int.from_bytes(blob[:4], "little")
        if size % 4 or not 0 < size <= len(blob) - 4:
            raise EvaluationError(f"the table of characters has {len(blob)} bytes, and says that {size} are a trie")
        self._units: list[int] = np.frombuffer(blob, "<u4", size // 4, 4).tolist()
        self._texts = blob[4 + size :]

    def longest(self, text: bytes, start: int) -> Match | None:
        """Return the replacement and the length of the longest key at a position, or None."""
        units, count = self._units, len(self._units)
        node, value, length = _child(units[0], 0), -1, 0
        for position in range(start, len(text)):
            label = text[position]
            node ^= label
            unit = units[node] if node < count else 0
            if unit & 0x800000FF != label:
                break
            node = _child(unit, node)
            if unit >> 8 & 1 and node < count:
                value, length = units[node] & 0x7FFFFFFF, position + 1 - start
        if value < 0:
            return None
        end = self._texts.find(b"\0", value)
        return self._texts[value : end if end >= 0 else None], length


def _child(unit: int, node: int) -> int:
    return node ^ (unit >> 10) << ((unit & 0x200) >> 6)


class FormRules:
    """The table of a normalization form, in lower case if it folds."""

    def __init__(self, form: str, folds_case: bool) -> None:
        self._rules = Rules(form)
        self._fold: Callable[[str], str] = fold if folds_case else str
        singles = {**foldings(), **self._rules.singles} if folds_case else self._rules.singles
        self._singles = {character.encode(): self._folded(text) for character, text in singles.items()}
        self._lengths = {character.encode(): length for character, length in self._rules.lengths().items()}

    def _folded(self, text: str) -> bytes:
        return "".join(map(self._fold, text)).encode()

    def longest(self, text: bytes, start: int) -> Match | None:
        """Return the replacement and the length of the longest rule at a position, or None."""
        first = text[start : start + character_length(text[start])]
        length = self._lengths.get(first, 0)
        if length > 1:
            window = text[start : start + 4 * length].decode("utf-8", "surrogateescape")[:length]
            for end in range(len(window), 1, -1):
                replacement = self._rules.replacement(window[:end])
                if replacement is not None:
                    return self._folded(replacement), len(window[:end].encode())
        single = self._singles.get(first)
        return None if single is None else (single, len(first))


@lru_cache(maxsize=10)
def form_rules(form: str, folds_case: bool) -> FormRules:
    """Return the table of a normalization form, which is the same for all models."""
    return FormRules(form, folds_case)


def no_rule(_text: bytes, _start: int) -> Match | None:
    """Return that no rule applies."""
    return None


def copied(text: bytes, start: int) -> Match:
    """Return the character at a position unchanged; U+FFFD for a byte that begins no character."""
    length = character_length(text[start])
    piece = text[start : start + length]
    character = piece.decode("utf-8", "ignore")
    return (piece, length) if len(character) == 1 and character.encode() == piece else (REPLACEMENT, 1)


@dataclass(frozen=True)
class Normalizer:
    """The table and the treatment of blanks of one normalization."""

    longest: LongestRule
    add_dummy_prefix: bool = False
    remove_extra_whitespaces: bool = False
    escape_whitespaces: bool = False
    suffix: bool = False
    """Whether the dummy prefix follows the text."""
    symbols: LongestRule = no_rule
    """Returns symbols that are copied as they are."""

    def prefix(self, text: bytes, start: int) -> Match:
        """Return the replacement of what is at a position, and the length of what it replaces."""
        symbol = self.symbols(text, start)
        return symbol or self.longest(text, start) or copied(text, start)

    def normalized(self, text: bytes) -> bytes:
        """Return a text normalized."""
        space = BLANK if self.escape_whitespaces else b" "
        position = self._first(text) if self.remove_extra_whitespaces else 0
        if position >= len(text):
            return b""
        output = bytearray()
        if self.add_dummy_prefix and not self.suffix:
            output += space
        follows_space = self.remove_extra_whitespaces
        while position < len(text):
            piece, length = self.prefix(text, position)
            if follows_space:
                piece = piece.lstrip(b" ")
            if piece:
                output += piece.replace(b" ", space)
                follows_space = self.remove_extra_whitespaces and piece.endswith(b" ")
            position += length
        if self.remove_extra_whitespaces:
            while output.endswith(space):
                del output[-len(space) :]
        if self.add_dummy_prefix and self.suffix:
            output += space
        return bytes(output)

    def _first(self, text: bytes) -> int:
        """Return where the first piece begins that is not a single space."""
        position = 0
        while position < len(text):
            piece, length = self.prefix(text, position)
            if piece != b" ":
                break
            position += length
        return position
