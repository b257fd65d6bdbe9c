"""The help of findings about a graph: names of other formats, edges that are missing or form a cycle."""

from __future__ import annotations

import pytest

from ir_plugin import Core, InputError
from tests.hostile.bases import conv


def helps(xml: str, code: str) -> list[tuple[str, str]]:
    findings = Core().validate(xml.encode(), conv().weights).findings
    return [(finding.because, finding.help) for finding in findings if finding.code == code]


@pytest.mark.parametrize(
    ("name", "meant"), [("Conv", "Convolution"), ("conv2d", "Convolution"), ("Convolutio", "Convolution")]
)
def test_a_type_of_another_format_is_named_as_here(name: str, meant: str) -> None:
    found = helps(conv().xml.replace('type="Convolution"', f'type="{name}"'), "IR501")
    assert found == [("", f'did you mean "{meant}"?')]


def test_a_missing_edge_is_suggested_from_the_output_that_fits() -> None:
    edge = '<edge from-layer="5" from-port="1" to-layer="6" to-port="0"/>'
    assert edge in conv().xml
    assert helps(conv().xml.replace(edge, ""), "IR207") == [("", f"write {edge}")]


def test_a_cycle_shows_its_edges_with_their_lines() -> None:
    edge = '<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>'
    wrong = '<edge from-layer="5" from-port="1" to-layer="5" to-port="0"/>'
    assert edge in conv().xml
    line = conv().xml[: conv().xml.index(edge)].count("\n") + 1
    because = f"the edges are 5:1 -> 5:0 (line {line})"
    assert helps(conv().xml.replace(edge, wrong), "IR208") == [(because, "remove one of these edges")]


def test_a_property_is_suggested_by_a_part_of_its_name() -> None:
    with pytest.raises(InputError, match=r"no property 'THREADS'; did you mean \"INFERENCE_NUM_THREADS\"\?"):
        Core().set_property({"THREADS": 2})
    with pytest.raises(InputError, match=r"known are OPTIMIZE, .* \(\d+ in all\)$") as fault:
        Core().set_property({"FROB": 2})
    assert len(str(fault.value)) < 400
