"""Kept kernels run as code: only files that no other user may have written are read."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.skips import COMPILED

kernel_cache = pytest.importorskip("ir_plugin.kernels.numba.runtime.kernel_cache", reason=COMPILED)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="owners and modes of POSIX")
KERNEL = kernel_cache.MachineCode((b"object",), "entry", (), None)


def kernel() -> None:
    """Stand for a kernel."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(kernel_cache, "_warned", set())
    return kernel_cache.KernelCache(kernel, "")


def kept(folder: Path) -> Path:
    (file,) = folder.glob("kept/*/*.kernel")
    return file


def test_folders_and_files_belong_to_the_user_alone(cache: Any, tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        cache.save("f8", KERNEL, 0.5)
    finally:
        os.umask(previous)
    assert cache.load("f8") == KERNEL
    assert stat.S_IMODE(kept(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE(kept(tmp_path).parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
@pytest.mark.parametrize("of", ["the file", "its folder"])
def test_what_others_may_write_is_not_read(
    of: str, mode: int, cache: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.save("f8", KERNEL, 0.5)
    file = kept(tmp_path)
    (file if of == "the file" else file.parent).chmod(mode | (0o100 if of == "its folder" else 0))
    with caplog.at_level(logging.WARNING, "ir_plugin"):
        assert cache.load("f8") is None
        assert cache.load("f8") is None
    assert [record.message for record in caplog.records] == [
        f"{file} may have been written by another user; it is not read"
    ]


def test_nothing_is_kept_in_a_folder_of_others(cache: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache.save("f8", KERNEL, 0.5)
    kept(tmp_path).parent.chmod(0o777)
    kept(tmp_path).unlink()
    with caplog.at_level(logging.WARNING, "ir_plugin"):
        cache.save("f8", KERNEL, 0.5)
    assert "another user may write to" in caplog.text
    assert list(tmp_path.glob("kept/*/*")) == []


@pytest.mark.parametrize(("owner", "expected"), [(0, True), (1000, True), (1001, False)])
def test_files_of_this_user_and_of_the_administrator_are_read(
    owner: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert kernel_cache.is_private(os.stat_result((0o100600, 1, 1, 1, owner, 0, 0, 0, 0, 0))) == expected
