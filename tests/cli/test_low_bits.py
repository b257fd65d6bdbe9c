"""`run` and `dump` of models whose outputs have types that NumPy lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from click.testing import CliRunner
from openvino import opset13 as ops

import ir_plugin
from ir_plugin.cli.app import app
from ir_plugin.report.store import load_arrays

NUMBERS = [[0, 1, 2, 3, 7], [-1, -8, 15, 0.5, 100]]
VALUES = {
    "u1": [[0, 1, 0, 1, 1], [1, 0, 1, 0, 0]],
    "u2": [[0, 1, 2, 3, 3], [3, 0, 3, 0, 0]],
    "u3": [[0, 1, 2, 3, 7], [7, 0, 7, 0, 4]],
    "u4": [[0, 1, 2, 3, 7], [15, 8, 15, 0, 4]],
    "i4": [[0, 1, 2, 3, 7], [-1, -8, -1, 0, 4]],
    "u6": [[0, 1, 2, 3, 7], [63, 56, 15, 0, 36]],
    "nf4": [[0, 1, 1, 1, 1], [-1, -1, 1, 0.44070982933044434, 1]],
    "f4e2m1": [[0, 1, 2, 3, 6], [-1, -6, 6, 0.5, 6]],
    "bf16": NUMBERS,
    "f8e4m3": [[0, 1, 2, 3, 7], [-1, -8, 15, 0.5, 96]],
    "f8e5m2": [[0, 1, 2, 3, 7], [-1, -8, 16, 0.5, 96]],
    "f8e8m0": [[2.0**-127, 1, 2, 2, 8], [2.0**-127, 2.0**-127, 16, 0.5, 128]],
}


def write(path: Path, type: str) -> Path:
    """Write a model that converts to a type."""
    data = ops.parameter([2, 5], np.float32, name="data")
    converted = ops.convert(data, type, name="converted")
    ov.serialize(ov.Model([ops.result(converted)], [data], "low"), path)
    np.save(path.with_suffix(".npy"), np.array(NUMBERS, np.float32))
    return path


def run(*words: Any) -> Any:
    result = CliRunner().invoke(app, [str(word) for word in (*words, "--json")], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.parametrize("type", VALUES)
def test_statistics_and_files_hold_values(type: str, tmp_path: Path) -> None:
    path, values = write(tmp_path / "m.xml", type), np.array(VALUES[type])
    data = f"data={path.with_suffix('.npy')}"
    (row,) = run("run", path, "-i", data, "-o", tmp_path / "out.npz")
    assert (row["type"], row["shape"]) == (type, "2x5")
    assert [row["min"], row["max"]] == [f"{value:.6g}" for value in (values.min(), values.max())]
    assert row["first values"] == ", ".join(f"{value:.4g}" for value in values[0, :4])
    (stored,) = load_arrays(tmp_path / "out.npz").values()
    np.testing.assert_array_equal(stored, values)
    (layer,) = (layer for layer in run("dump", path, "-i", data)["layers"] if layer["layer"] == "converted")
    assert (layer["type"], layer["min"], layer["max"]) == (type, values.min(), values.max())


@pytest.mark.parametrize("type", [type for type in VALUES if type not in ("u1", "u2", "u3", "u6")])
def test_results_are_those_of_openvino(type: str, tmp_path: Path) -> None:
    path, array = write(tmp_path / "m.xml", type), np.array(NUMBERS, np.float32)
    theirs = ov.compile_model(path, "CPU")([array])[0]
    compiled = ir_plugin.compile_model(path)
    for mine in (compiled([array])[0], compiled([array], share_outputs=True)[0]):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_array_equal(mine.view(np.uint8), theirs.view(np.uint8))


@pytest.mark.parametrize("type", ["bf16", "f8e4m3", "f8e5m2"])
def test_results_feed_an_input_of_their_type(type: str, tmp_path: Path) -> None:
    data = ops.parameter([2, 5], getattr(ov.Type, type), name="data")
    ov.serialize(ov.Model([ops.convert(data, "f32")], [data], "back"), tmp_path / "back.xml")
    results = ir_plugin.compile_model(write(tmp_path / "m.xml", type))([np.array(NUMBERS, np.float32)])
    back = ir_plugin.compile_model(tmp_path / "back.xml")
    np.testing.assert_array_equal(back(results)[0], VALUES[type])
