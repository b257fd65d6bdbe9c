from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_plugin.diagnostics import CODES, Finding, LayerRef, Span
from ir_plugin.diagnostics.render import FORMATS, render, to_json, to_junit, to_sarif

POOL = Finding.of(
    "IR302",
    span=Span("models/my pool.xml", 20, 26, 3, " " * 20 + "<dim>113</dim>"),
    label="declared 113, inferred 112",
    layer=LayerRef("1", "pool1", "MaxPool", "opset1", "output port 1, dimension 3", ("loop", "if")),
    declared="113",
    inferred="112",
    because="(224 + 0 + 1 - 3) // 2 + 1 = 112",
    help="write <dim>112</dim>",
)
UNUSED = Finding.of("IR405", "3 bytes are not used", span=Span("models/my pool.xml"))
HOSTILE = Finding.of(
    "IR101",
    "\x1b[31m \x00 \u202e \ud800 ]]> \ufffe",
    span=Span("\x00\ud800.xml", 3),
    layer=LayerRef("\x00", "\x1b\ud800", "\uffff", "opset1", "\x1b", ("\ud800",)),
    because="<&>",
)


def sarif_run(*findings: Finding) -> dict[str, Any]:
    document = json.loads(to_sarif(findings))
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-2.1.0.json")
    [run] = document["runs"]
    assert isinstance(run, dict)
    return run


def test_json_has_the_documented_form() -> None:
    document = json.loads(to_json([POOL, UNUSED]))
    assert document["tool"].pop("version")
    assert document == {
        "version": 1,
        "tool": {"name": "ir-plugin"},
        "summary": {"errors": 1, "warnings": 1, "notes": 0},
        "findings": [
            {
                "code": "IR302",
                "severity": "error",
                "title": "declared output shape differs from the inferred one",
                "message": "declared output shape differs from the inferred one",
                "file": "models/my pool.xml",
                "line": 20,
                "column": 26,
                "width": 3,
                "label": "declared 113, inferred 112",
                "layer": {
                    "id": "1",
                    "name": "pool1",
                    "type": "MaxPool",
                    "version": "opset1",
                    "part": "output port 1, dimension 3",
                    "path": ["loop", "if"],
                },
                "declared": "113",
                "inferred": "112",
                "because": "(224 + 0 + 1 - 3) // 2 + 1 = 112",
                "help": "write <dim>112</dim>",
            },
            {
                "code": "IR405",
                "severity": "warning",
                "title": "weights file has bytes that no constant uses",
                "message": "3 bytes are not used",
                "file": "models/my pool.xml",
                "line": 0,
                "column": 0,
                "width": 0,
                "label": "",
                "layer": None,
                "declared": "",
                "inferred": "",
                "because": "",
                "help": "",
            },
        ],
    }


def test_json_is_ascii_and_keeps_names() -> None:
    text = to_json([HOSTILE])
    assert text.isascii()
    assert not any(ord(character) < 32 for character in text.replace("\n", ""))
    [entry] = json.loads(text)["findings"]
    assert entry["layer"]["name"] == "\x1b\\ud800"


def test_sarif_describes_every_code() -> None:
    driver = sarif_run()["tool"]["driver"]
    assert driver["name"] == "ir-plugin"
    assert driver["version"]
    assert [rule["id"] for rule in driver["rules"]] == list(CODES)
    for rule in driver["rules"]:
        code = CODES[rule["id"]]
        assert rule["shortDescription"] == {"text": code.title}
        assert rule["fullDescription"]["text"].endswith(".")
        assert rule["help"]["markdown"].startswith(f"# {code.id}: ")
        assert rule["defaultConfiguration"] == {"level": code.severity}


def test_a_sarif_result() -> None:
    [result] = sarif_run(POOL)["results"]
    assert result == {
        "ruleId": "IR302",
        "ruleIndex": list(CODES).index("IR302"),
        "level": "error",
        "message": {
            "text": "declared output shape differs from the inferred one: declared 113, inferred 112\n"
            'layer: "pool1" (id 1, MaxPool-1), output port 1, dimension 3, in the body of "if", in the body of "loop"\n'
            "because: (224 + 0 + 1 - 3) // 2 + 1 = 112\n"
            "help: write <dim>112</dim>"
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "models/my%20pool.xml", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 20, "startColumn": 26, "endColumn": 29},
                },
                "logicalLocations": [
                    {
                        "name": "pool1",
                        "fullyQualifiedName": "loop > if > pool1",
                        "kind": "element",
                        "properties": {
                            "id": "1",
                            "type": "MaxPool",
                            "version": "opset1",
                            "part": "output port 1, dimension 3",
                        },
                    }
                ],
            }
        ],
        "properties": {
            "declared": "113",
            "inferred": "112",
            "because": "(224 + 0 + 1 - 3) // 2 + 1 = 112",
            "help": "write <dim>112</dim>",
        },
    }


def test_a_finding_about_a_whole_file_has_no_region() -> None:
    [result] = sarif_run(UNUSED)["results"]
    assert result["level"] == "warning"
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "models/my%20pool.xml", "uriBaseId": "%SRCROOT%"}}}
    ]


def test_a_finding_without_a_column_has_a_line() -> None:
    [result] = sarif_run(Finding.of("IR201", span=Span("a.xml", 3)))["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_a_finding_about_no_file_has_no_location() -> None:
    [result] = sarif_run(Finding.of("IR211"))["results"]
    assert "locations" not in result


@pytest.mark.parametrize(
    ("file", "uri"),
    [("a:b#c?.xml", "a%3Ab%23c%3F.xml"), ("./sub/größe.xml", "sub/gr%C3%B6%C3%9Fe.xml"), ("../\x00.xml", "../%00.xml")],
)
def test_a_path_becomes_a_relative_uri(file: str, uri: str) -> None:
    [result] = sarif_run(Finding.of("IR001", span=Span(file)))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_an_absolute_path_becomes_a_file_uri(tmp_path: Path) -> None:
    [result] = sarif_run(Finding.of("IR001", span=Span(str(tmp_path / "a b.xml"))))["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": (tmp_path / "a b.xml").as_uri()}


def test_junit_has_one_test_a_file() -> None:
    another = Finding.of("IR201", span=POOL.span)
    root = ElementTree.fromstring(to_junit([POOL, UNUSED, another], ["ok.xml", "models/my pool.xml"]))
    assert root.tag == "testsuites"
    [suite] = root
    assert suite.attrib == {"name": "check", "tests": "2", "failures": "1", "errors": "0"}
    fine, failed = suite
    assert fine.attrib == {"classname": "ir-plugin.check", "name": "ok.xml"}
    assert not list(fine)
    assert failed.get("name") == "models/my pool.xml"
    failure, output = failed
    assert failure.tag == "failure"
    assert failure.attrib == {
        "type": "IR302",
        "message": "IR302: declared output shape differs from the inferred one (and 1 more)",
    }
    assert failure.text is not None
    assert "20 |                     <dim>113</dim>\n" in failure.text
    assert "error[IR201]: layer id is used twice" in failure.text
    assert output.tag == "system-out"
    assert output.text == "\nmodels/my pool.xml:1:1: IR405 warning: 3 bytes are not used\n"


def test_junit_of_nothing() -> None:
    assert to_junit([]) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="ir-plugin" tests="0" failures="0" errors="0">\n'
        '  <testsuite name="check" tests="0" failures="0" errors="0" />\n'
        "</testsuites>\n"
    )


def test_junit_of_hostile_text_is_xml() -> None:
    [suite] = ElementTree.fromstring(to_junit([HOSTILE]))
    [case] = suite
    assert case.get("name") == r"\x00\ud800.xml"


ANY = st.text(st.characters(), max_size=12)
LAYERS = st.builds(LayerRef, ANY, ANY, ANY, ANY, ANY, st.lists(ANY, max_size=3).map(tuple))
SPANS = st.builds(Span, ANY, st.integers(0, 3), st.integers(0, 15), st.integers(0, 15), ANY)
FINDINGS = st.builds(
    Finding, st.sampled_from([*CODES, "IR999"]), ANY, SPANS, ANY, st.none() | LAYERS, ANY, ANY, ANY, ANY
)


@settings(deadline=None)
@given(st.lists(FINDINGS, max_size=3))
def test_whatever_the_text_every_format_is_well_formed(findings: list[Finding]) -> None:
    shown = {format: render(findings, format) for format in FORMATS}
    for text in shown.values():
        text.encode()
        assert all(line.isprintable() for line in text.split("\n"))
    assert len(json.loads(shown["json"])["findings"]) == len(findings)
    assert len(json.loads(shown["sarif"])["runs"][0]["results"]) == len(findings)
    assert len(shown["concise"].splitlines()) == len(findings)
    ElementTree.fromstring(shown["junit"])
