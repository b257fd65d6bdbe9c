"""`benchmark` and `warm`: shapes in turn, tokens, starts, memory, and kernels ahead of their use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.cli.app import app
from ir_plugin.cli.benchmark import shape_sets
from ir_plugin.errors import InputError
from ir_plugin.report.benchmark import benchmark
from ir_plugin.report.benchmark_tokens import measure_tokens
from tests.support.changed import DIGITS
from tests.support.skips import needs_numba


def run(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output if result.exception is None else result.output + str(result.exception)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("[1,8]", [{None: (1, 8)}]),
        ("[1,8][2, 8]", [{None: (1, 8)}, {None: (2, 8)}]),
        ("x[1,8],x[1,16]", [{"x": (1, 8)}, {"x": (1, 16)}]),
        ("a.b:0[1][2],y[3]", [{"a.b:0": (1,), "y": (3,)}, {"a.b:0": (2,), "y": (3,)}]),
        ("x[]", [{"x": ()}]),
    ],
)
def test_shapes_are_written_as_for_benchmark_app(text: str, expected: object) -> None:
    assert list(shape_sets(text)) == expected


@pytest.mark.parametrize("text", ["x[1", "x", "[1,a]", "x[1][2],y[1][2][3]", "[1]]"])
def test_shapes_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError, match="--shapes"):
        list(shape_sets(text))


@pytest.mark.parametrize("requests", [1, 2])
def test_shapes_vary_from_run_to_run(requests: int) -> None:
    text = run("benchmark", DIGITS, "-niter", 6, "-nireq", requests, "--shapes", "images[1,1,8,8][3,1,8,8]", "--json")
    document = json.loads(text)
    assert [(row["shape"], row["count"]) for row in document["shapes"]] == [("[1,1,8,8]", 3), ("[3,1,8,8]", 3)]
    assert document["throughput"] == pytest.approx(12 / document["duration"] * 1e3)
    assert document["memory"] > 10
    printed = run("benchmark", DIGITS, "-niter", 2, "-data_shape", "[1,1,8,8][3,1,8,8]")
    assert "Shapes [3,1,8,8]: " in printed
    assert "Peak memory: " in printed


CALLS: list[tuple[list[object], dict[str, int]]] = [
    (["-m", DIGITS, "-d", "CPU", "-api", "async", "-nireq", 2, "-hint", "tput"], {"requests": 2, "batch": 1}),
    (["-m", DIGITS, "-d", "AUTO", "-api", "sync", "-hint", "none", "-b", 4], {"requests": 1, "batch": 4}),
    ([DIGITS, "-shape", "[2,1,8,8]"], {"requests": 1, "batch": 2}),
    (["-m", DIGITS, "-shape", "images[1..8,1,8,8]", "-b", 3, "-hint", "ctput"], {"requests": 1, "batch": 3}),
]


@pytest.mark.parametrize(("words", "expected"), CALLS, ids=str)
def test_calls_of_benchmark_app(words: list[object], expected: dict[str, int]) -> None:
    document = json.loads(run("benchmark", *words, "-niter", 4, "--json"))
    assert document["requests"] == expected["requests"]
    assert document["throughput"] == pytest.approx(4 * expected["batch"] / document["duration"] * 1e3)


def test_an_open_shape_takes_those_of_the_data() -> None:
    words = ["-m", DIGITS, "-shape", "[?,1,8,8]", "-data_shape", "[1,1,8,8][3,1,8,8]", "-niter", 2, "--json"]
    document = json.loads(run("benchmark", *words))
    assert [row["shape"] for row in document["shapes"]] == ["[1,1,8,8]", "[3,1,8,8]"]


WRONG_CALLS: list[tuple[list[object], str, int]] = [
    ([], "Missing argument 'MODEL'.", 2),
    ([DIGITS, "-m", DIGITS], "two models are given", 2),
    (["-m", DIGITS, "-api", "sync", "-nireq", 2], "-api sync runs one request, not 2", 2),
    (["-m", DIGITS, "-api", "fast"], "'fast' is not one of sync, async", 2),
    (["-m", DIGITS, "-b", 2, "--start", "warm"], "leave out -b, -shape and --no-validate", 2),
    (["-m", DIGITS, "-shape", "x[1"], "-shape 'x[1' is not a shape", 1),
    (["-m", DIGITS, "-shape", "pixels[1,1,8,8]"], "the model has no input 'pixels'", 1),
    (["-m", DIGITS, "-d", "GPU"], "there is no device 'GPU'", 1),
]


@pytest.mark.parametrize(("words", "said", "status"), WRONG_CALLS, ids=[said for _, said, _ in WRONG_CALLS])
def test_wrong_calls_of_benchmark_app(words: list[object], said: str, status: int) -> None:
    assert said in " ".join(run("benchmark", *words, "-niter", 1, status=status).split())


@pytest.mark.parametrize("requests", [1, 2])
def test_variables_begin_anew_before_each_shape(requests: int) -> None:
    ids, mask = (ops.parameter([-1, -1], np.int64, name) for name in ("input_ids", "attention_mask"))
    past = ops.read_value(ops.broadcast(np.int64(0), ops.constant(np.array([1, 0]))), "tokens", np.int64, [-1, -1])
    total = ops.concat([past, ids], 1)
    model = ov.Model([ops.add(total, mask)], [ops.assign(total, "tokens")], [ids, mask])
    shapes = list(shape_sets("input_ids[1,8][1,16],attention_mask[1,8][1,16]"))
    measured = benchmark(ov.compile_model(model), iterations=6, requests=requests, shapes=shapes)
    assert [row.count for row in measured.shapes] == [3, 3]


def test_a_new_process_is_measured() -> None:
    document = json.loads(
        run("benchmark", DIGITS, "-niter", 1, "--config", "PROVIDER=numpy", "--start", "warm", "--json")
    )
    (start,) = document["starts"]
    assert start["kind"] == "warm"
    assert start["total"] == pytest.approx(sum(start[part] for part in ("import", "read", "compile", "first")))
    assert start["memory"] > 10


def decoder(has_state: bool = True) -> ov.Model:
    """Return a model with the inputs of a decoder; its state is the tokens so far."""
    ids, mask = (ops.parameter([-1, -1], np.int64, name) for name in ("input_ids", "attention_mask"))
    positions, beams = ops.parameter([-1, -1], np.int64, "position_ids"), ops.parameter([-1], np.int32, "beam_idx")
    parameters = [ids, mask, positions, beams]
    sinks = []
    total: ov.Node = ids
    if has_state:
        empty = ops.broadcast(ops.constant(np.int64(0)), ops.constant(np.array([1, 0])))
        past = ops.read_value(empty, "tokens", np.int64, [-1, -1])
        total = ops.concat([ops.gather(past, beams, ops.constant(np.int32(0))), ids], 1)
        sinks = [ops.assign(total, "tokens")]
    length = ops.gather(ops.shape_of(total), ops.constant(np.int32(1)), ops.constant(np.int32(0)))
    masked = ops.gather(ops.shape_of(mask), ops.constant(np.int32(1)), ops.constant(np.int32(0)))
    last = ops.reduce_max(positions, ops.constant(np.array([0, 1])), False)
    numbers = [ops.unsqueeze(number, ops.constant(np.int64(0))) for number in (length, masked, last)]
    return ov.Model([ops.result(ops.concat(numbers, 0))], sinks, parameters, "decoder")


@pytest.mark.parametrize("has_state", [True, False])
def test_tokens_continue_the_sequence(has_state: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[list[int]] = []
    infer = ov.InferRequest.infer

    def record(request: ov.InferRequest, inputs: object, share_inputs: bool) -> object:
        results = infer(request, inputs, share_inputs)
        lengths.append(results[0].tolist())
        return results

    monkeypatch.setattr(ov.InferRequest, "infer", record)
    tokens = measure_tokens(ov.compile_model(decoder(has_state)), 4, {"input_ids": np.zeros((1, 5), np.int64)})
    assert lengths[-4:] == [[5, 5, 4], [6, 6, 5], [7, 7, 6], [8, 8, 7]]
    assert (tokens.prompt, tokens.count) == (5, 4)
    assert tokens.next is not None
    assert tokens.rate is not None


def test_tokens_of_what_is_no_decoder() -> None:
    assert "it has an input 'images'" in run("benchmark", DIGITS, "-niter", 1, "--tokens", 2, status=1)


def test_tokens_are_printed(tmp_path: Path) -> None:
    ov.save_model(decoder(), tmp_path / "decoder.xml")
    arguments = [
        "benchmark",
        tmp_path / "decoder.xml",
        "-niter",
        1,
        "--config",
        "PROVIDER=numpy",
        "-i",
        "input_ids=1x3",
    ]
    text = run(*arguments, "--tokens", 3)
    assert "ms after a prompt of 3" in text
    assert "(median of 2)" in text
    assert json.loads(run(*arguments, "--tokens", 1, "--json"))["tokens"]["next"] is None


def test_a_notebook_shows_a_benchmark() -> None:
    compiled = ov.compile_model(DIGITS, config={"PROVIDER": "numpy"})
    measured = benchmark(compiled, iterations=4, shapes=[{0: (1, 1, 8, 8)}, {0: (2, 1, 8, 8)}])
    html = measured._repr_html_()
    assert "<b>" in html
    assert "<td>[2,1,8,8]</td>" in html


@needs_numba
def test_kernels_of_a_model_are_compiled_ahead() -> None:
    first = json.loads(run("warm", DIGITS, "--json", "--quiet"))
    again = json.loads(run("warm", DIGITS, "--json"))
    assert again["compiled"] == 0
    assert again["kernels"] == first["kernels"] == len(list(Path(first["folder"]).glob("*.kernel")))
    assert again["models"] == [str(DIGITS)]
    assert f"{first['kernels']} kernels in {first['folder']}" in run("warm", DIGITS)
    assert run("warm", DIGITS, "--quiet") == ""


def test_without_numba_nothing_can_be_compiled() -> None:
    code = "import sys; sys.modules['numba'] = None; from ir_plugin.cli import main; main()"
    command = [sys.executable, "-c", code, "warm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 2
    assert "error: no kernels can be compiled: numba is not installed" in done.stderr
