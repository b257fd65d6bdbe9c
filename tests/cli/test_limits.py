"""The limits of `ir-plugin check`: bytes, layers and elements of a file, each with a code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reader.odd_files import IR
from tests.support.ir import build
from tests.support.sample import const, param
from tests.support.verbs import call

TRILLION = 10**12


def findings_of(path: Path, *options: object) -> list[tuple[str, str]]:
    done = call("check", path, "--json", *options)
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)["findings"]
    assert done.returncode == int(any(item["severity"] == "error" for item in found))
    return [(item["code"], item["message"]) for item in found]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.xml"
    path.write_bytes(IR)
    return path


def test_a_file_within_the_limits_has_no_finding(model: Path) -> None:
    assert findings_of(model, "--limit-bytes", len(IR), "--limit-layers", 2, "--limit-elements", 2) == []


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--limit-bytes", len(IR) - 1, f"the file has {len(IR)} bytes; the limit is {len(IR) - 1}"),
        ("--limit-layers", 1, "the file has 2 layers; the limit is 1"),
        ("--limit-elements", 1, "an output has 2 elements; the limit is 1"),
    ],
)
def test_a_file_beyond_a_limit_is_refused(model: Path, option: str, value: int, message: str) -> None:
    assert findings_of(model, option, value)[0] == ("IR004", message)


@pytest.mark.parametrize("option", ["--limit-bytes", "--limit-layers", "--limit-elements"])
@pytest.mark.parametrize("value", ["0", "-1", "many"])
def test_a_limit_is_a_whole_number(model: Path, option: str, value: str) -> None:
    assert call("check", model, option, value).returncode == 2


def test_a_declared_length_of_a_trillion_is_refused_by_default(model: Path) -> None:
    text = IR.replace(b'shape="2"', b'shape="%d"' % TRILLION).replace(b"<dim>2<", b"<dim>%d<" % TRILLION)
    model.write_bytes(text)
    message = f"an output has {TRILLION} elements; the limit is {2**32}"
    assert findings_of(model) == [("IR004", message)]
    assert findings_of(model, "--limit-elements", TRILLION) == []


def test_a_computed_length_of_a_trillion_is_refused_by_default(tmp_path: Path) -> None:
    ir = build("Broadcast", 3, [param([1.0]), const([TRILLION])], {"mode": "numpy"}, 1)
    path = tmp_path / "model.xml"
    path.write_bytes(ir.xml if isinstance(ir.xml, bytes) else ir.xml.encode())
    path.with_suffix(".bin").write_bytes(ir.weights)
    codes = [code for code, _ in findings_of(path)]
    assert "IR004" in codes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_element_has_at_most_a_thousand_attributes(model: Path, encoding: str) -> None:
    for count in (1000, 1001):
        attributes = " ".join(f"a{number}=''" for number in range(count - 2))
        text = IR.decode().replace('<data shape="2"', f'<data {attributes} shape="2"')
        model.write_bytes(text.encode(encoding))
        codes = [code for code, _ in findings_of(model)]
        assert ("IR004" in codes) == (count > 1000)


def test_layers_of_bodies_count(tmp_path: Path) -> None:
    text = (
        b"<net version='11'><layers><layer><body><layers>"
        + b"<layer/>" * 9
        + b"</layers></body></layer></layers></net>"
    )
    path = tmp_path / "model.xml"
    path.write_bytes(text)
    assert findings_of(path, "--limit-layers", 9)[0] == ("IR004", "the file has 10 layers; the limit is 9")


@pytest.mark.parametrize(("option", "value"), [("--limit-bytes", 20), ("--limit-layers", 1), ("--limit-elements", 5)])
def test_an_onnx_model_has_the_same_limits(tmp_path: Path, option: str, value: int) -> None:
    onnx = pytest.importorskip("onnx")
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [helper.make_node("Abs", ["x"], ["y"]), helper.make_node("Neg", ["y"], ["z"])]
    ends = [helper.make_tensor_value_info(name, float32, [2, 3]) for name in "xz"]
    proto = helper.make_model(helper.make_graph(nodes, "graph", ends[:1], ends[1:]))
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    assert "ON005" not in [code for code, _ in findings_of(path)]
    assert "ON005" in [code for code, _ in findings_of(path, option, value)]
    assert "fixable" not in call("check", path, option, value).stdout, "a file beyond a limit is read no further"
