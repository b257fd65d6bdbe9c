"""Findings of ONNX models: all at once, in every format, and none that one fault causes elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx
from click.testing import CliRunner
from onnx import parser

import ir_plugin as ov
from ir_plugin.cli.app import app
from ir_plugin.diagnostics.render import FORMATS, render
from tests.findings.onnx_models import text
from tests.onnx.cases import cases

MANY = """<ir_version: 10, opset_import: ["" : 22]> main (float[2, 3] x) => (float[2, 2] y, z)
    { [soft] a = Softmax<axes = 1>(x)  [bad] b = Rellu(a)  [after] c = MatMul(b, x)  [early] d = Neg(e)
      [late] e = Relu(x)  [turn] y = Transpose(x)  [twice] e = Abs(x) }"""


def codes(proto: Any) -> list[str]:
    return [finding.code for finding in ov.Core().validate(proto).findings]


def test_all_faults_are_reported_at_once_and_none_twice() -> None:
    found = ov.Core().validate(parser.parse_model(MANY)).findings
    assert sorted((finding.code, finding.layer.name if finding.layer else "") for finding in found) == [
        ("ON101", "soft"), ("ON201", "twice"), ("ON203", "early"), ("ON204", ""), ("ON303", "turn"), ("ON501", "bad"),
    ]  # fmt: skip
    assert all(finding.help for finding in found)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_shows_them(format: str) -> None:
    shown = render(ov.Core().validate(parser.parse_model(MANY)).findings, format)
    assert "ON501" in shown
    assert "bad" in shown


def test_the_command_gives_statuses_and_reads_folders(tmp_path: Path) -> None:
    onnx.save(parser.parse_model(MANY), tmp_path / "wrong.onnx")
    onnx.save(text("y = Relu(x)"), tmp_path / "right.onnx")
    result = CliRunner().invoke(app, ["check", str(tmp_path), "--json"])
    assert result.exit_code == 1
    assert {Path(finding["file"]).name for finding in json.loads(result.stdout)["findings"]} == {"wrong.onnx"}
    assert CliRunner().invoke(app, ["check", str(tmp_path / "right.onnx")]).exit_code == 0
    assert CliRunner().invoke(app, ["check", str(tmp_path), "--select", "ON303"]).exit_code == 1


def test_bodies_are_checked_with_the_names_around_them() -> None:
    node = onnx.helper.make_node(
        "If", ["c"], ["y"], name="choice",
        then_branch=parser.parse_graph("g () => (float[3, 3] p) { p = Relu(x) }"),
        else_branch=parser.parse_graph("h () => (q) { [odd] q = Rellu(unheard) }"),
    )  # fmt: skip
    proto = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 22]> main (bool c, float[2, 3] x) => (float[N, 3] y) { y = Relu(x) }'
    )
    proto.graph.node[0].CopyFrom(node)
    found = ov.Core().validate(proto).findings
    assert [(finding.code, finding.layer.path) for finding in found if finding.layer] == [
        ("ON501", ("choice/else_branch",)), ("ON204", ("choice/else_branch",)), ("ON303", ("choice/then_branch",)),
    ]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_a_link_out_of_the_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "outside.bin").write_bytes(bytes(24))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "weights.bin").symlink_to(tmp_path / "outside.bin")
    proto = text("y = Add(x, w)")
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[2, 3])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")
    proto.graph.initializer.append(tensor)
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    assert codes(folder / "m.onnx") == ["ON402"]


@pytest.mark.parametrize("name", sorted(cases())[::40])
@pytest.mark.filterwarnings("ignore")
def test_models_of_onnx_have_no_finding_but_what_is_unsupported(name: str) -> None:
    computes_unused = {"ON207"} if name.endswith("_expanded") else set()
    assert set(codes(cases()[name].model())) <= {"ON504", *computes_unused}
