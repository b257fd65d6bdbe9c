"""Pipes and devices where a file is expected are refused at once, and never waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from tests.api.nets import EDGES, LAYERS, WEIGHTS, net

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names on this system")
SECONDS = 120
INPUTS = [np.ones((1, 3, 4), np.float32), np.ones((1, 3, 1), np.float32)]
COMMANDS = [
    "check pipe.xml", "check pipe.onnx", "check --fix pipe.xml", "info pipe.xml", "info pipe.onnx", "info other",
    "run pipe.xml", "run net.xml --input x=pipe.npy", "run net.xml --input pipe.npz", "run net.xml --input x=/dev/zero",
    "run beside.xml", "dump pipe.xml", "profile pipe.xml", "graph pipe.xml", "benchmark pipe.xml", "serve pipe.xml",
    "compare net.xml --with pipe.npz", "compare net.xml --with pipe.onnx", "compare net.xml --with pipe.xml",
    "diff net.xml pipe.xml", "convert pipe.onnx -o out.xml",
    "map net.xml --input x=pipe.npy --out out.npy", "cut pipe.xml --to y -o out.xml",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("net", "beside"):
        (tmp_path / f"{name}.xml").write_text(net(LAYERS, EDGES))
    (tmp_path / "net.bin").write_bytes(WEIGHTS)
    for name in ("pipe.xml", "pipe.onnx", "pipe.npy", "pipe.npz", "other", "beside.bin"):
        os.mkfifo(tmp_path / name)
    return tmp_path


def test_commands_refuse_pipes(folder: Path) -> None:
    script = (
        "import sys; from click.testing import CliRunner; from ir_plugin.cli.app import app\n"
        "for line in sys.stdin.read().splitlines():\n"
        "    result = CliRunner().invoke(app, line.split())\n"
        "    text = ' '.join(f'{result.output} {result.exception}'.split())\n"
        "    print(line, '|', 'not a regular file' in text, '|', text, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input="\n".join(COMMANDS), cwd=folder, timeout=SECONDS,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert [line for line in lines if "| True |" not in line] == []
    assert len(lines) == len(COMMANDS)


CALLS: dict[str, Callable[[Path], object]] = {
    "model": lambda folder: ov.Core().read_model(folder / "pipe.xml"),
    "weights": lambda folder: ov.Core().read_model(folder / "net.xml", folder / "beside.bin"),
    "compile_model": lambda folder: ov.Core().compile_model(folder / "pipe.onnx"),
    "convert_model": lambda folder: ov.convert_model(folder / "pipe.onnx"),
    "tensor": lambda folder: ov.tensor_from_file(folder / "pipe.npy"),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_refuse_pipes(folder: Path, name: str) -> None:
    with pytest.raises(ov.Error, match="not a regular file"):
        CALLS[name](folder)


def test_the_validation_of_a_pipe_is_a_finding(folder: Path) -> None:
    assert "not a regular file" in str(ov.validate(folder / "pipe.xml"))


def test_a_pipe_in_the_cache_is_no_entry(folder: Path) -> None:
    cache = folder / "cache"
    expected = ov.Core().compile_model(folder / "net.xml", config={"CACHE_DIR": str(cache)})
    entries = [path for path in cache.rglob("*") if path.is_file()]
    assert entries
    for path in entries:
        path.unlink()
        os.mkfifo(path)
    again = ov.Core().compile_model(folder / "net.xml", config={"CACHE_DIR": str(cache)})
    np.testing.assert_array_equal(again(INPUTS)[0], expected(INPUTS)[0])
