"""Rules of normalization forms, which are found when a text has their sequences."""

from __future__ import annotations

import unicodedata

import pytest

from ir_plugin.operations.text.charsmap import FormRules, Normalizer
from ir_plugin.operations.text.unicode_forms import Form

WIDE_FORMS = {letter: chr(ord(letter) + 0xFEE0) for letter in "ABCEINOUacenosuyz"}


def composed() -> list[str]:
    """Return the characters that are composed of others, but for those that compose to none."""
    characters = [chr(code) for code in range(0xC0, 0x3400)]
    return [each for each in characters if unicodedata.normalize("NFC", unicodedata.normalize("NFD", each)) == each]


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFD", "NFKD"])
def test_single_characters_and_their_decompositions(form: Form) -> None:
    normalized = Normalizer(FormRules(form.lower(), False).longest).normalized
    for character in composed():
        texts = [character, unicodedata.normalize("NFD", character)]
        for text in texts if form in ("NFC", "NFKC") else texts[:1]:
            assert normalized(text.encode()).decode() == unicodedata.normalize(form, text), ascii(text)


def test_sequences_of_characters_that_decompose() -> None:
    """NFKC composes a letter of full width with a mark; a form that folds then takes the lower case."""
    plain, folded = (Normalizer(FormRules("nfkc", folds_case).longest).normalized for folds_case in (False, True))
    for letter, wide in WIDE_FORMS.items():
        for mark in "\u0301\u0302\u0308\u030c\u0327":
            expected = unicodedata.normalize("NFC", letter + mark)
            assert plain((wide + mark).encode()).decode() == expected
            if len(expected) == 1:
                assert folded((wide + mark).encode()).decode() == expected.lower()


def test_bytes_that_are_no_character_end_a_sequence() -> None:
    normalized = Normalizer(FormRules("nfc", False).longest).normalized
    mark = "\u0301".encode()
    assert normalized(b"a\xff" + mark).decode() == "a\ufffd\u0301"
    assert normalized(b"a" + mark[:1]).decode() == "a\ufffd"
    assert normalized(b"aa" + mark).decode() == "a\u00e1"


def test_a_table_holds_no_sequence_that_no_text_has() -> None:
    """NFKC would have more than 200,000."""
    rules = FormRules("nfkc", False)
    assert not rules._rules._is_needed
    Normalizer(rules.longest).normalized("\uff41\u0301\u0301".encode())
    assert len(rules._rules._is_needed) == 1
