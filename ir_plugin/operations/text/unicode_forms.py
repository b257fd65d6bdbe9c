"""Replacement rules of Unicode's normalization forms, as SentencePiece compiles them into its models.

They are not the full algorithm: no marks are reordered, and characters compose only where a rule says so.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

Form: TypeAlias = "Literal['NFC', 'NFD', 'NFKC', 'NFKD']"

_BY_NAME: dict[str, Form] = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}
_BLOCK = 256

FORMS = ("identity", *_BY_NAME)


class Rules:
    """The replacements of a form: of single characters, and of sequences that compose.

    NFKC has 200,000 sequences, as each character of one may be any that decomposes to it. Whether a sequence has a rule
    is therefore found when a text has it.
    """

    def __init__(self, form: str) -> None:
        name = _BY_NAME.get(form)
        self.singles: Mapping[str, str] = {} if name is None else _changed(name)
        self._composed: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        self._is_needed: dict[str, bool] = {}
        if name in ("NFC", "NFKC"):
            self._compose("NFKD" if name == "NFKC" else "NFD")

    def _compose(self, decomposed_form: Form) -> None:
        """Note the sequences that normalize to what a character decomposes to."""
        for character, text in _changed(decomposed_form).items():
            composed = unicodedata.normalize("NFC", text)
            if len(text) == 1:
                self._origins[character] = text
            elif composed != text:
                self._composed[text] = composed

    def lengths(self) -> dict[str, int]:
        """Return the length of the longest sequence of each character that begins one."""
        lengths = dict.fromkeys(self.singles, 1)
        for text in self._composed:
            lengths[text[0]] = max(lengths.get(text[0], 1), len(text))
        return lengths | {character: lengths[text] for character, text in self._origins.items() if text in lengths}

    def replacement(self, sequence: str) -> str | None:
        """Return what replaces a sequence, None where it has no rule, or shorter rules imply it."""
        if len(sequence) == 1:
            return self.singles.get(sequence)
        composed = self._composed.get("".join([self._origins.get(character, character) for character in sequence]))
        if composed is None:
            return None
        if sequence not in self._is_needed:
            self._is_needed[sequence] = self._applied(sequence) != composed
        return composed if self._is_needed[sequence] else None

    def _applied(self, sequence: str) -> str:
        """Return a sequence with the longest rules shorter than it applied."""
        output, position = [], 0
        while position < len(sequence):
            for end in range(min(len(sequence), position + len(sequence) - 1), position, -1):
                text = self.replacement(sequence[position:end])
                if text is not None:
                    break
            else:
                text, end = sequence[position], position + 1
            output.append(text)
            position = end
        return "".join(output)


@lru_cache(maxsize=len(_BY_NAME))
def _changed(form: Form) -> dict[str, str]:
    """Return the characters that a form changes, and their replacements; a text that has one is not normalized."""
    changed: dict[str, str] = {}
    for block in _blocks():
        if not unicodedata.is_normalized(form, block):
            for character in filter(_is_character, block):
                if not unicodedata.is_normalized(form, character):
                    changed[character] = unicodedata.normalize(form, character)
    return changed


def _blocks() -> Iterator[str]:
    """Yield all code points but the first, many in each text, so that most are ruled out together."""
    for start in range(1, sys.maxunicode + 1, _BLOCK):
        yield "".join(map(chr, range(start, min(start + _BLOCK, sys.maxunicode + 1))))


def _is_character(character: str) -> bool:
    code = ord(character)
    return not (0xD800 <= code < 0xE000 or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE)


def foldings() -> dict[str, str]:
    """Return the lower case of all characters that have one."""
    folded: dict[str, str] = {}
    for block in _blocks():
        if block.casefold() != block:
            folded |= {character: fold(character) for character in block if fold(character) != character}
    return folded


def fold(character: str) -> str:
    """Return the simple case folding of a character, which is one character."""
    folded = character.casefold()
    if len(folded) == 1:
        return folded
    lower = character.lower()
    return lower if len(lower) == 1 else character
