"""`cut` and `diff`: what they print, write and return."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import openvino
import pytest
from click.testing import CliRunner, Result

import ir_plugin as ov
from ir_plugin.cli.app import app
from tests.support.changed import DIGITS, SAMPLES, change_weight


def called(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def test_cut_writes_a_model_that_openvino_runs(tmp_path: Path) -> None:
    out = tmp_path / "part.xml"
    result = called("cut", DIGITS, "--from", "conv2/relu", "--to", "conv3", "--to", "softmax", "-o", out)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "        tensor         type  shape",
        "input   conv2/relu     f32   [?,32,8,8]",
        "output  conv3          f32   [?,64,4,4]",
        "output  probabilities  f32   [?,10]",
        f"{out} has 16 of 25 layers",
    ]
    images = np.load(SAMPLES / "digits" / "images.npy")[:3]
    recorded = ov.compile_model(DIGITS).intermediates(images)
    results = openvino.Core().compile_model(out, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([recorded["conv2/relu"]])
    for index, name in enumerate(["conv3", "softmax"]):
        np.testing.assert_allclose(results[index], recorded[name], atol=1e-5)


def test_cut_as_json(tmp_path: Path) -> None:
    document = json.loads(called("cut", DIGITS, "--to", "conv1", "-o", tmp_path / "p.xml", "--json").stdout)
    assert document == {
        "out": str(tmp_path / "p.xml"),
        "layers": 4,
        "layers_before": 25,
        "inputs": [{"name": "images", "tensor_names": ["images"], "type": "f32", "shape": "[?,1,8,8]"}],
        "outputs": [{"name": "conv1/sink_port_0", "tensor_names": ["conv1"], "type": "f32", "shape": "[?,24,8,8]"}],
        "notes": [],
    }


def test_cut_notes_what_comes_along(tmp_path: Path) -> None:
    model = SAMPLES / "digits" / "digits.xml"
    result = called("cut", model, "--from", "linear/weight", "--to", "linear", "-o", tmp_path / "p.xml")
    assert result.stderr == 'note: the part also needs the input "images" of the model\n'
    assert "note:" not in result.stdout
    quiet = called("cut", model, "--from", "linear/weight", "--to", "linear", "-o", tmp_path / "p.xml", "-q")
    assert quiet.output == ""


def test_cut_suggests_a_name(tmp_path: Path) -> None:
    result = called("cut", DIGITS, "--to", "conv3/rela", "-o", tmp_path / "p.xml")
    assert 'did you mean "conv3/relu"?' in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_a_part_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    result = called("cut", DIGITS, "--to", "conv3", "-o", tmp_path / "file" / "part.xml")
    assert result.exit_code in (1, 2)
    assert "cannot be made" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return change_weight(DIGITS, "conv3/weight", 5, 2.0, tmp_path / "other.xml")


def test_diff_of_a_weight(other: Path) -> None:
    result = called("diff", DIGITS, other)
    assert result.exit_code == 1
    first, last = result.stdout.splitlines()
    assert first.startswith('~ "conv3/weight" Constant: f32[64,32,3,3], 1 element by up to 2 (')
    assert last == "1 difference: 1 constant"


def test_diff_of_equal_models() -> None:
    result = called("diff", DIGITS, DIGITS)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "the models are equal: 25 layers\n", "")


def test_diff_in_every_format(other: Path, tmp_path: Path) -> None:
    for words in (["--json"], ["--format", "json"]):
        document = json.loads(called("diff", DIGITS, other, *words).stdout)
        assert (document["equal"], document["counts"]) == (False, {"constant": 1})
        assert document["changes"][0]["max_abs"] == pytest.approx(2)
    page = called("diff", DIGITS, other, "--format", "html").stdout
    assert page.startswith("<!doctype html>")
    for name, start in {"d.html": "<!doctype", "d.json": "{", "d.txt": "~ "}.items():
        result = called("diff", DIGITS, other, "-o", tmp_path / name)
        assert (result.exit_code, result.stdout) == (1, f"{tmp_path / name} is written\n")
        assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_diff_can_be_quiet(other: Path) -> None:
    assert (called("diff", DIGITS, other, "-q").exit_code, called("diff", DIGITS, other, "-q").output) == (1, "")


def test_diff_shows_consequences_where_asked(tmp_path: Path) -> None:
    model = ov.Core().read_model(DIGITS)
    model.reshape([5, 1, 8, 8])
    ov.serialize(model, tmp_path / "five.xml")
    short = called("diff", DIGITS, tmp_path / "five.xml").stdout.splitlines()
    assert short == [
        '~ "images" Parameter-1: shape: [?,1,8,8] → [5,1,8,8]',
        "1 difference: 1 attribute; 16 outputs of another type or shape in consequence",
    ]
    every = called("diff", DIGITS, tmp_path / "five.xml", "--all").stdout
    assert '~ "softmax" Softmax-1: output 0: f32[?,10] → f32[5,10]' in every


def test_diff_in_color(other: Path) -> None:
    result = CliRunner().invoke(app, ["diff", str(DIGITS), str(other)], env={"FORCE_COLOR": "1"}, color=True)
    assert result.stdout.startswith("\x1b[33m~ ")
    assert "\x1b" not in called("diff", DIGITS, other).stdout
