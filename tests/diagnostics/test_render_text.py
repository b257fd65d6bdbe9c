from __future__ import annotations

import re
from typing import SupportsIndex

import pytest

from ir_plugin.diagnostics import Finding, Findings, LayerRef, Span
from ir_plugin.diagnostics.render import FORMATS, concise, full, render, summary
from ir_plugin.errors import InputError

POOL = Finding.of(
    "IR302",
    span=Span("pool.xml", 20, 26, 3, " " * 20 + "<dim>113</dim>"),
    label="declared 113, inferred 112",
    layer=LayerRef("1", "pool1", "MaxPool", "opset1", "output port 1, dimension 3"),
    declared="113",
    inferred="112",
    because="(224 + 0 + 1 - 3) // 2 + 1 = 112",
    help="write <dim>112</dim>, or correct kernel, strides, pads or rounding_type of this layer",
)
UNUSED = Finding.of("IR405", "3 bytes of 435 are not used", span=Span("pool.bin"))

HOSTILE = Finding.of(
    "IR101",
    'unknown attribute "\x1b[31mpad\n"',
    span=Span("\u202elmx.xml", 3, 7, 5, "<data \x1b[31m='\x00'/>"),
    label="\x07",
    layer=LayerRef("7", "\x1b]0;title\x07\ud800", "Re\u202eLU"),
)


def placed(text: str, column: int, width: int = 1, label: str = "here") -> list[str]:
    """Return the source line and the line of carets below it, without the gutter."""
    shown = full([Finding.of("IR101", span=Span("a.xml", 7, column, width, text), label=label)])
    return [line[4:] for line in shown.splitlines()[3:5]]


def marked(text: str, column: int, width: int = 1) -> str:
    """Return what stands above the carets."""
    line, carets = placed(text, column, width, "")
    begin = carets.index("^")
    return line[begin : begin + carets.count("^")]


def test_a_finding_in_full() -> None:
    assert full([POOL]) == (
        """\
error[IR302]: declared output shape differs from the inferred one
  --> pool.xml:20:26
   |
20 |                     <dim>113</dim>
   |                          ^^^ declared 113, inferred 112
   = layer: "pool1" (id 1, MaxPool-1), output port 1, dimension 3
   = because: (224 + 0 + 1 - 3) // 2 + 1 = 112
   = help: write <dim>112</dim>, or correct kernel, strides, pads or rounding_type of this layer

1 error
"""
    )


def test_declared_and_inferred_are_said_where_the_label_does_not() -> None:
    finding = Finding.of(
        "IR302",
        span=Span("a.xml", 3, 1, 5, "<dim>1</dim>"),
        label="declared 1, inferred 11",
        declared="[1,3]",
        inferred="11",
    )
    assert full([finding]) == (
        """\
error[IR302]: declared output shape differs from the inferred one
 --> a.xml:3:1
  |
3 | <dim>1</dim>
  | ^^^^^ declared 1, inferred 11
  = declared: [1,3]

1 error
"""
    )


def test_a_longer_number_in_the_label_does_not_hide_a_note() -> None:
    finding = Finding.of("IR302", span=Span("a.xml", 3, 1, 1, "x"), label="declared 113", declared="11", inferred="113")
    assert "  = declared: 11\n  = inferred: 113\n" in full([finding])


def test_several_findings_are_apart_and_counted() -> None:
    note = Finding.of("IR001", "read from memory", severity="note")
    assert full([POOL, UNUSED, note], color=False).endswith(
        """ this layer

warning[IR405]: 3 bytes of 435 are not used
 --> pool.bin

note[IR001]: read from memory

1 error, 1 warning, 1 note
"""
    )


def test_without_a_source_line_the_label_is_a_note() -> None:
    finding = Finding.of(
        "IR201", span=Span("a.xml", 12, 4), label="first at line 9", layer=LayerRef("3", "relu", "ReLU")
    )
    assert full([finding]) == (
        """\
error[IR201]: layer id is used twice
  --> a.xml:12:4
   = layer: "relu" (id 3, ReLU)
   = note: first at line 9

1 error
"""
    )


def test_without_a_column_there_are_no_carets() -> None:
    finding = Finding.of("IR201", span=Span("a.xml", 12, text="<layer/>"), label="first at line 9")
    assert full([finding]) == (
        """\
error[IR201]: layer id is used twice
  --> a.xml:12
   |
12 | <layer/>
   = note: first at line 9

1 error
"""
    )


def test_a_model_read_from_memory_has_lines_but_no_file() -> None:
    finding = Finding.of("IR211", span=Span("", 2, 1))
    assert full([finding]).splitlines()[1] == " --> <model>:2:1"
    assert concise([finding]) == "<model>:2:1: IR211 error: model has no result\n"


def test_hostile_text_is_shown_escaped() -> None:
    assert full([HOSTILE]) == (
        r"""error[IR101]: unknown attribute "\x1b[31mpad\n"
 --> \u202elmx.xml:3:7
  |
3 | <data \x1b[31m='\x00'/>
  |       ^^^^^^^^ \x07
  = layer: "\x1b]0;title\x07\ud800" (id 7, Re\u202eLU)

1 error
"""
    )
    assert concise([HOSTILE]) == (
        r'\u202elmx.xml:3:7: IR101 error: unknown attribute "\x1b[31mpad\n": \x07'
        r' (layer "\x1b]0;title\x07\ud800")'
        "\n"
    )


def test_tabs_are_expanded_and_carets_stand_below_their_text() -> None:
    assert placed("\t\t<dim>\t5</dim>", 9, 1) == ["        <dim>    5</dim>", "                 ^ here"]
    assert placed("\ta\tb", 2, 3) == ["    a    b", "    ^^^^^^ here"]


def test_wide_and_combining_characters_are_measured() -> None:
    assert placed('name="日本" id="x"', 15, 1)[1] == " " * 16 + "^ here"
    assert placed("a\u0301b", 3, 1)[1] == " ^ here"


@pytest.mark.parametrize(
    ("column", "width", "carets"), [(4, 0, "   ^"), (4, 99, "   ^"), (99, 3, "    ^"), (1, 2, "^^")]
)
def test_carets_stay_within_the_line(column: int, width: int, carets: str) -> None:
    assert placed("abcd\r\n", column, width, "") == ["abcd", carets]


@pytest.mark.parametrize("where", [0, 3, 40, 200, 500, 991])
def test_a_long_line_is_cut_around_the_carets(where: int) -> None:
    text = "x" * where + "HERE" + "y" * (1000 - where - 4)
    line, _ = placed(text, where + 1, 4)
    assert len(line) <= 122
    assert marked(text, where + 1, 4) == "HERE"
    assert line.startswith("…") == (where > 50)
    assert line.endswith("…") == (where < 900)


def test_a_long_line_of_escapes_and_tabs_is_cut_as_shown() -> None:
    line, carets = placed("\t\x1b" * 500 + "Z" + "\u202e" * 500, 1001)
    assert len(line) <= 122
    assert line[carets.index("^")] == "Z"


def test_more_carets_than_fit_end_with_the_line() -> None:
    line, carets = placed("<a " + "b" * 1000, 4, 1000, "")
    assert line == "<a " + "b" * 117 + "…"
    assert carets == "   " + "^" * 117


def test_a_line_of_any_length_costs_the_same() -> None:
    class Line(str):
        """A line of which only short parts may be read."""

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            part = super().__getitem__(key)
            assert len(part) < 500
            return part

    text = Line("x" * 10_000_000)
    for column in range(1, 10_000_000, 500_000):
        assert full([Finding.of("IR101", span=Span("a.xml", 1, column, 5, text))])


def test_concise_is_one_line_a_finding() -> None:
    assert concise([POOL, UNUSED]) == (
        "pool.xml:20:26: IR302 error: declared output shape differs from the inferred one: "
        'declared 113, inferred 112 (layer "pool1")\n'
        "pool.bin:1:1: IR405 warning: 3 bytes of 435 are not used\n"
    )
    assert concise([]) == ""


def test_summary_counts() -> None:
    assert summary([]) == "no findings"
    assert summary([UNUSED, POOL, POOL]) == "2 errors, 1 warning"
    assert summary([POOL] * 1234) == "1,234 errors"
    assert full([]) == "no findings\n"


def test_colour_adds_nothing_but_colour() -> None:
    for finding in (POOL, UNUSED, HOSTILE):
        coloured = full([finding], color=True)
        assert coloured.startswith("\x1b[1;3")
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == full([finding])


def test_render_sorts_by_place_and_knows_every_format() -> None:
    findings = Findings([POOL, UNUSED])
    assert render(findings, "concise").splitlines()[0].startswith("pool.bin")
    for format in FORMATS:
        assert render(findings, format, files=["ok.xml"], color=True).endswith("\n")


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(InputError, match=r'^unknown format "jsn": did you mean "json"\?$'):
        render([], "jsn")
    with pytest.raises(InputError, match="known are full, concise, json, sarif, junit"):
        render([], "pdf")
