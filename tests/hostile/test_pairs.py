"""Two independent faults give both findings: neither hides the other, wherever it stands."""

from __future__ import annotations

from itertools import combinations

import pytest

from ir_plugin import Core
from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.diagnostics.render import render
from tests.hostile.faults import FAULTS, Fault, chain

AMBIGUOUS = {"IR204", "IR206", "IR213"}
"""Codes of edges that may be meant for several inputs, which are then all reported as not connected."""
PAIRS = list(combinations(FAULTS, 2))


def found_in(*faults: tuple[Fault, int]) -> Findings:
    base = chain()
    text = base.xml
    for fault, block in faults:
        text = fault.edit(block)(text)
    return Core().validate(text.encode(), base.weights).findings


def belongs(finding: Finding, fault: Fault, block: int) -> bool:
    name = finding.layer.name if finding.layer else ""
    return finding.code == fault.code and (not fault.layer or name in (f"{fault.layer}{block}", fault.layer))


def test_a_chain_gives_no_finding() -> None:
    assert list(Core().validate(chain().xml.encode(), chain().weights).findings) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.parametrize("block", [1, 3])
def test_a_fault_alone_gives_its_finding(fault: Fault, block: int) -> None:
    (finding,) = found_in((fault, block))
    assert belongs(finding, fault, block)


@pytest.mark.parametrize("first", FAULTS, ids=lambda fault: fault.name)
def test_two_faults_give_both_findings(first: Fault) -> None:
    wrong = []
    for second in [second for one, second in PAIRS if one is first]:
        for blocks in ((1, 3), (3, 1)):
            faults = list(zip((first, second), blocks, strict=True))
            found = found_in(*faults)
            own = [{finding for finding in found if belongs(finding, *pair)} for pair in faults]
            extra = {finding.code for finding in found if finding not in own[0] | own[1]}
            allowed = {"IR207"} if AMBIGUOUS & {first.code, second.code} else set()
            if extra - allowed or not all(own) or len(own[0] | own[1]) < 2:
                wrong.append(render(found, "concise"))
    assert wrong == []


def test_what_is_not_checked_is_said() -> None:
    for text in (chain().xml.replace("</net>", ""), chain().xml.replace('version="11"', 'version="9"')):
        (finding,) = Core().validate(text.encode(), chain().weights).findings
        assert finding.because == "the rest of the file was not checked"
