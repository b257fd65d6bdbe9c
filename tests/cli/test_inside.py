"""`ir-plugin compare`, `dump` and `profile`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import openvino
import pytest
from click.testing import CliRunner
from openvino import opset13 as ops

from ir_plugin.cli.app import app
from tests.hostile import bases
from tests.hostile.bases import loop
from tests.support.changed import DIGITS, change_weight
from tests.support.verbs import call

FOLDER = TemporaryDirectory()


def run(*arguments: object, status: int = 0) -> str:
    done = call(*arguments)
    assert done.returncode == status, done.stderr
    return done.stdout + (done.stderr if status else "")


def called(*arguments: object) -> str:
    """Return what a verb prints that is called in this process."""
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    base = loop()
    (tmp_path / "loop.xml").write_text(base.xml)
    (tmp_path / "loop.bin").write_bytes(base.weights)
    return tmp_path / "loop.xml"


def test_dump_then_compare(tmp_path: Path) -> None:
    text = run("dump", DIGITS, "--out", tmp_path / "run.npz")
    assert "no layer makes a NaN or an infinity" in text
    assert "▁" in text
    with np.load(tmp_path / "run.npz") as stored:
        assert stored["images"].shape == (1, 1, 8, 8)
        assert stored["conv1/relu"].shape == (1, 24, 8, 8)
    assert "all 14 outputs of layers agree" in run("compare", DIGITS, "--with", tmp_path / "run.npz")
    changed = change_weight(DIGITS, "conv3/weight", 5, 2.0, tmp_path / "changed.xml")
    html = tmp_path / "c.html"
    text = run("compare", changed, "--with", tmp_path / "run.npz", "--fed", "--html", html, status=1)
    assert '"conv3" (id 13, Convolution-1) differs first' in text
    assert "CULPRIT" in html.read_text()
    document = json.loads(run("compare", changed, "--with", DIGITS, "--json", status=1))
    assert document["culprits"] == ["conv3"]
    assert run("compare", changed, "--with", DIGITS, "--quiet", status=1) == ""


def test_compare_of_a_plan_and_of_bodies(looping: Path, tmp_path: Path) -> None:
    text = run("compare", DIGITS, "--with", DIGITS, "--planned")
    assert "agree with" in text
    assert "conv1/relu" in text
    assert "conv1/add" not in text
    document = json.loads(run("compare", looping, "--with", looping, "--json"))
    assert any("[1]/" in output["label"] for output in document["outputs"])
    run("dump", looping, "--out", tmp_path / "run.npz")
    assert "agree with" in run("compare", looping, "--with", tmp_path / "run.npz", "--planned", "--fed")


def test_a_shape_that_was_chosen_is_noted() -> None:
    note = "note: images [?,1,8,8] gets random 1x1x8x8; -i images=… gives another"
    for arguments, noted in (
        (["dump", "-l", "conv1"], 1),
        (["run", "-i", "images=2x1x8x8"], 0),
        (["run", "--json"], 0),
    ):
        result = CliRunner().invoke(app, [arguments[0], str(DIGITS), *arguments[1:]])
        assert result.output.count(note) == noted


def test_a_file_that_is_not_there_is_said_plainly() -> None:
    assert "missing.npz cannot be read: No such file" in run("run", DIGITS, "-i", "missing.npz", status=2)


def test_dump_of_some_layers() -> None:
    document = json.loads(run("dump", DIGITS, "--layers", "conv2*", "--json"))
    assert [layer["layer"] for layer in document["layers"]] == ["conv2", "conv2/add", "conv2/relu"]
    assert document["layers"][2]["min"] == 0


def test_dump_of_a_layer_that_is_not_there() -> None:
    assert "the model has no layer 'conv9'; did you mean \"conv" in run("dump", DIGITS, "-l", "conv9", status=2)


def test_dump_names_what_makes_a_nan(tmp_path: Path) -> None:
    changed = change_weight(DIGITS, "conv3/bias", 3, float("inf"), tmp_path / "changed.xml")
    assert "is the first layer that makes a NaN or an infinity" not in run("dump", DIGITS)
    text = run("dump", changed)
    assert "no layer makes a NaN" in text  # the infinity comes with a constant
    images = np.full((1, 1, 8, 8), 3e38, np.float32)
    np.save(tmp_path / "images.npy", images)
    text = run("dump", DIGITS, "-i", f"images={tmp_path / 'images.npy'}", "-l", "softmax")
    assert '"conv1" is the first layer that makes a NaN' in text


def test_dump_names_inputs_that_are_not_finite(tmp_path: Path) -> None:
    images = np.zeros((1, 1, 8, 8), np.float32)
    images[0, 0, 0, :3], images[0, 0, 1, 0] = np.nan, np.inf
    np.save(tmp_path / "images.npy", images)
    text = run("dump", DIGITS, "-i", tmp_path / "images.npy", "-l", "softmax")
    assert 'the input "images" itself holds 3 NaN and 1 infinity\n' in text
    document = json.loads(run("dump", DIGITS, "-i", tmp_path / "images.npy", "--json"))
    assert (document["not_finite_inputs"], document["not_finite_from"]) == (["images"], [])
    assert "itself holds" not in run("dump", DIGITS, "-l", "softmax")


def test_dump_of_a_body(looping: Path) -> None:
    document = json.loads(run("dump", looping, "--json"))
    assert any("[1]/" in layer["layer"] for layer in document["layers"])


def test_profile() -> None:
    text = run("profile", DIGITS, "-n", 2)
    assert "conv1/add, conv1/relu" in text
    assert "105,336 bytes of constants" in text
    document = json.loads(run("profile", DIGITS, "--json", "-n", 1))
    for part in ("layers", "types"):
        assert (
            sum(entry["macs"] for entry in document[part]) == 8 * 8 * 24 * 9 + 64 * 32 * 24 * 9 + 16 * 64 * 32 * 9 + 640
        )
    plain = json.loads(run("profile", DIGITS, "--json", "--plain", "-n", 1))
    assert {layer["kernel"] for layer in plain["layers"]} == {"evaluate"}


def test_properties_are_given_by_name() -> None:
    single = ("--config", "INFERENCE_NUM_THREADS=1")
    run("run", DIGITS, *single)
    run("benchmark", DIGITS, "-niter", 2, *single)
    chosen = ("--config", "provider=numpy", "--config", "DISABLED_PASSES=epilogue_fusion")
    document = json.loads(run("profile", DIGITS, "--json", "-n", 1, *chosen))
    assert "conv1/relu" in {layer["name"] for layer in document["layers"]}
    assert "write it as PROVIDER=numpy" in run("profile", DIGITS, "--config", "numpy", status=2)
    assert 'did you mean "PROVIDER"?' in run("run", DIGITS, "--config", "PROVIDR=numpy", status=2)


def test_profile_of_a_body(looping: Path) -> None:
    document = json.loads(run("profile", looping, "--json", "-n", 1))
    inner = [layer for layer in document["layers"] if "/" in layer["name"]]
    assert inner
    assert all(layer["calls"] > 1 for layer in inner)
    assert all(layer["milliseconds"] >= 0 for layer in document["layers"])


def test_info() -> None:
    text = run("info", DIGITS, "--layers")
    assert "1.50 MFLOP (0.75 MMAC)" in text
    assert "OpenVINO 2022.1 or newer, opset1" in text
    assert "26,332 in 105,336 bytes" in text
    document = json.loads(run("info", DIGITS, "--json"))
    macs = 8 * 8 * 24 * 9 + 64 * 32 * 24 * 9 + 16 * 64 * 32 * 9 + 640
    assert (document["macs"], document["flops"], document["peak_bytes"]) == (macs, 2 * macs, 2 * 8192)
    assert document["per_layer"][1] == {
        "name": "conv1", "operation": "Convolution-1", "macs": 13824, "output_bytes": 6144, "minimum_opset": 1,
        "minimum_runtime": "2020.1",
    }  # fmt: skip


def test_info_for_a_shape() -> None:
    single, many = (
        json.loads(run("info", DIGITS, "--json", "--shape", shape)) for shape in ("1x1x8x8", "images=6,1,8,8")
    )
    assert many["macs"] == 6 * single["macs"]
    assert many["outputs"][0]["shape"] == "[6,10]"
    assert "'image' " not in run("info", DIGITS, "--shape", "image=1x1x8x8", status=2)
    assert "is not a shape" in run("info", DIGITS, "--shape", "images", status=2)


def test_random_inputs_of_a_shape(tmp_path: Path) -> None:
    for value in ("images=5x1x8x8", "[5,1,8,8]"):
        assert json.loads(run("run", DIGITS, "--json", "-i", value))[0]["shape"] == "5x10"
    assert json.loads(run("dump", DIGITS, "--json", "-i", "images=5x1x8x8"))["layers"][0]["shape"] == [5, 24, 8, 8]
    np.save(tmp_path / "x.npy", np.zeros((3, 1, 8, 8), np.float32))
    assert json.loads(run("run", DIGITS, "--json", "-i", tmp_path / "x.npy"))[0]["shape"] == "3x10"
    assert "the model wants [?,1,8,8]" in run("run", DIGITS, "-i", "images=5x2x8x8", status=2)
    assert "no input 'image'" in run("run", DIGITS, "-i", "image=5x1x8x8", status=2)


def test_benchmark() -> None:
    text = run("benchmark", DIGITS, "-t", "0.2", "-nireq", "2", "-hint", "latency")
    for word in ("Median:", "Average:", "Min:", "Max:", "Throughput:", "FPS", "Requests:         2"):
        assert word in text
    document = json.loads(run("benchmark", DIGITS, "-niter", 7, "--json"))
    assert document["count"] == 7
    assert document["min"] <= document["median"] <= document["max"]
    run("benchmark", DIGITS, "-hint", "speed", status=2)


@pytest.mark.parametrize("base", [bases.conv, bases.gather, bases.strings, bases.state, bases.loop, bases.choice])
def test_every_kind_of_model_can_be_looked_at(base: Callable[[], bases.Base], tmp_path: Path) -> None:
    model = tmp_path / "model.xml"
    model.write_text(base().xml)
    model.with_suffix(".bin").write_bytes(base().weights)
    drawn = ["graph", "--run", "-o", str(tmp_path / "x.html")]
    for verb, *more in (["run"], ["info", "--layers"], ["dump"], ["profile", "-n", "1"], drawn):
        result = CliRunner().invoke(app, [verb, str(model), *more])
        assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    "command",
    [["info", DIGITS], ["run", DIGITS], ["dump", DIGITS], ["profile", DIGITS], ["compare", DIGITS, "--with", DIGITS],
     ["benchmark", DIGITS, "-niter", 2], ["graph", DIGITS], ["check", DIGITS], ["ops", "gather"], ["explain", "IR302"],
     ["diff", DIGITS, DIGITS], ["cut", DIGITS, "--to", "conv3", "-o", Path(FOLDER.name) / "part.xml"]],
    ids=lambda command: str(command[0]),
)  # fmt: skip
def test_every_command_can_be_quiet_and_print_json(command: list[object], tmp_path: Path) -> None:
    more = ["--out", tmp_path / "x.svg"] if command[0] == "graph" else []
    json.loads(called(*command, "--json"))
    json.loads(called(*command, "--json", "--quiet"))
    assert called(*command, *more, "--quiet") == ""


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_half_precision_arrays_of_files_are_numbers(name: str, tmp_path: Path) -> None:
    x = ops.parameter([3], getattr(openvino.Type, name), "x")
    openvino.save_model(openvino.Model([ops.add(x, x)], [x]), tmp_path / "m.xml", compress_to_fp16=False)
    np.save(tmp_path / "x.npy", np.array([1, 2, 3], np.float16))
    run("run", tmp_path / "m.xml", "-i", tmp_path / "x.npy", "-o", tmp_path / "y.npz")
    (result,) = np.load(tmp_path / "y.npz").values()
    assert result.astype(float).tolist() == [2, 4, 6]


def test_profile_names_fusions_by_the_op_that_runs(tmp_path: Path) -> None:
    x = ops.parameter([2, 3], np.float32, name="x")
    gate = ops.sigmoid(x)
    model = openvino.Model([ops.multiply(x, gate)], [x], "swish")
    openvino.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    layers = json.loads(run("profile", tmp_path / "m.xml", "--json", "-n", 1))["layers"]
    assert [layer["type"] for layer in layers] == ["Swish"]
    assert layers[0]["kernel"] in ("in place", "chain")  # NumPy's, numba's
    plain = json.loads(run("profile", tmp_path / "m.xml", "--json", "-n", 1, "--plain"))["layers"]
    assert [layer["type"] for layer in plain] == ["Sigmoid", "Multiply"]
