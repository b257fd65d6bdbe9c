"""Findings as text for a terminal: lines that fit, carets under their text, many findings of a kind as a list."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from ir_plugin.diagnostics import Finding, LayerRef, Span
from ir_plugin.diagnostics.render import full, summary

SOURCE = '\t\t\t\t<port id="1" precision="FP32"><dim>1</dim>\t<dim>444</dim></port></output></layer>'
WRONG = Finding.of(
    "IR302",
    span=Span("net.xml", 8, SOURCE.index("444") + 1, 3, SOURCE),
    label="declared 444, inferred 3",
    layer=LayerRef("1", "block/with/a/rather/long/name/of/a/layer", "ReLU", "opset1", "output port 1, dimension 1"),
    because="Const(element_type=f32, shape=24,32,3,3, offset=960); the layer that reads it declares what it declares",
    help="write <dim>3</dim>, or correct the inputs and attributes of this layer",
)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 134])
@pytest.mark.parametrize("color", [False, True])
def test_no_line_is_wider_than_the_terminal(width: int, color: bool) -> None:
    lines = full([WRONG], width=width).splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(" ".join(lines).split())
    assert WRONG.because in words
    assert WRONG.help in words
    plain = [line.replace("\x1b[0m", "") for line in full([WRONG], color, width).splitlines()]
    assert len(plain) == len(lines)


@pytest.mark.parametrize("width", [None, 40, 60, 80])
def test_carets_stand_under_their_text(width: int | None) -> None:
    lines = full([WRONG], width=width).splitlines()
    source, carets = next(pair for pair in pairwise(lines) if "^" in pair[1])
    begin = carets.index("^")
    assert source[begin : begin + 3] == "444"
    assert carets.count("^") == 3


def test_a_label_without_room_stands_below_the_carets() -> None:
    long = replace(WRONG, label="declared " + "4" * 40)
    lines = full([long], width=60).splitlines()
    carets = next(index for index, line in enumerate(lines) if line.endswith("^^^"))
    assert lines[carets + 1].strip(" |") == long.label


def test_many_findings_of_a_kind_are_a_list() -> None:
    many = [replace(WRONG, span=replace(WRONG.span, line=line)) for line in range(1, 51)]
    others = [Finding.of("IR209", span=Span("net.xml", 60))]
    lines = full([*many, *others], width=80, fixable=50).splitlines()
    assert len(lines) < 70
    assert sum(line.startswith("error[IR302]: declared") for line in lines) == 3
    assert lines.index("error[IR302]: 47 more in net.xml") > lines.index(f"warning[IR209]: {others[0].message}")
    assert "  … and 27 more; --format concise lists all" in lines
    assert lines[-1] == "50 errors, 1 warning, 50 fixable with --fix"
    text = full([*many, *others])
    assert all(f"\n  {line}: declared 444, inferred 3, " in text for line in range(4, 51))


def test_a_few_findings_of_a_kind_are_all_in_full() -> None:
    few = [replace(WRONG, span=replace(WRONG.span, line=line)) for line in range(1, 7)]
    assert full(few).count("error[IR302]: declared") == 6


def test_the_number_of_fixable_findings_is_told_if_there_is_any() -> None:
    assert summary([WRONG], 1) == "1 error, 1 fixable with --fix"
    assert summary([WRONG]) == "1 error"
