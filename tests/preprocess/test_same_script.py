"""Scripts of preprocessing, run with OpenVINO and with ir_plugin: they print the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("script.py")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    outputs = {}
    for module in ("openvino", "ir_plugin"):
        folder = tmp_path_factory.mktemp(module)
        run = subprocess.run(
            [sys.executable, "-W", "ignore", str(SCRIPT), str(folder)],
            capture_output=True,
            text=True,
            cwd=Path.cwd(),
            env={"MODULE": module, "PYTHONPATH": str(Path.cwd()), "PATH": "", "OPENVINO_TELEMETRY": "0"},
            check=False,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr[-4000:]
        outputs[module] = run.stdout.splitlines()
    return outputs


def test_prints_the_same(printed: dict[str, list[str]]) -> None:
    pairs = zip(printed["openvino"], printed["ir_plugin"], strict=False)
    assert [pair for pair in pairs if pair[0] != pair[1]] == []
    assert len(printed["openvino"]) == len(printed["ir_plugin"]) > 200
