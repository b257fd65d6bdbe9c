from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_plugin.diagnostics import LayerRef
from ir_plugin.diagnostics.escape import escaped, json_text, safe, safe_layer, shorten_path

HOSTILE = [
    ("plain name/1:0", "plain name/1:0"),
    ("größe 日本", "größe 日本"),
    ("\x1b[31mred", r"\x1b[31mred"),
    ("\x9b31m", r"\x9b31m"),
    ("a\x00b\x7f", r"a\x00b\x7f"),
    ("a\nb\rc\td", r"a\nb\rc\td"),
    ("\u202eltr\u2066", r"\u202eltr\u2066"),
    ("no\u00a0break\u200bzero\ufeff", r"no\xa0break\u200bzero\ufeff"),
    ("\ud800 lone \udcff", r"\ud800 lone \udcff"),
    ("\U000e0041", r"\U000e0041"),
    ("line\u2028end", r"line\u2028end"),
]


@pytest.mark.parametrize(("text", "shown"), HOSTILE)
def test_what_is_not_printable_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert safe(text) == escaped(text) == shown


def test_long_text_loses_its_middle() -> None:
    assert safe("a" * 50 + "b" * 50, 21) == "aaaaaaaaaa…bbbbbbbbbb"
    assert safe("a" * 21, 21) == "a" * 21


def test_an_escape_is_never_cut_in_two() -> None:
    assert safe("\x1b" * 100, 11) == r"\x1b…\x1b"
    assert safe("ab\x1b", 5) == "ab…"


@given(st.text(st.characters(), max_size=60), st.integers(3, 40))
def test_shown_text_is_printable_and_no_longer_than_allowed(text: str, limit: int) -> None:
    shown = safe(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit


def test_a_layer_is_shown_in_one_line() -> None:
    layer = LayerRef("1\n", "\x1b[2J", "Re\x00LU", "opset1", 'attribute "a\u202e"', ("loop\t",))
    shown = r'"\x1b[2J" (id 1\n, Re\x00LU-1), attribute "a\u202e", in the body of "loop\t"'
    assert safe_layer(layer) == shown


def test_a_deep_path_loses_its_middle() -> None:
    names = tuple(str(number) for number in range(10_000))
    assert shorten_path(names, 6) == ("0", "1", "2", "…", "9997", "9998", "9999")
    assert shorten_path(names[:6], 6) == names[:6]
    assert len(safe_layer(LayerRef("1", "n" * 10**6, "T", path=names))) < 400


def test_data_keeps_all_but_lone_surrogates_and_excess() -> None:
    assert json_text("\x00\u202e\ud800") == "\x00\u202e\\ud800"
    assert json_text("ab" * 10**6, 9) == "abab…abab"
