"""`reduce`: the command that it runs, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import ir_plugin as ov
from ir_plugin.cli.app import app
from ir_plugin.errors import Error
from tests.support.changed import DIGITS

SOFTMAX = """
import sys
path = sys.argv[1]
content = open(path, "rb").read().lower()
print("looked at", path)
sys.exit(3 if b"softmax" in content else 1 if len(content) < 3000 else 0)
"""
"""Fails with 3 for a softmax, and with 1, which is another failure, for a small file."""

INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from ir_plugin.cli import main
main()
"""
"""Runs `ir-plugin`, also where a shell started it in the background, whose processes ignore interrupts."""


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "softmax.py"
    path.write_text(SOFTMAX)
    return shlex.join([sys.executable, "-S", str(path)])


def called(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def types(path: Path) -> list[str]:
    return [node.get_type_name() for node in ov.Core().read_model(path).get_ordered_ops()]


@pytest.mark.parametrize("place", ["", " {}", " --file={}"])
def test_an_ir(tmp_path: Path, script: str, place: str) -> None:
    out = tmp_path / "small.xml"
    if "=" in place:
        Path(tmp_path, "softmax.py").write_text(SOFTMAX.replace("sys.argv[1]", "sys.argv[1].removeprefix('--file=')"))
    result = called("reduce", DIGITS, "--when", script + place, "-o", out, "--anonymous")
    assert result.exit_code == 0, result.output
    assert types(out) == ["Parameter", "Softmax", "Result"]
    assert result.stdout.startswith(f"{out} has 3 of 25 layers, after ")
    assert result.stderr.splitlines()[-1].startswith("3 layers, after ")
    assert "probabilities" not in out.read_text()


def test_an_onnx_model_keeps_format_and_opset(tmp_path: Path, script: str) -> None:
    onnx = pytest.importorskip("onnx")
    model, out = tmp_path / "digits.onnx", tmp_path / "small.onnx"
    ov.save_onnx(ov.Core().read_model(DIGITS), model, 17)
    document = json.loads(called("reduce", model, "--when", script, "-o", out, "--json").stdout)
    assert document == {
        "out": str(out),
        "layers": 3,
        "layers_before": len(ov.Core().read_model(model).nodes),
        "runs": document["runs"],
        "stopped": None,
    }
    proto = onnx.load(out)
    onnx.checker.check_model(proto, full_check=True)
    assert [node.op_type for node in proto.graph.node] == ["Softmax"]
    assert proto.opset_import[0].version == 17


def test_only_failures_with_a_message_count(tmp_path: Path, script: str) -> None:
    matched = called("reduce", DIGITS, "--when", script, "--message", "looked at .*xml", "-o", tmp_path / "s.xml", "-q")
    assert matched.output == ""
    assert matched.exit_code == 0
    other = called("reduce", DIGITS, "--when", script, "--message", "segfault", "-o", tmp_path / "t.xml")
    assert "does not fail for the whole model" in str(other.exception)
    assert not (tmp_path / "t.xml").exists()


def test_the_bound_on_runs(tmp_path: Path, script: str) -> None:
    result = called("reduce", DIGITS, "--when", script, "--max-runs", 4, "-o", tmp_path / "s.xml")
    assert result.stdout.endswith("after 4 runs (max-runs)\n")
    assert "Softmax" in types(tmp_path / "s.xml")


def test_a_command_that_takes_too_long_does_not_fail(tmp_path: Path) -> None:
    slow = shlex.join([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    result = called("reduce", DIGITS, "--when", slow, "--timeout", 0.2, "-o", tmp_path / "s.xml")
    assert str(result.exception) == "the command does not fail for the whole model, within the time"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--when", ""], "--when names no command"),
        (["--when", "'"], "--when or --message cannot be read: No closing quotation"),
        (["--when", "false", "--message", "("], "--when or --message cannot be read"),
        (["--when", "no-such-command"], "the command 'no-such-command' cannot be run"),
        (["--when", "false", "-o", "part.onnx"], "to a path that ends in .xml, not to 'part.onnx'"),
        (["--when", "false", "-o", DIGITS], "the part would replace the model"),
    ],
)
def test_what_cannot_be_done(words: list[object], message: str) -> None:
    result = called("reduce", DIGITS, *words)
    assert isinstance(result.exception, Error)
    assert message in str(result.exception)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no groups of processes")
def test_an_interrupt_leaves_the_smallest_part(tmp_path: Path, script: str) -> None:
    stopping = SOFTMAX.replace(
        "sys.exit(3", "import os, signal\nlen(content) < 4000 and os.kill(os.getppid(), signal.SIGINT)\nsys.exit(3"
    )
    Path(tmp_path, "softmax.py").write_text(stopping)
    words = map(str, ["reduce", DIGITS, "--when", script, "-o", tmp_path / "s.xml"])
    command = [sys.executable, "-c", INTERRUPTIBLE, *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 130, done.stderr
    assert "(interrupted)" in done.stdout
    assert "Softmax" in types(tmp_path / "s.xml")
    assert len(types(tmp_path / "s.xml")) < 25
