"""Lines and columns of what findings are about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ir_plugin import Core
from ir_plugin.diagnostics import Finding
from tests.hostile.bases import conv

LINES = """<?xml version="1.0"?>
<net name="model" version="11">
\t<layers>
\t\t<layer
\t\t\tid="0"
\t\t\tname="x > y"
\t\t\ttype='Parameter'
\t\t\tversion="opset1">
\t\t\t<!-- <layer id="7"> -->
\t\t\t<data note=" shape='9' "
\t\t\t      shape="two"  element_type="f32"/>
\t\t\t<output><port id="0"
\t\t\t              precision="FP32"><dim>2</dim>
\t\t\t                               <dim>
\t\t\t\t  3x
\t\t\t</dim></port></output>
\t\t</layer>
\t\t<layer id="1" name="é€ out" type="Result" version="opset1"><input><port id="0" precision="FP23"/></input></layer>
\t</layers>
\t<edges><edge from-layer="0" from-port="0"
\t\tto-layer="1" to-port="zero"/></edges>
</net>
"""


def by_code(xml: bytes) -> dict[str, Finding]:
    return {finding.code: finding for finding in Core().validate(xml).findings}


def marked(finding: Finding) -> str:
    """Return the text that stands at a finding's place."""
    span = finding.span
    return span.text[span.column - 1 : span.column - 1 + span.width]


EXPECTED = {
    "IR101": (10, "note"), "IR102": (11, "two"), "IR111": (15, "3x"), "IR105": (18, "FP23"), "IR213": (21, "zero"),
}  # fmt: skip


@pytest.mark.parametrize("code", EXPECTED)
def test_a_finding_stands_at_the_very_characters(code: str) -> None:
    finding = by_code(LINES.encode())[code]
    assert (finding.span.line, marked(finding)) == EXPECTED[code]


@pytest.mark.parametrize("code", EXPECTED)
@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace('version="1.0"', 'version="1.0" encoding="utf-16"', 1).encode("utf-16"),
        lambda text: text.replace('version="1.0"', 'version="1.0" encoding="cp1252"', 1).encode("cp1252"),
    ],
    ids=["carriage returns", "BOM", "UTF-16", "cp1252"],
)
def test_places_do_not_depend_on_the_encoding(code: str, encode: Callable[[str], bytes]) -> None:
    finding = by_code(encode(LINES))[code]
    line, text = EXPECTED[code]
    assert (finding.span.line, marked(finding)) == (line, text)


@pytest.mark.parametrize("code", EXPECTED)
def test_places_in_a_file_of_one_line(code: str) -> None:
    padded = LINES.replace("<net ", f"<!-- {'ä' * 5000} --><net ")
    finding = by_code(" ".join(padded.split("\n")).encode())[code]
    assert finding.span.line == 1
    assert marked(finding) == EXPECTED[code][1]


def test_a_tab_is_one_column() -> None:
    assert by_code(LINES.encode())["IR102"].span.column == len('\t\t\t      shape="') + 1


def test_the_layer_is_named_with_its_part() -> None:
    layer = by_code(LINES.encode())["IR111"].layer
    assert layer is not None
    assert (layer.id, layer.name, layer.type, layer.version) == ("0", "x > y", "Parameter", "opset1")
    assert layer.part == "output port 0, dimension 1"


def test_a_dimension_is_found_in_any_port() -> None:
    base = conv()
    lines = base.xml.splitlines()
    for number, line in enumerate(lines, 1):
        if "<dim>" not in line:
            continue
        broken = [*lines]
        broken[number - 1] = line.replace("<dim>", "<dim>x")
        codes = [
            (item.code, item.span.line) for item in Core().validate("\n".join(broken).encode(), base.weights).findings
        ]
        assert codes == [("IR111", number)]


def test_many_findings_in_one_long_line_take_linear_time() -> None:
    layers = "".join(
        f'<layer id="{n}" name="ä{n}" type="Parameter" version="opset1"><data shape="x" element_type="f32"/>'
        f'<output><port id="0" precision="FP32"/></output></layer>'
        for n in range(3000)
    )
    xml = f'<net version="11"><layers>{layers}</layers><edges/></net>'
    findings = list(Core().validate(xml.encode()).findings)
    assert len([item for item in findings if item.code == "IR102"]) == 3000
    assert all(marked(item) == "x" for item in findings if item.code == "IR102")
