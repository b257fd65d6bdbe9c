"""A script that takes its library from the variable MODULE, run with OpenVINO and with ir_plugin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def printed_by_both(script: Path, folders: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the lines that a script prints with each library; it gets a folder of its own."""
    outputs = {}
    for module in ("openvino", "ir_plugin"):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", str(script), str(folders.mktemp(module))],
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
