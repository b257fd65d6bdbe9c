"""Runs random cases in processes of their own, some of which OpenVINO ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIME = 120
"""Seconds for `BATCH` cases; a case in which OpenVINO takes longer is passed over."""
BATCH = 40


def differences(module: str, names: list[str]) -> dict[str, str]:
    """Return what differs for each case; a case that ends the process, or takes too long, is passed over."""
    told: dict[str, str] = {}
    while names:
        batch = names[:BATCH]
        output, failure = _worker(module, batch)
        lines = [line.split("\t") for line in output.splitlines() if "\t" in line]
        told |= {line[0]: line[1] for line in lines}
        assert not failure, failure
        names = names[len(batch) if len(lines) == len(batch) else len(lines) + 1 :]
    return told


def _worker(module: str, names: list[str]) -> tuple[str, str]:
    """Return what a process prints for the cases, and the error with which Python ends it."""
    command = [sys.executable, "-m", module, *names]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            output, errors = process.communicate(timeout=TIME)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0], ""
    return output, errors if process.returncode > 0 else ""
