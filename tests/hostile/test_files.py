"""Files that are hostile as files: what stands beside the XML, what is no file, and what changes while it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ir_plugin import Core, Error
from tests.hostile.bases import conv
from tests.support.skips import not_as_root


@pytest.fixture
def model(tmp_path: Path) -> Path:
    base = conv()
    (tmp_path / "model.xml").write_text(base.xml, "utf-8")
    (tmp_path / "model.bin").write_bytes(base.weights)
    return tmp_path / "model.xml"


def codes(path: Path | str, weights: Path | None = None) -> list[str]:
    return [finding.code for finding in Core().validate(path, weights).findings]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert codes(tmp_path / "none.xml") == ["IR001"]
    assert codes("") == ["IR001"]
    assert codes("no\0path.xml") == ["IR001"]
    assert codes("x" * 10_000) == ["IR001"]


def test_a_folder_and_a_pipe_are_no_files(tmp_path: Path, model: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xml")
    assert codes(tmp_path) == ["IR001"]
    assert codes(tmp_path / "pipe.xml") == ["IR001"]
    assert codes("/dev/zero") == ["IR001"]
    assert codes(model, tmp_path) == ["IR001"]
    assert codes(model, tmp_path / "pipe.xml") == ["IR001"]
    assert codes(model, Path("/dev/zero")) == ["IR001"]


def test_a_folder_in_the_place_of_the_weights(model: Path) -> None:
    model.with_suffix(".bin").unlink()
    model.with_suffix(".bin").mkdir()
    assert codes(model) == ["IR001"]


def test_weights_behind_a_link_are_read(model: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    model.with_suffix(".bin").rename(store)
    model.with_suffix(".bin").symlink_to(store)
    assert codes(model) == []


def test_weights_behind_a_broken_link_or_a_loop_are_missing(model: Path, tmp_path: Path) -> None:
    weights = model.with_suffix(".bin")
    weights.unlink()
    weights.symlink_to(tmp_path / "nowhere")
    assert codes(model) == ["IR401"]
    weights.unlink()
    weights.symlink_to(weights)
    assert codes(model) in (["IR001"], ["IR401"])


def test_replaced_weights_do_not_change_a_model(model: Path, tmp_path: Path) -> None:
    read = Core().read_model(model)
    image = np.ones((1, 3, 8, 8), np.float32)
    expected = Core().compile_model(model)([image])[0]
    other = tmp_path / "other"
    other.write_bytes(bytes(448))
    os.replace(other, model.with_suffix(".bin"))
    np.testing.assert_array_equal(Core().compile_model(read)([image])[0], expected)


CUT = """
import os, sys
import numpy as np
from ir_plugin import Core, Error
model = Core().read_model(sys.argv[1])
os.truncate(sys.argv[1][:-3] + "bin", 0)
try:
    Core().compile_model(model)([np.ones((1, 3, 8, 8), np.float32)])
except Error as fault:
    print("refused:", fault)
"""


def test_weights_cut_short_after_reading_are_an_error_and_no_signal(model: Path) -> None:
    big = conv().weights + bytes(1 << 20)
    model.with_suffix(".bin").write_bytes(big)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", CUT, str(model)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused: ")
    assert "was cut from" in done.stdout


def test_weights_cut_short_before_reading(model: Path) -> None:
    os.truncate(model.with_suffix(".bin"), 10)
    assert codes(model) == ["IR402"]


@not_as_root
def test_a_file_without_permission(model: Path) -> None:
    model.chmod(0)
    assert codes(model) == ["IR001"]


@pytest.mark.parametrize("source", [None, 7, 1.5, [], object()])
def test_what_is_no_source_is_an_error_of_ours(source: Any) -> None:
    with pytest.raises(Error):
        Core().read_model(source)


@pytest.mark.parametrize("weights", [object(), [object()], {"a": 1}])
def test_what_is_no_weights_is_an_error_of_ours(weights: object) -> None:
    with pytest.raises(Error):
        Core().read_model(conv().xml.encode(), weights)
