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


@pytest.mark.parametrize(
    ("value", "help"),
    [
        ("[1, 1]", 'write strides="1, 1"'),
        ("1, 1, ", 'write strides="1, 1"'),
        ("a, 1", 'write whole numbers with commas between them, such as strides="1, 1"'),
    ],
)
def test_an_unreadable_value_says_how_it_is_written(value: str, help: str) -> None:
    assert 'strides="1, 1"' in conv().xml
    assert helps(conv().xml.replace('strides="1, 1"', f'strides="{value}"'), "IR102") == [("", help)]


@pytest.mark.parametrize(
    ("edge", "wrong", "help"),
    [
        (
            'to-layer="6" to-port="0"',
            'to-layer="77" to-port="0"',
            'write to-layer="6", the id of "out"',
        ),
        (
            'from-layer="1" from-port="0"',
            'from-layer="77" from-port="0"',
            'write from-layer="1", the id of "w"',
        ),
        (
            'from-layer="0" from-port="0"',
            'from-layer="77" from-port="5"',
            "write the id of a layer of this graph, or delete the edge",
        ),
    ],
)
def test_an_edge_of_an_absent_layer_names_the_layer_that_fits(edge: str, wrong: str, help: str) -> None:
    assert edge in conv().xml
    assert helps(conv().xml.replace(edge, wrong), "IR204") == [("", help)]


def test_edges_of_a_layer_with_a_wrong_id_name_it() -> None:
    wrong = conv().xml.replace('<layer id="5"', '<layer id="55"')
    line = wrong[: wrong.index('<layer id="55"')].count("\n") + 1
    assert helps(wrong, "IR204") == [("2 edges name it", f'write id="5" for the layer "relu" in line {line}')]
