"""Names of inputs and outputs of version 10 files, which are those of layers too: OpenVINO refuses collisions."""

from __future__ import annotations

import openvino as ov
import pytest

import ir_plugin

ROW = "<dim>1</dim><dim>2</dim>"
HALF = "<dim>1</dim><dim>1</dim>"
AXIS = (
    '<layer id="7" name="c" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>'
    '<output><port id="0" precision="I64"/></output></layer>'
)
SPLIT_EDGES = [(0, 0, 8, 0), (7, 0, 8, 1)]


def output(id: int, dims: str, names: str) -> str:
    return f'<port id="{id}" precision="FP32"{names and f""" names="{names}" """}>{dims}</port>'


def parameter(id: int, name: str, names: str = "") -> str:
    data = '<data shape="1,2" element_type="f32"/>'
    layer = f'<layer id="{id}" name="{name}" type="Parameter" version="opset1">{data}'
    return f"{layer}<output>{output(0, ROW, names)}</output></layer>"


def relu(id: int, name: str, names: str = "") -> str:
    return (
        f'<layer id="{id}" name="{name}" type="ReLU" version="opset1"><input><port id="0">{ROW}</port></input>'
        f"<output>{output(1, ROW, names)}</output></layer>"
    )


def split(first: str = "", second: str = "") -> str:
    return AXIS + (
        '<layer id="8" name="s" type="Split" version="opset1"><data num_splits="2"/><input>'
        f'<port id="0">{ROW}</port><port id="1"/></input>'
        f"<output>{output(2, HALF, first)}{output(3, HALF, second)}</output></layer>"
    )


def result(id: int, name: str, dims: str = ROW) -> str:
    port = f'<input><port id="0">{dims}</port></input>'
    return f'<layer id="{id}" name="{name}" type="Result" version="opset1">{port}</layer>'


HALVES = result(1, "r", HALF) + result(2, "r2", HALF)
HALVES_EDGES = [*SPLIT_EDGES, (8, 2, 1, 0), (8, 3, 2, 0)]
CHAIN = [(0, 0, 1, 0), (1, 1, 2, 0)]
FORK = [*CHAIN, (1, 1, 3, 0)]
TWO = [(0, 0, 1, 0), (0, 0, 2, 0), (1, 1, 3, 0), (2, 1, 4, 0)]
Edges = list[tuple[int, int, int, int]]

ACCEPTED: dict[str, tuple[str, Edges]] = {
    "an input that is an output": (parameter(0, "x") + result(1, "r"), [(0, 0, 1, 0)]),
    "an input that is two outputs": (parameter(0, "x") + result(1, "r") + result(2, "q"), [(0, 0, 1, 0), (0, 0, 2, 0)]),
    "the layers' own": (parameter(0, "x", "x") + relu(1, "y", "y") + result(2, "z"), CHAIN),
    "a Result's name": (parameter(0, "x", "z") + relu(1, "y") + result(2, "z"), CHAIN),
    "two Results without tensor names": (parameter(0, "x") + relu(1, "y") + result(2, "z") + result(3, "q"), FORK),
    "outputs of a layer with several": (parameter(0, "x") + split() + HALVES, HALVES_EDGES),
    "and names of their own": (parameter(0, "x") + split("a", "b") + HALVES, HALVES_EDGES),
    "one of several": (parameter(0, "x") + split() + result(1, "r", HALF), [*SPLIT_EDGES, (8, 2, 1, 0)]),
    "layers inside": (parameter(0, "x") + relu(1, "x", "z") + relu(2, "z") + result(3, "r"), [*CHAIN, (2, 1, 3, 0)]),
}
REFUSED: dict[str, tuple[str, Edges]] = {
    "an output's layer and an input": (parameter(0, "x", "y") + relu(1, "y") + result(2, "z"), CHAIN),
    "an input's layer and an output": (parameter(0, "x") + relu(1, "y", "x") + result(2, "z"), CHAIN),
    "the layers of an input and an output": (parameter(0, "x") + relu(1, "x") + result(2, "z"), CHAIN),
    "two Results of named": (parameter(0, "x") + relu(1, "y", "y") + result(2, "z") + result(3, "q"), FORK),
    "a named input that is an output": (parameter(0, "x", "a") + result(1, "r"), [(0, 0, 1, 0)]),
    "a numbered output and an input": (parameter(0, "s.0") + split() + HALVES, HALVES_EDGES),
    "numbered outputs, exchanged": (parameter(0, "x") + split("s.1", "s.0") + HALVES, HALVES_EDGES),
    "two inputs": (
        parameter(0, "x") + parameter(3, "x") + result(1, "r") + result(2, "q"),
        [(0, 0, 1, 0), (3, 0, 2, 0)],
    ),
    "two outputs": (parameter(0, "x") + relu(1, "y") + relu(2, "y") + result(3, "r") + result(4, "q"), TWO),
    "two outputs, exchanged": (
        parameter(0, "x") + relu(1, "y", "z") + relu(2, "z", "y") + result(3, "r") + result(4, "q"),
        TWO,
    ),
}


def xml(layers: str, edges: Edges, version: int = 10) -> bytes:
    ends = (f'from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"' for a, b, c, d in edges)
    written = "".join(f"<edge {text}/>" for text in ends)
    net = f'<net name="m" version="{version}"><layers>{layers}</layers><edges>{written}</edges></net>'
    return f'<?xml version="1.0"?>{net}'.encode()


WEIGHTS = bytes([1, *[0] * 7])


@pytest.mark.parametrize("case", ACCEPTED)
def test_names_are_those_of_openvino(case: str) -> None:
    text = xml(*ACCEPTED[case])
    ours, theirs = ir_plugin.Core().read_model(text, WEIGHTS), ov.Core().read_model(text, WEIGHTS)
    names = [[port.get_names() for port in (*model.inputs, *model.outputs)] for model in (ours, theirs)]
    assert names[0] == names[1]


@pytest.mark.parametrize("case", REFUSED)
def test_what_openvino_refuses_is_an_error(case: str) -> None:
    text = xml(*REFUSED[case])
    with pytest.raises(RuntimeError, match="collisions"):
        ov.Core().read_model(text, WEIGHTS)
    findings = [item for item in ir_plugin.validate(text, WEIGHTS).findings if item.severity == "error"]
    assert {finding.code for finding in findings} == {"IR214"}
    assert all('version="11"' in finding.help for finding in findings)
    ir_plugin.Core().read_model(text, WEIGHTS, validate=False)


@pytest.mark.parametrize("case", [case for case in REFUSED if not case.startswith("numbered")])
def test_version_11_has_no_such_names(case: str) -> None:
    text = xml(*REFUSED[case], version=11)
    ov.Core().read_model(text, WEIGHTS)
    ir_plugin.Core().read_model(text, WEIGHTS)
