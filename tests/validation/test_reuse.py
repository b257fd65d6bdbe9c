"""Files that are read again, and by what is cached of other files, give what reading them for the first time gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import Core, opset13
from ir_plugin.model import Node
from ir_plugin.reader import graph
from ir_plugin.reader.layer_cache import LayerCache
from ir_plugin.validation import Report
from tests.hostile.table import VARIANTS

FINDINGS = sorted((Path(__file__).parents[1] / "findings").glob("*.xml"))
SAMPLES = sorted((Path(__file__).parents[2] / "samples").rglob("*.xml"))


def thoroughly(text: bytes, weights: Path | bytes | None) -> Report:
    """Return the report of an IR that is read without what is cached."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LayerCache, "get", lambda *_: None)
        return Core().validate(text, weights)


def described(report: Report) -> tuple[str, list[object]]:
    """Return the findings of a report, and all of its model that can be seen."""
    nodes = report.model.nodes if report.model is not None else []
    return str(report), [*map(_described, nodes)]


def _described(node: Node) -> list[object]:
    own = [node.id, node.name, node.get_type_info(), node.attributes, str(node.get_attributes()), dict(node.rt_info)]
    sources = [None if port.source is None else port.source.node.id for port in node.inputs]
    inputs = [(port.port_id, port.declared, str(port.tensor_info)) for port in node.inputs]
    outputs = [
        (port.port_id, port.declared, str(port.tensor_info), str(port.tensor_info.value)) for port in node.outputs
    ]
    return [own, sources, inputs, outputs, [(port.names, dict(port.rt_info)) for port in node.outputs]]


@pytest.mark.parametrize("path", [*FINDINGS, *SAMPLES], ids=lambda path: path.stem)
def test_a_file_is_read_alike_each_time(path: Path) -> None:
    text, beside = path.read_bytes(), path.with_suffix(".bin")
    weights = beside if beside.exists() else b""
    thorough = described(thoroughly(text, weights))
    for _ in range(3):
        assert described(Core().validate(text, weights)) == thorough


@pytest.mark.parametrize("name", VARIANTS)
def test_a_malformed_file_is_read_alike_each_time(name: str) -> None:
    xml, weights = VARIANTS[name].xml, VARIANTS[name].bin
    thorough = str(thoroughly(xml, weights))
    for _ in range(2):
        assert str(Core().validate(xml, weights)) == thorough


PLANES = """<net name="planes" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4,4,3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>4</dim><dim>4</dim><dim>3</dim></port></output></layer>
<layer id="1" name="planes" type="BGRtoNV12" version="opset17"><data single_plane="false"/>
<input><port id="0"><dim>1</dim><dim>4</dim><dim>4</dim><dim>3</dim></port></input>
<output><port id="1" precision="FP32"><dim>1</dim><dim>4</dim><dim>4</dim><dim>1</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1">
<input><port id="0"><dim>1</dim><dim>4</dim><dim>4</dim><dim>1</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_an_output_that_is_not_declared_is_added_and_found_each_time() -> None:
    for _ in range(3):
        report = Core().validate(PLANES.encode(), b"")
        assert [finding.code for finding in report.findings] == ["IR306"]
        assert report.model is not None
        assert sorted(len(node.outputs) for node in report.model.nodes) == [1, 1, 2]


def reshaped(folder: Path, *patterns: tuple[int, ...]) -> tuple[bytes, bytes]:
    """Return the XML and weights of a model that reshapes 24 numbers by each pattern."""
    data = opset13.parameter([2, 12], ov.Type.f32, name="data")
    outputs = [opset13.reshape(data, np.array(pattern, np.int64), False) for pattern in patterns]
    path = folder / "reshaped.xml"
    ov.serialize(ov.Model(outputs, [data], "reshaped"), path)
    return path.read_bytes(), path.with_suffix(".bin").read_bytes()


def test_shapes_that_depend_on_values_are_inferred_by_values(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(graph, "LAYERS", LayerCache())
    for patterns in (((4, 6), (3, 8)), ((3, 8), (4, 6)), ((8, 3), (4, 6))):
        model = Core().read_model(*reshaped(tmp_path, *patterns))
        assert [tuple(port.shape) for port in model.outputs] == list(patterns)


def computed(folder: Path, length: int | tuple[int, int]) -> tuple[bytes, bytes]:
    """Return a model that reshapes [length, 12] by numbers that several layers compute from lengths and constants."""
    data = opset13.parameter(ov.PartialShape([length, 12]), ov.Type.f32, name="data")
    lengths = opset13.shape_of(data, "i64")
    rows = opset13.gather(lengths, np.array([0], np.int64), np.int64(0))
    wide = opset13.concat([opset13.multiply(rows, np.array([2], np.int64)), np.array([6], np.int64)], 0)
    shaped = opset13.reshape(data, wide, False)
    filled = opset13.broadcast(opset13.constant(np.float32(0)), wide)
    path = folder / "computed.xml"
    ov.serialize(ov.Model([shaped, filled], [data], "computed"), path)
    return path.read_bytes(), path.with_suffix(".bin").read_bytes()


@pytest.mark.parametrize("lengths", [(2, 5, 2), ((1, 4), (1, 9), (1, 4)), (-1, 3, -1)])
def test_shapes_that_depend_on_computed_values(tmp_path: Path, lengths: tuple[int | tuple[int, int], ...]) -> None:
    for length in lengths:
        xml, weights = computed(tmp_path, length)
        thorough = described(thoroughly(xml, weights))
        assert [described(Core().validate(xml, weights)) for _ in range(2)] == [thorough] * 2


def test_computed_values_that_do_not_fit_are_found_again(tmp_path: Path) -> None:
    xml, weights = computed(tmp_path, 3)
    wrong = weights.replace(np.array([6], np.int64).tobytes(), np.array([7], np.int64).tobytes())
    assert wrong != weights
    for _ in range(2):
        assert Core().validate(xml, weights).ok
        assert {finding.code for finding in Core().validate(xml, wrong).findings} == {"IR301", "IR302"}


def test_values_that_do_not_fit_are_found_again(tmp_path: Path) -> None:
    xml, weights = reshaped(tmp_path, (4, 6))
    wrong = np.array([5, 6], np.int64).tobytes()
    for _ in range(2):
        assert Core().validate(xml, weights).ok
        assert [finding.code for finding in Core().validate(xml, wrong).findings] == ["IR301"]


def test_models_of_one_text_share_nothing_that_changes(tmp_path: Path) -> None:
    xml, weights = reshaped(tmp_path, (4, 6))
    first, second = (Core().read_model(xml, weights) for _ in range(2))
    before = described(Core().validate(xml, weights))
    node = next(node for node in first.get_ops() if node.get_type_name() == "Reshape")
    node.set_attribute("special_zero", True)
    node.attributes["special_zero"] = "other"
    node.get_rt_info()["mine"] = "1"
    node.output(0).get_tensor().set_names({"renamed"})
    first.reshape({"data": [2, -1]})
    unchanged = next(node for node in second.get_ops() if node.get_type_name() == "Reshape")
    assert unchanged.get_attributes()["special_zero"] is False
    assert "mine" not in unchanged.get_rt_info()
    assert unchanged.output(0).get_names() != {"renamed"}
    assert described(Core().validate(xml, weights)) == before
