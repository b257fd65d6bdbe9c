"""Arrays by arbitrary names in .npz files: no member leaves the folder it is unpacked in, and no pipe is waited for."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ir_plugin import InputError
from ir_plugin.report.store import load, load_arrays, save_arrays

NAMES = ["../../x", "/etc/x", "..", "a/../../x", "..\\x", "C:\\x", "\\x", "a/b", "loop[2]/add", "x" * 70_000, ""]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:20])
def test_no_member_leaves_its_folder(name: str, tmp_path: Path) -> None:
    save_arrays(tmp_path / "out.npz", {name: np.arange(3)})
    np.testing.assert_array_equal(load_arrays(tmp_path / "out.npz")[name], np.arange(3))
    folder = tmp_path / "inner" / "deep"
    with zipfile.ZipFile(tmp_path / "out.npz") as archive:
        for member in archive.namelist():
            assert ".." not in member.replace("\\", "/").split("/")
            assert not member.startswith(("/", "\\"))
            assert ":" not in member
            assert Path(os.path.normpath(folder / member)).is_relative_to(folder)


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")
def test_a_pipe_or_a_device_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    for path in (tmp_path / "pipe.npy", Path("/dev/zero"), tmp_path):
        with pytest.raises(InputError, match="not a regular file"):
            load(path)
