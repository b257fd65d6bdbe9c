"""Every variant gives the finding it must give, and no other."""

from __future__ import annotations

import time
from functools import cache

import pytest

from ir_plugin import Core, Error
from ir_plugin.diagnostics import CODES, Finding
from ir_plugin.diagnostics.render import FORMATS, render
from tests.hostile.bases import BASES
from tests.hostile.table import GROUPS, PAGE, VARIANTS, rows
from tests.hostile.variant import Variant

SECONDS = 5
"""Of this process, so that a busy machine is no fault."""


def needed(base: str) -> set[str]:
    text = BASES[base]().xml
    return {type for type in ("TensorIterator", "If", "ReadValue") if f'type="{type}"' in text}


@cache
def findings_of(name: str) -> list[Finding]:
    variant = VARIANTS[name]
    begin = time.process_time()
    found = list(Core().validate(variant.xml, variant.bin).findings)
    assert time.process_time() - begin < SECONDS
    return found


def error_of(variant: Variant, validate: bool) -> Error | None:
    try:
        Core().read_model(variant.xml, variant.bin, validate=validate)
    except Error as fault:
        return fault
    return None


@pytest.mark.parametrize("base", BASES)
def test_a_base_gives_no_finding(base: str) -> None:
    found = BASES[base]()
    assert list(Core().validate(found.xml.encode(), found.weights).findings) == []


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if not variant.code])
def test_a_variant_without_a_fault_gives_no_finding(name: str) -> None:
    found = findings_of(name)
    assert found == [], render(found, "concise")


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.code])
def test_one_fault_gives_one_finding_at_its_place(name: str) -> None:
    variant = VARIANTS[name]
    found = findings_of(name)
    shown = render(found, "concise")
    errors = [finding for finding in found if finding.severity == "error"]
    main = errors or found
    assert [finding.code for finding in main[:1]] == [variant.code], shown
    assert main[0].span.line == variant.line, (shown, variant.line)
    assert len(errors) <= 1 or variant.also, shown
    rest = [finding.code for finding in found if finding is not main[0]]
    assert sorted(set(rest)) == sorted(variant.also), shown


@pytest.mark.parametrize("name", VARIANTS)
def test_reading_a_variant_raises_nothing_but_our_errors(name: str) -> None:
    variant = VARIANTS[name]
    for validate in (True, False):
        fault = error_of(variant, validate)
        assert fault is None or (fault.findings and str(fault))


@pytest.mark.parametrize("format", FORMATS)
def test_findings_of_hostile_files_can_be_shown(format: str) -> None:
    for group in ("limits", "encodings", "layers"):
        for variant in GROUPS[group]:
            text = render(findings_of(f"{group}: {variant.name}"), format)
            assert len(text) < 5_000_000
            assert all(letter.isprintable() or letter in "\n\t" for letter in text)


def test_there_are_enough_variants() -> None:
    assert len(VARIANTS) >= 150
    assert len(VARIANTS) == sum(map(len, GROUPS.values()))
    assert {variant.code for variant in VARIANTS.values()} - {""} <= set(CODES)


def test_the_page_of_variants_is_up_to_date() -> None:
    page = PAGE.read_text("utf-8")
    missing = [(name, said) for name, said in rows() if f"| {name} | {said} | " not in page]
    assert missing == [], "run: python -m tests.hostile.table"
