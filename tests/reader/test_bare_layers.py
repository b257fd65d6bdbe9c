"""Layers without a net, as examples of operations show them, are checked as they stand."""

from __future__ import annotations

import re

import pytest

import ir_plugin as ov
from ir_plugin.diagnostics import Finding

RELU = '<layer type="Relu" ...><input><port id="0">{}</port></input><output><port id="1">{}</port></output></layer>'
TWO, THREE = "<dim>2</dim>", "<dim>3</dim>"


def ports(direction: str, *shapes: str) -> str:
    """Return the ports of a layer, whose lengths are separated by blanks."""
    dims = ["".join(f"<dim>{length}</dim>" for length in shape.split()) for shape in shapes]
    written = "\n".join(f'<port id="{number}">{text}</port>' for number, text in enumerate(dims))
    return f"<{direction}>\n{written}\n</{direction}>\n"


def layer(attributes: str, data: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> str:
    """Return a layer as a page writes it."""
    return f"<layer {attributes}>\n{data}\n{ports('input', *inputs)}{ports('output', *outputs)}</layer>\n"


RIGHT = {
    "dots among attributes": layer('... type="Clamp" ...', '<data min="0" max="6"/>', ("4 5",), ("4 5",)),
    "a character of dots": layer('… type="Elu"', '<data alpha="1.5" …/>', ("4 5",), ("4 5",)),
    "dots as values": layer('id="..." name=... type="Elu"', '<data alpha="2"/>', ("4",), ("4",)),
    "nothing left out": layer('id="7" name="a" type="Abs" version="opset1"', "", ("4",), ("4",)),
    "letters for lengths": layer('type="Sigmoid"', "", ("N C ?",), ("N C ...",)),
    "an older version by its inputs": layer(
        'type="Interpolate"',
        '<data axes="2,3" mode="nearest" align_corners="false"/>',
        ("1 3 4 4", "2"),
        ("1 3 8 8",),
    ),
    "integers that no port names": layer('type="Gather"', '<data batch_dims="0"/>', ("9 5", "3", ""), ("3 5",)),
    "ports left out": '<layer type="Softmax">\n<data axis="1"/>\n<input> ... </input><output>…</output>\n</layer>',
    "ports left out by a comment": '<layer type="Relu"><input><!-- ... --></input><output><!-- … --></output></layer>',
    "all left out": '<layer type="Concat">\n<data axis="1"/>\n...\n</layer>',
    "a comment first": "<!-- a note: 1 < 2 -->\n" + RELU.format(TWO, TWO),
    "a declaration and dots": '<?xml version="1.0"?>\n...\n' + RELU.format(TWO, TWO) + "\n...",
    "ports without ids": '<layer type="Relu"><input><port/></input><output><port/></output></layer>',
    "two layers of one id": RELU.replace("...", 'id="0"').format(TWO, TWO) * 2,
    "a variable": layer('type="ReadValue" version="opset3"', '<data variable_id="v"/>', ("2",), ("2",)),
}
WRONG = {
    "an unknown attribute": (layer('... type="Clamp"', '<data min="0" max="6" top="1"/>', ("4",), ("4",)), "IR101", 2),
    "an attribute that is missing": (layer('... type="Clamp"', '<data min="0"/>', ("4",), ("4",)), "IR103", 2),
    "a value of the wrong type": (layer('type="Elu" ...', '<data alpha="big"/>', ("4",), ("4",)), "IR102", 2),
    "an unknown operation": (layer('type="Reelu" ...', "", ("4",), ("4",)), "IR501", 1),
    "too many inputs": (layer('type="Relu" ...', "", ("4", "4"), ("4",)), "IR108", 3),
    "another output": (RELU.replace("<output>", "\n<output>").format(TWO, THREE), "IR302", 2),
    "inputs that do not fit": (layer('type="Add" ...', "", ("2 3", "2 4"), ("2 4",)), "IR301", 1),
    "a length that is none": (RELU.format("<dim>-7</dim>", TWO), "IR111", 1),
    "the second of two": (RELU.format(TWO, TWO) + "\n" + RELU.format(TWO, THREE), "IR302", 2),
    "a lost quote": (layer('... type="Clamp"', '<data min="0 max="6"/>', ("4",), ("4",)), "IR002", 2),
    "a lost end tag": (RELU.format(TWO, TWO).replace("</output>", ""), "IR002", 1),
    "a layer that is not closed": ('<layer type="Relu" ...>\n<input>', "IR002", 2),
}


def findings_of(text: str) -> list[Finding]:
    return [finding for finding in ov.validate(text.encode()).findings if finding.code != "IR007"]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_layer_has_no_fault(name: str) -> None:
    assert [(finding.code, finding.message) for finding in findings_of(RIGHT[name])] == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_layer_has_its_fault_where_the_file_has_it(name: str) -> None:
    text, code, line = WRONG[name]
    finding = findings_of(text)[0]
    assert (finding.code, finding.span.line) == (code, line)
    assert finding.span.text == text.split("\n")[line - 1]


def test_places_are_those_of_the_file_in_its_first_line() -> None:
    text = "… " + RELU.format(TWO, THREE)
    (finding,) = findings_of(text)
    assert text[finding.span.column - 1 :].startswith("3</dim>")


@pytest.mark.parametrize("name", [name for name in RIGHT if name not in ("a variable", "two layers of one id")])
def test_the_net_of_the_help_runs_the_layer(name: str) -> None:
    text = RIGHT[name]
    (note,) = [finding for finding in ov.validate(text.encode()).findings if finding.code == "IR007"]
    net = re.search(r"<net .*</net>", note.help)
    assert net is not None
    words = re.findall(r'(id|name|version)="([^"]*)"', note.help.partition(" in the layer")[0])
    assert [word for word, _ in words] == ["id", "name", "version"]
    types = re.findall(r'element_type="(\w+)"', net[0])
    assert set(types) <= {"f32", "i64"}


@pytest.mark.parametrize("words", ["a", " ", "a=", "a ", "'"])
def test_a_long_tag_takes_no_more_than_one_pass(words: str) -> None:
    assert ov.validate(f"<layer {words * 200_000} .../>".encode()).findings


def test_gather_takes_whole_numbers() -> None:
    note = ov.validate(RIGHT["integers that no port names"].encode()).findings[0]
    assert re.findall(r'element_type="(\w+)"', note.help) == ["f32", "i64", "i64"]


def test_a_bare_layer_is_no_model() -> None:
    with pytest.raises(ov.ReadError, match="the root element is <layer>"):
        ov.Core().read_model(RELU.replace("...", "").format(TWO, TWO))


@pytest.mark.parametrize("text", ["<layers/>", "<net><layer/></net>", "words <layer/>", "<!-- <layer/> --><mapping/>"])
def test_other_files_are_not_taken_for_layers(text: str) -> None:
    assert "IR007" not in [finding.code for finding in ov.validate(text.encode()).findings]
