"""All kernels are declared, and compiled ahead by processes that share the work and lose nothing when they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
FEW = """
import sys
from ir_plugin.report import warming

declared = warming._declared
names = ("select.kernel", "select._choose", "transposed_convolution")
warming._declared = lambda: {key: kernel for key, kernel in declared().items() if kernel.cache.name.startswith(names)}
"""
"""Declares a few kernels that take about a second each."""
WARM = (
    FEW
    + """
warming._WORKER = sys.argv[1]
from ir_plugin.cli import main
sys.argv = ["ir-plugin", "warm", *sys.argv[2:]]
main()
"""
)
WORKER = FEW + "warming.compile_named()\n"


def command(*arguments: str) -> list[str]:
    """Return the command that runs `ir-plugin warm` for a few kernels."""
    return [sys.executable, "-c", WARM, WORKER, *arguments]


def environment(folder: Path) -> Mapping[str, str]:
    return os.environ | {"NUMBA_CACHE_DIR": str(folder), "NO_COLOR": "1"}


def warm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Return what the command has done with the kernels of a folder."""
    return subprocess.run(
        command(*arguments), cwd=ROOT, env=environment(folder), capture_output=True, text=True, check=False
    )


def listed(folder: Path) -> list[dict[str, object]]:
    done = warm(folder, "--list", "--json")
    assert done.returncode == 0, done.stderr
    kernels: list[dict[str, object]] = json.loads(done.stdout)
    return kernels


@needs_numba
def test_two_commands_share_what_one_that_was_killed_has_left(tmp_path: Path) -> None:
    first = listed(tmp_path)
    assert len(first) == 6
    assert not any(kernel["is_compiled"] for kernel in first)
    with subprocess.Popen(command("--all"), cwd=ROOT, env=environment(tmp_path), stderr=subprocess.DEVNULL) as process:
        while not list(tmp_path.glob("*/*.kernel")) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    with subprocess.Popen(command("--all"), cwd=ROOT, env=environment(tmp_path), stdout=subprocess.DEVNULL) as process:
        done = warm(tmp_path, "--all")
        assert done.returncode == 0, done.stderr
    assert process.returncode == 0
    kernels = listed(tmp_path)
    assert all(kernel["is_compiled"] and kernel["bytes"] for kernel in kernels)
    assert [kernel["name"] for kernel in kernels] == [kernel["name"] for kernel in first]
    assert "all were there" in warm(tmp_path, "--all").stdout
    assert "6 of 6 kernels are compiled" in warm(tmp_path, "--list").stdout


@needs_numba
def test_a_folder_that_cannot_be_written_to_ends_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    done = warm(tmp_path / "file", "--all")
    assert done.returncode == 2
    assert "error: compiled kernels cannot be kept" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--all", "--list"])
def test_models_are_not_all(option: str) -> None:
    path = str(ROOT / "samples" / "digits" / "digits.xml")
    done = subprocess.run(
        [sys.executable, "-m", "ir_plugin", "warm", path, option], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "name models, or write --all or --list" in done.stderr
