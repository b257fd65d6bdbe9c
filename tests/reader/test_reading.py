"""Layers, ports, names and versions as IRs write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, ReadError
from ir_plugin.reader.layer_cache import split_names
from tests.hostile.bases import conv, layer, net, port


def test_ports_are_matched_by_id_and_not_by_position() -> None:
    ports = [port(8, [2]), port(3, [2])]
    xml = net(
        [
            layer(0, "a", "Parameter", 'shape="2" element_type="f32"', (), [port(5, [2])]),
            layer(1, "b", "Parameter", 'shape="2" element_type="f32"', (), [port(0, [2])]),
            layer(7, "minus", "Subtract", "", ports, [port(3, [2])]),
            layer(4, "out", "Result", "", [port(9, [2])]),
        ],
        [(1, 0, 7, 3), (0, 5, 7, 8), (7, 3, 4, 9)],
    ).encode()
    model = Core().compile_model(xml)
    assert model({"a": [5, 6], "b": [1, 1]})[0].tolist() == [4, 5]
    theirs = ov.Core().compile_model(ov.Core().read_model(xml, b""), "CPU")
    assert theirs([np.array(pair, np.float32) for pair in ([5, 6], [1, 1])])[0].tolist() == [4, 5]


def test_inputs_and_outputs_are_in_the_order_of_the_file() -> None:
    xml = net(
        [
            layer(2, "second", "Result", "", [port(0, [2])]),
            layer(5, "b", "Parameter", 'shape="2" element_type="f32"', (), [port(0, [2])]),
            layer(1, "a", "Parameter", 'shape="3" element_type="f32"', (), [port(0, [3])]),
            layer(0, "first", "Result", "", [port(0, [3])]),
        ],
        [(1, 0, 0, 0), (5, 0, 2, 0)],
    )
    model = Core().read_model(xml.encode())
    assert [node.name for node in model.parameters] == ["b", "a"]
    assert [node.name for node in model.results] == ["second", "first"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]), ("a,b", ["a", "b"]), (r"a\,b,c", ["a,b", "c"]), ("", []), (",a,,", ["a"]), (" a ,b", [" a ",
        "b"]),
        (r"a\b", [r"a\b"]), ("a\\", ["a\\"]), (r"\,", [","]),
    ],
)  # fmt: skip
def test_tensor_names_are_separated_by_commas(text: str, names: list[str]) -> None:
    assert split_names(text) == names


def test_tensor_names_as_openvino_writes_them(tmp_path: Path) -> None:
    parameter = ops.parameter([2], np.float32, name="x")
    parameter.output(0).set_names({"a,b", 'q"<&>', " blank ", "plain"})
    ov.serialize(ov.Model([ops.result(parameter)], [parameter], "model"), tmp_path / "model.xml")
    model = Core().read_model(tmp_path / "model.xml")
    assert model.inputs[0].names == ov.Core().read_model(tmp_path / "model.xml").inputs[0].names


def test_ports_without_precision_and_dimensions_are_read_and_inferred() -> None:
    """OpenVINO's specification pages print layers so, and OpenVINO refuses them."""
    base = conv()
    xml = "".join(line for line in base.xml.splitlines(keepends=True) if "<dim>" not in line)
    xml = xml.replace(' precision="FP32"', "")
    model = Core().read_model(xml.encode(), base.weights)
    assert str(model.outputs[0].partial_shape) == "[1,4,8,8]"
    with pytest.raises(RuntimeError):
        ov.Core().read_model(xml.encode(), base.weights)


PAGE = """
<layer id="1" type="GatherElements" name="elements" version="opset6">
    <data axis="1" />
    <input>
        <port id="0">
            <dim>3</dim>
            <dim>7</dim>
            <dim>5</dim>
        </port>
        <port id="1">
            <dim>3</dim>
            <dim>10</dim>
            <dim>5</dim>
        </port>
    </input>
    <output>
        <port id="2">
            <dim>3</dim>
            <dim>10</dim>
            <dim>5</dim>
        </port>
    </output>
</layer>
"""


def test_a_layer_as_a_specification_page_prints_it() -> None:
    ends = [
        layer(0, "data", "Parameter", 'shape="3,7,5" element_type="f32"', (), ['<port id="0"/>']),
        PAGE,
        layer(2, "indices", "Parameter", 'shape="3,10,5" element_type="i64"', (), ['<port id="0"/>']),
        layer(3, "out", "Result", "", ['<port id="0"/>']),
    ]
    report = Core().validate(net(ends, [(0, 0, 1, 0), (2, 0, 1, 1), (1, 2, 3, 0)]).encode())
    (finding,) = report.findings
    assert finding.layer is not None
    assert (finding.code, finding.severity, finding.layer.id) == ("IR103", "warning", "0")


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("2", "OpenVINO of 2019 or older"), ("6", "OpenVINO of 2019 or older"), ("7", "OpenVINO 2020.4 or older"),
        ("8", "no OpenVINO wrote this version"), ("9", "no OpenVINO wrote this version"), ("12", "newer OpenVINO"),
        ("abc", "is not a number"), ("", "is not a number"), ("1" * 50, "is not a number"),
    ],
)  # fmt: skip
def test_another_version_is_refused_by_name_with_advice(version: str, says: str) -> None:
    with pytest.raises(ReadError) as caught:
        Core().read_model(conv().xml.replace('version="11"', f'version="{version}"').encode(), conv().weights)
    assert says in str(caught.value)
    assert version[:20] in str(caught.value)


def test_version_10_names_tensors_as_layers() -> None:
    base = conv()
    model = Core().read_model(base.xml.replace('version="11"', 'version="10"').encode(), base.weights)
    assert {"x"} <= model.inputs[0].names
    assert {"y", "relu"} == model.outputs[0].names


def test_a_trailing_input_without_edge_is_reported_and_otherwise_no_input() -> None:
    ends = [
        layer(0, "x", "Parameter", 'shape="1,2" element_type="f32"', (), [port(0, [1, 2])]),
        layer(1, "squeeze", "Squeeze", "", [port(0, [1, 2]), port(1, [1], "I64")], [port(2, [2])]),
        layer(2, "out", "Result", "", [port(0, [2])]),
    ]
    xml = net(ends, [(0, 0, 1, 0), (1, 2, 2, 0)]).encode()
    [finding] = Core().validate(xml).findings
    assert finding.code == "IR207"
    assert "remove the port" in finding.help
    model = Core().read_model(xml, validate=False)
    assert [len(node.inputs) for node in model.get_ordered_ops() if node.get_type_name() == "Squeeze"] == [1]


def test_several_faults_of_one_file_are_all_found_in_one_run() -> None:
    base = conv()
    xml = base.xml
    for old, new in (
        ('strides="1, 1"', 'stride="1, 1"'), ('shape="1, 4, 1, 1"', 'shape="1, 4, 1, one"'), ('type="ReLU"',
        'type="ReLV"'),
        ("    </edges>", '        <edge from-layer="9" from-port="0" to-layer="9" to-port="0"/>\n    </edges>'),
        ("<rt_info/>", "<rt_infos/>"), ('name="out"', 'name="relu"'),
    ):  # fmt: skip
        assert old in xml
        xml = xml.replace(old, new, 1)
    findings = Core().validate(xml.encode(), base.weights[:440]).findings
    assert sorted(finding.code for finding in findings) == ["IR101", "IR102", "IR107", "IR202", "IR204", "IR501"]
