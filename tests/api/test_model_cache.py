"""CACHE_DIR keeps compiled models, and LOADED_FROM_CACHE says whether one came from there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin
from tests.support.changed import DIGITS


def loaded(folder: Path, model: Any = DIGITS, **config: object) -> bool:
    compiled = ir_plugin.Core().compile_model(model, "CPU", {"CACHE_DIR": str(folder), **config})
    from_cache = compiled.get_property("LOADED_FROM_CACHE")
    assert isinstance(from_cache, bool)
    return from_cache


def test_the_second_time_a_model_comes_from_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert [loaded(folder), loaded(folder)] == [False, True]
    assert [path.suffix for path in folder.iterdir()] == [".blob"]
    assert not loaded(folder, PERF_COUNT=True)
    assert not ir_plugin.compile_model(DIGITS).get_property(ir_plugin.properties.loaded_from_cache)


def test_a_model_in_memory_is_told_by_its_content(tmp_path: Path) -> None:
    model = ir_plugin.Core().read_model(DIGITS)
    assert [loaded(tmp_path, model), loaded(tmp_path, model.clone())] == [False, True]
    model.reshape([2, 1, 8, 8])
    assert not loaded(tmp_path, model)


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    for suffix in (".xml", ".bin"):
        shutil.copy(DIGITS.with_suffix(suffix), tmp_path / f"net{suffix}")
    path, weights = tmp_path / "net.xml", tmp_path / "net.bin"
    assert [loaded(tmp_path, path), loaded(tmp_path, path)] == [False, True]
    changed = bytearray(weights.read_bytes())
    changed[:4] = np.float32(7).tobytes()
    weights.write_bytes(changed)
    os.utime(weights, ns=(1, 1))
    assert not loaded(tmp_path, path)


def test_what_was_cached_computes_the_same(tmp_path: Path) -> None:
    image = np.linspace(0, 1, 64, dtype=np.float32).reshape(1, 1, 8, 8)
    core = ir_plugin.Core()
    core.set_property({"CACHE_DIR": str(tmp_path)})
    first, second = (core.compile_model(DIGITS)(image).to_tuple()[0] for _ in range(2))
    assert np.array_equal(first, second)


def test_a_damaged_file_is_written_anew(tmp_path: Path) -> None:
    assert not loaded(tmp_path)
    (blob,) = tmp_path.glob("*.blob")
    for content in (b"", b"nonsense", blob.read_bytes()[:-9]):
        blob.write_bytes(content)
        assert [loaded(tmp_path), loaded(tmp_path)] == [False, True]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ir_plugin.InputError, match="of CACHE_DIR cannot be made"):
        loaded(tmp_path / "file" / "folder")
