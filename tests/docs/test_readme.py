"""What the README shows and claims: its pictures are those of real runs, and its table holds for installed tools."""

from __future__ import annotations

import importlib.metadata
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ir_plugin
from ir_plugin.cli.app import app
from tests.docs import pictures
from tests.support.browser import in_browser, needs_browser
from tests.support.changed import DIGITS

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in README.partition("## Beside other tools")[2].partition("\n## ")[0].splitlines()
    if line.startswith("|") and "---" not in line
]
TOOLS = ROWS[0][1:]
TABLE = {row[0]: dict(zip(TOOLS, row[1:], strict=True)) for row in ROWS[1:]}
PACKAGES = {"ir_plugin": "ir-plugin", "onnx.reference": "onnx"}


@pytest.fixture(scope="module")
def onnx_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    ports = [helper.make_tensor_value_info(name, kind, [2]) for name in ("x", "y")]
    nodes = [helper.make_node("Relu", ["x"], ["inner"]), helper.make_node("Neg", ["inner"], ["y"])]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:])
    path = tmp_path_factory.mktemp("onnx") / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def loads(load: Callable[[], Any]) -> bool:
    """Return whether a file loads."""
    try:
        load()
    except Exception:  # noqa: BLE001 each tool has errors of its own
        return False
    return True


def loader(tool: str) -> Callable[[Path], Any]:
    """Return what loads and compiles a file with a tool."""
    if tool == "ir_plugin":
        return ir_plugin.compile_model
    if tool == "OpenVINO":
        openvino = pytest.importorskip("openvino")
        return lambda path: openvino.compile_model(path, "CPU")
    if tool == "onnxruntime":
        runtime = pytest.importorskip("onnxruntime")
        return lambda path: runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    reference = pytest.importorskip("onnx.reference")
    return lambda path: reference.ReferenceEvaluator(str(path))


RUNNING = [tool for tool in TOOLS if tool != "Netron"]
"""The tools that run models, which are installed for tests."""


@pytest.mark.parametrize("tool", RUNNING)
def test_what_a_tool_reads_and_runs(tool: str, onnx_path: Path) -> None:
    load = loader(tool)
    assert TABLE["reads OpenVINO IR"][tool] == ("yes" if loads(lambda: load(DIGITS)) else "no")
    assert TABLE["reads ONNX"][tool] == ("yes" if loads(lambda: load(onnx_path)) else "no")
    assert TABLE["runs a model"][tool] == "yes"


@pytest.mark.parametrize("tool", RUNNING)
def test_compiled_code(tool: str) -> None:
    files = importlib.metadata.files(PACKAGES.get(tool, tool.lower())) or []
    is_compiled = any(re.search(r"\.(so|pyd|dylib|dll)(\.|$)", file.name) for file in files)
    assert TABLE["the package has no compiled code"][tool] == ("no" if is_compiled else "yes")


def test_faults_in_one_run(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    names = ("conv1", "conv3")
    text = DIGITS.read_text("utf-8")
    for name in names:
        text = re.sub(
            rf'(name="{name}" type="Convolution".*?strides=")1, 1', r"\g<1>0, 0", text, count=1, flags=re.DOTALL
        )
    path = tmp_path / "broken.xml"
    path.write_text(text, "utf-8")
    path.with_suffix(".bin").write_bytes(DIGITS.with_suffix(".bin").read_bytes())
    reported = str(ir_plugin.validate(path))
    assert all(f'"{name}"' in reported for name in names)
    with pytest.raises(RuntimeError) as fault:
        openvino.Core().read_model(path)
    assert [name in str(fault.value) for name in names].count(True) < 2
    row = TABLE["all faults of a broken IR in one run"]
    assert (row["ir_plugin"], row["OpenVINO"]) == ("yes", "no")


def test_outputs_of_every_layer(onnx_path: Path) -> None:
    row, feed = TABLE["outputs of every layer from one call"], np.array([1, -2], np.float32)
    inside = ir_plugin.compile_model(onnx_path)([feed], intermediate=True)
    assert np.array_equal(inside["inner"], [1, 0])
    request = loader("OpenVINO")(onnx_path).create_infer_request()
    request.infer([feed])
    with pytest.raises(RuntimeError):
        request.get_tensor("inner")
    session = loader("onnxruntime")(onnx_path)
    assert not loads(lambda: session.run(["inner"], {"x": feed}))
    every = loader("onnx.reference")(onnx_path).run(None, {"x": feed}, intermediate=True)
    assert np.array_equal(every["inner"], [1, 0])
    assert [row[tool] for tool in RUNNING] == ["yes", "no", "no", "yes"]


def test_the_terminal_is_that_of_a_run() -> None:
    shown = (pictures.FOLDER / "finding.svg").read_text("utf-8")
    assert shown == pictures.finding()
    assert "http" not in shown.replace("http://www.w3.org/2000/svg", "").replace("https://www.textualize.io", "")


@pytest.mark.parametrize("title", pictures.SIZES)
def test_pictures_are_small_and_shown(title: str) -> None:
    data = (pictures.FOLDER / f"{title}.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == pictures.SIZES[title]
    assert len(data) < 150_000
    assert f"(docs/pictures/{title}.png)" in README


@needs_browser
def test_pages_that_are_pictured(tmp_path: Path) -> None:
    pages = pictures.pages(tmp_path)
    assert in_browser(pages["graph"][0], "irGraph.choose(4); return irGraph.state.layout.count;", tmp_path) == 16
    text = in_browser(pages["comparison"][0], "return document.body.innerText;", tmp_path)
    assert "changed.xml against digits.xml" in text
    assert "conv2/weight" in text


def test_every_verb_has_help_that_the_readme_or_a_page_mentions() -> None:
    pages = README + "".join(path.read_text("utf-8") for path in (pictures.FOLDER.parent).rglob("*.md"))
    verbs = CliRunner().invoke(app, ["--help"]).output.partition("Commands:")[2]
    for verb in re.findall(r"^  (\w+)", verbs, re.MULTILINE):
        assert f"ir-plugin {verb}" in pages
