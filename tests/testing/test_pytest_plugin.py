"""The pytest plugin, run in a folder of its own as a user's tests are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
TESTS = """
import numpy as np
import pytest
import ir_plugin as ov
from ir_plugin.testing import assert_agrees

TOKENS = np.load("tokens.npy")

def test_outputs(ir_model, ir_snapshot):
    ir_snapshot(ov.compile_model(ir_model)({"tokens": TOKENS + SHIFT}))

@pytest.mark.ir_model("embedding.xml")
def test_agrees(ir_model):
    assert_agrees(ir_model, "other.xml", {"tokens": TOKENS})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model, a copy of it, and tests of both."""
    shutil.copytree(SAMPLES / "embedding", tmp_path, dirs_exist_ok=True)
    for suffix in (".xml", ".bin"):
        shutil.copy(tmp_path / f"embedding{suffix}", tmp_path / f"other{suffix}")
    write(tmp_path)
    return tmp_path


def write(folder: Path, shift: int = 0) -> None:
    (folder / "test_models.py").write_text(f"SHIFT = {shift}\n{TESTS}", "utf-8")


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Return the exit status and the output of pytest in a folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_snapshots(folder: Path) -> None:
    status, text = run(folder, "--ir-model", "embedding.xml")
    assert status == 1
    assert "there is no snapshot" in text
    assert run(folder, "--ir-model", "embedding.xml", "--ir-update")[0] == 0
    assert [path.name for path in folder.rglob("snapshots/*/*")] == ["test_outputs_embedding.xml.npz"]
    assert run(folder, "--ir-model", "embedding.xml")[0] == 0
    write(folder, shift=-1)
    status, text = run(folder, "--ir-model", "embedding.xml")
    assert status == 1
    assert "the outputs differ from" in text
    assert "elements differ, by up to" in text


def test_a_broken_model_fails_with_its_findings(folder: Path) -> None:
    text = (folder / "embedding.xml").read_text("utf-8")
    (folder / "embedding.xml").write_text(text.replace("<dim>8</dim>", "<dim>9</dim>", 1), "utf-8")
    status, output = run(folder)
    assert status == 1
    assert "error[IR302]" in output
    assert "embedding.xml:" in output


def test_models_of_the_settings(folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nir_models = *.xml\n", "utf-8")
    status, text = run(folder, "--collect-only")
    assert status == 0
    for name in ("test_outputs[embedding.xml]", "test_outputs[other.xml]", "test_agrees[embedding.xml]"):
        assert name in text


def test_without_a_model_the_test_is_skipped(folder: Path) -> None:
    status, text = run(folder, "-k", "outputs", "-rs")
    assert status == 0
    assert "1 skipped" in text


def test_models_that_differ(folder: Path) -> None:
    weights = (folder / "other.bin").read_bytes()
    (folder / "other.bin").write_bytes(bytes(512) + weights[512:])
    status, text = run(folder, "-k", "agrees")
    assert status == 1
    assert "AssertionError: embedding and" in text
    assert "other.xml differ" in text


def test_the_library_is_imported_on_first_use_only() -> None:
    code = "import sys, ir_plugin.testing.pytest_plugin; print({'numpy', 'lxml'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
