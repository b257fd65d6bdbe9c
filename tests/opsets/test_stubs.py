"""Stubs and `help` of the opsets: up to date, typed, and complete."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from ir_plugin.opsets.documentation import phrases
from ir_plugin.opsets.signatures import NEWEST, signatures
from ir_plugin.opsets.stubs import FOLDER, stub

RIGHT = """
import numpy as np
import ir_plugin as ov
from ir_plugin import opset8
from ir_plugin.opset13 import topk

x = ov.opset13.parameter([1, 3], np.float32, name="x")
y: ov.Node = ov.opset13.relu(x)
z = ov.opset13.add(y, 1.5, auto_broadcast="numpy", name="sum")
topk(z, ov.opset13.constant(2), axis=1, mode="max", sort="value", index_element_type="i64")
opset8.convolution(x, np.zeros((1, 1, 1, 1)), [1, 1], [0, 0], [0, 0], ov.Strides([1, 1]))
ov.opset13.concat([x, y.output(0), np.zeros((1, 3))], 0)
ov.opset13.transpose(x + 1, [1, 0])
ov.opset17.relu(x)
"""
WRONG = {
    'ov.opset13.relu(x, axis=1)': "call-arg",
    'ov.opset13.topk(x, 2, axis="1", mode="max", sort="value")': "arg-type",
    'ov.opset13.softmax(x, [1])': "arg-type",
    'ov.opset13.nonsense(x)': "attr-defined",
    'ov.opset1.softplus(x)': "attr-defined",
    'y: int = ov.opset13.relu(x)': "assignment",
    'ov.opset13.concat(x, 0)': "arg-type",
}  # fmt: skip


def test_a_stub_names_what_its_module_has() -> None:
    for opset in range(1, NEWEST + 1):
        text = stub(opset)
        module = importlib.import_module(f"ir_plugin.opset{opset}")
        for name in dir(module):
            assert f"def {name}(" in text or f" {name} as {name}" in text, (opset, name)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_takes_right_calls_and_refuses_wrong_ones(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    lines = ["import ir_plugin as ov", 'x = ov.opset13.parameter([1, 3], name="x")', *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"),
         "--ignore-missing-imports", "--follow-imports=silent", "right.py", "wrong.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={"MYPYPATH": str(FOLDER.parents[1]), "PATH": ""},
    )  # fmt: skip
    reported = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line for line in reported if not line.startswith("wrong.py")] == [], done.stdout
    codes = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in reported}
    assert codes == {3 + at: code for at, code in enumerate(WRONG.values())}, done.stdout


def test_help_says_what_every_parameter_is() -> None:
    for signature in signatures():
        function = getattr(importlib.import_module(f"ir_plugin.opset{signature.first}"), signature.name)
        text = inspect.getdoc(function) or ""
        for parameter in signature.parameters:
            (line,) = [line for line in text.splitlines() if line.startswith(f"    {parameter.name}: ")]
            assert len(line.partition(": ")[2]) > 5, (signature.name, line)
        assert max(map(len, text.splitlines())) <= 120
    assert "mode: the variant of the operation; max or min" in _help("topk")
    assert "index_element_type: the element type of the indices" in _help("topk")


def test_every_phrase_belongs_to_an_attribute() -> None:
    used = {parameter.name for signature in signatures() for parameter in signature.parameters}
    assert set(phrases()) <= used
    assert list(phrases()) == sorted(phrases())


def _help(name: str) -> str:
    return inspect.getdoc(getattr(importlib.import_module("ir_plugin.opset13"), name)) or ""
