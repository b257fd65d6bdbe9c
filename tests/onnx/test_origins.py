"""Errors about layers of an ONNX model name its node, operator and file, never a line of Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx

import ir_plugin as ov
from ir_plugin.cli.app import app
from ir_plugin.model import Model
from tests.onnx.judged import of_text

GATHER = """agraph (float[N, 4] x, int64[M] i, bool c) => (float[A, B] y) {
    big = Constant <value = float[1] {100.0}> ()
    y = If (c) <
        then_branch = then () => (float[A, B] p) { p = Gather (x, i) },
        else_branch = other () => (float[A, B] q) { r = Reshape(x, i)  q = Hardmax(r) }
    >
}"""
NODES = {True: ('"p" in y/then_branch (Gather-13)', "agraph/y/then_branch/p"),
         False: ('"r" in y/else_branch (Reshape-14)', "agraph/y/else_branch/r")}  # fmt: skip
ADD = "agraph (float[N, 4] x, float[N, 4] z) => (float[N, 4] y) { y = Add(x, z) }"
X = np.ones((2, 4), np.float32)


def saved(folder: Path, text: str) -> Path:
    path = folder / "model.onnx"
    onnx.save(of_text(text), path)
    return path


def require_named(fault: ov.Error, node: str, path: Path) -> None:
    """Require the node and the file in the message, and no line of Python."""
    assert f"ONNX node {node} of {path}" in str(fault)
    assert ".py:" not in str(fault)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("condition", [True, False])
def test_errors_of_a_run_name_the_node(tmp_path: Path, condition: bool, optimize: bool) -> None:
    path = saved(tmp_path, GATHER)
    compiled = ov.Core().compile_model(path, config={"OPTIMIZE": optimize})
    with pytest.raises(ov.Error) as caught:
        compiled([X, np.array([7]), np.array(condition)])
    node, position = NODES[condition]
    require_named(caught.value, node, path)
    assert [(finding.span.file, finding.span.path) for finding in caught.value.findings] == [(str(path), position)]


CHANGES: dict[str, Callable[[ov.Model], object]] = {
    "infer": lambda model: model.reshape({"x": [2, 4], "z": [3, 4]}),
    "compile": lambda model: ov.compile_model(model)([X, X[:, :3]]),
    "validate": ov.Model.validate_nodes_and_infer_types,
}


@pytest.mark.parametrize("action", CHANGES)
def test_errors_after_reading_name_the_node(tmp_path: Path, action: str) -> None:
    path = saved(tmp_path, ADD)
    model = ov.Core().read_model(path)
    if action != "infer":
        model.inputs[1].node.set_partial_shape(ov.PartialShape([-1, 3]))
    with pytest.raises(ov.Error) as caught:
        CHANGES[action](model)
    require_named(caught.value, '"y" (Add-14)', path)


def test_errors_of_the_command_line_name_the_node(tmp_path: Path) -> None:
    path = saved(tmp_path, GATHER)
    for name, array in {"x": X, "i": np.array([7]), "c": np.array(True)}.items():
        np.save(tmp_path / f"{name}.npy", array)
    inputs = [text for name in "xic" for text in ("--input", f"{name}={tmp_path / name}.npy")]
    result = CliRunner().invoke(app, ["run", str(path), *inputs])
    assert isinstance(result.exception, ov.Error)
    require_named(result.exception, '"p" in y/then_branch (Gather-13)', path)


def all_nodes(model: Model) -> list[Any]:
    nodes = list(model.nodes)
    return nodes + [inner for _, _, subgraph in model.bodies() for inner in all_nodes(subgraph.body)]


def test_all_layers_of_a_file_are_of_its_parts(tmp_path: Path) -> None:
    path = saved(tmp_path, GATHER)
    model = ov.Core().read_model(path)
    parts = re.compile(rf"built for ONNX (node|input|output|initializer) \".* of {re.escape(str(path))}")
    assert [node.name for node in all_nodes(model) if not parts.fullmatch(node.origin.note())] == []


def test_layers_that_a_user_adds_name_the_line(tmp_path: Path) -> None:
    model = ov.Core().read_model(saved(tmp_path, ADD))
    before = set(model.get_ops())
    steps = ov.preprocess.PrePostProcessor(model)
    steps.input("x").tensor().set_element_type(ov.Type.u8)
    steps.input("x").preprocess().convert_element_type(ov.Type.f32).scale(2.0)
    built = steps.build()
    added = {node.span().file for node in set(built.get_ops()) - before if node.get_type_name() != "Result"}
    assert added == {__file__}
