"""Replacement rules of Unicode's normalization forms, as SentencePiece compiles them into its models.

They are not the full algorithm: no marks are reordered, and characters compose only where a rule says so.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Literal, TypeAlias

Rules = dict[str, str]
Form: TypeAlias = "Literal['NFC', 'NFD', 'NFKC', 'NFKD']"

_BY_NAME: dict[str, Form] = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}

FORMS = ("identity", *_BY_NAME)


def rules_of(form: str, folds_case: bool) -> Rules:
    """Return the replacement of each sequence of characters for a form in lower case."""
    rules = {} if form == "identity" else _form_rules(_BY_NAME[form])
    return _folded(rules) if folds_case else rules


def _form_rules(form: Form) -> Rules:
    singles = {character: text for character, text in _changed(form) if text != character}
    return singles if form in ("NFD", "NFKD") else singles | _compositions(form, singles)


def _characters() -> Iterator[str]:
    for code in range(1, sys.maxunicode + 1):
        if not (0xD800 <= code < 0xE000 or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE):
            yield chr(code)


def _changed(form: Form) -> Iterator[tuple[str, str]]:
    for character in _characters():
        if not unicodedata.is_normalized(form, character):
            yield character, unicodedata.normalize(form, character)


def _compositions(form: Form, singles: Rules) -> Rules:
    """Return rules for the sequences that normalize to what a character decomposes to, if no others imply them."""
    decomposed_form: Form = "NFKD" if form == "NFKC" else "NFD"
    origins: defaultdict[str, list[str]] = defaultdict(list)
    decomposed: dict[str, None] = {}
    for character, text in _changed(decomposed_form):
        if len(text) == 1:
            origins[text].append(character)
        else:
            decomposed[text] = None
    candidates: Rules = {}
    for text in decomposed:
        composed = unicodedata.normalize("NFC", text)
        if composed != text:
            for sequence in product(*[[character, *origins.get(character, ())] for character in text]):
                candidates["".join(sequence)] = composed
    return _needed(candidates, singles)


def _needed(candidates: Rules, singles: Rules) -> Rules:
    """Return the rules that shorter ones do not imply."""
    needed: Rules = {}
    for sequence in sorted(candidates, key=len):
        if _applied(sequence, needed, singles) != candidates[sequence]:
            needed[sequence] = candidates[sequence]
    return needed


def _applied(sequence: str, needed: Rules, singles: Rules) -> str:
    """Return a sequence with the longest rules shorter than it applied."""
    output, position = [], 0
    while position < len(sequence):
        for end in range(min(len(sequence), position + len(sequence) - 1), position, -1):
            part = sequence[position:end]
            text = needed.get(part) or singles.get(part)
            if text is not None:
                break
        else:
            text, end = sequence[position], position + 1
        output.append(text)
        position = end
    return "".join(output)


def _folded(rules: Rules) -> Rules:
    """Return rules whose replacements are in lower case, and rules for all characters that have a lower case."""
    folded = {sequence: "".join(map(fold, text)) for sequence, text in rules.items()}
    for character in _characters():
        lower = fold(character)
        if lower != character and character not in folded:
            folded[character] = lower
    return folded


def fold(character: str) -> str:
    """Return the simple case folding of a character, which is one character."""
    folded = character.casefold()
    if len(folded) == 1:
        return folded
    lower = character.lower()
    return lower if len(lower) == 1 else character
