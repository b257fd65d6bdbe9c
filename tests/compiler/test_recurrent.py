"""Kernels of recurrent networks against the plain evaluation, and against OpenVINO where it supports them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.errors import Error
from ir_plugin.kernels import policy
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS

RNG = np.random.default_rng(5)
GATES = {"lstm": 4, "gru": 3, "rnn": 1}
STANDARD = {"lstm": ["sigmoid", "tanh", "tanh"], "gru": ["sigmoid", "tanh"], "rnn": ["tanh"]}
TIME, WIDTH = 6, 5


def number(*shape: int) -> Array:
    array: Array = (RNG.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
    return array


def build(kind: str, path: Path, batch: int, hidden: int, lengths: Array | None, **attributes: Any) -> list[Array]:
    """Write a network with constant lengths, or with lengths as the last input; return the other inputs."""
    direction = attributes.pop("direction", "forward")
    linear = attributes.get("linear_before_reset", False)
    directions = 2 if direction == "bidirectional" else 1
    shapes = [(batch, TIME, WIDTH), *([(batch, directions, hidden)] * (2 if kind == "lstm" else 1))]
    inputs = [ops.parameter(list(shape), np.float32) for shape in shapes]
    sequence_lengths = ops.parameter([batch], np.int32) if lengths is None else ops.constant(lengths.astype(np.int32))
    rows = GATES[kind] * hidden
    biases = rows + hidden if linear else rows
    weights = [number(directions, rows, WIDTH), number(directions, rows, hidden), number(directions, biases)]
    attributes.setdefault("activations", STANDARD[kind])
    make = {"lstm": ops.lstm_sequence, "gru": ops.gru_sequence, "rnn": ops.rnn_sequence}[kind]
    layer = make(*inputs, sequence_lengths, *map(ops.constant, weights), hidden, direction, **attributes)
    parameters = inputs if lengths is not None else [*inputs, sequence_lengths]
    ov.save_model(ov.Model([ops.result(port) for port in layer.outputs()], parameters, kind), path, False)
    return [number(*shape) * 2 for shape in shapes]


def run(path: Path, inputs: list[Array], **config: Any) -> list[Array]:
    compiled = Core().compile_model(path, config=config)
    first = [np.asarray(array) for array in compiled(inputs).to_tuple()]
    again = [np.asarray(array) for array in compiled(inputs).to_tuple()]
    for left, right in zip(first, again, strict=True):
        np.testing.assert_array_equal(left, right)
    return first


def require_close(path: Path, inputs: list[Array], judge: bool = True) -> None:
    plain = run(path, inputs, OPTIMIZE=False)
    for provider in PROVIDERS:
        for threads in (1, 2):
            outputs = run(path, inputs, PROVIDER=provider, INFERENCE_NUM_THREADS=threads)
            for actual, expected in zip(outputs, plain, strict=True):
                np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=4e-6, err_msg=provider)
    if judge:
        compiled = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        for actual, expected in zip(plain, compiled(inputs).to_tuple(), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("jobs", [True, False])
def test_short_networks_are_jobs(kind: str, jobs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not jobs:
        monkeypatch.setattr(policy, "RECURRENT_JOB_MAX_MULTIPLICATIONS", 0)
    inputs = build(kind, tmp_path / "m.xml", 3, 9, np.full(3, TIME), direction="bidirectional", clip=0.7)
    require_close(tmp_path / "m.xml", inputs, judge=kind == "rnn")


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("lengths", [(6, 6, 6, 6, 6), (2, 6, 1, 4, 3), (0, 3, 5, 0, 5), (0, 0, 0, 0, 0)])
def test_directions_and_lengths(kind: str, direction: str, lengths: tuple[int, ...], tmp_path: Path) -> None:
    constant = build(kind, tmp_path / "constant.xml", 5, 13, np.array(lengths), direction=direction)
    require_close(tmp_path / "constant.xml", constant, judge=all(lengths))
    inputs = build(kind, tmp_path / "given.xml", 5, 13, None, direction=direction)
    require_close(tmp_path / "given.xml", [*inputs, np.array(lengths, np.int32)], judge=all(lengths))


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("gru", {"linear_before_reset": True}),
        ("gru", {"linear_before_reset": True, "direction": "bidirectional"}),
        ("gru", {"linear_before_reset": True, "activations": ["relu", "sigmoid"]}),
        ("gru", {"activations": ["tanh", "sigmoid"], "direction": "reverse"}),
        ("gru", {"activations": ["sigmoid", "relu"]}),
        ("gru", {"clip": 0.3}),
        ("lstm", {"activations": ["tanh", "sigmoid", "relu"]}),
        ("lstm", {"activations": ["sigmoid", "relu", "sigmoid"]}),
        ("lstm", {"clip": 0.2}),
        ("rnn", {"activations": ["relu"], "clip": 0.5}),
        ("rnn", {"activations": ["sigmoid"], "clip": 0.5}),
    ],
)
def test_attributes(kind: str, attributes: dict[str, Any], tmp_path: Path) -> None:
    inputs = build(kind, tmp_path / "m.xml", 2, 8, np.array([6, 6]), **attributes)
    require_close(tmp_path / "m.xml", inputs)


@pytest.mark.parametrize("kind", GATES)
def test_hard_sigmoid_which_openvino_cannot_run(kind: str, tmp_path: Path) -> None:
    count = len(STANDARD[kind])
    inputs = build(
        kind, tmp_path / "m.xml", 2, 4, np.array([6, 6]), activations=["hardsigmoid"] * count,
        activations_alpha=[0.3, 0.25, 0.2][:count], activations_beta=[0.4, 0.6][:count],
    )  # fmt: skip
    require_close(tmp_path / "m.xml", inputs, judge=False)


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize(("batch", "hidden"), [(1, 1), (1, 9), (3, 300), (9, 64)])
def test_sizes(kind: str, batch: int, hidden: int, tmp_path: Path) -> None:
    inputs = build(kind, tmp_path / "m.xml", batch, hidden, np.full(batch, TIME), direction="bidirectional")
    require_close(tmp_path / "m.xml", inputs)


@pytest.mark.parametrize("lengths", [[7, 6], [-1, 6]])
def test_lengths_that_are_impossible_are_named(lengths: list[int], tmp_path: Path) -> None:
    inputs = build("lstm", tmp_path / "m.xml", 2, 4, None)
    for provider in PROVIDERS:
        compiled = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})
        with pytest.raises(Error, match=rf"sequence_lengths.*\[0\] is {lengths[0]}"):
            compiled([*inputs, np.array(lengths, np.int32)])
        compiled([*inputs, np.array([6, 2], np.int32)])


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("batch", [1, 3])
def test_cells(kind: str, batch: int, tmp_path: Path) -> None:
    hidden = 7
    shapes = [(batch, WIDTH), *([(batch, hidden)] * (2 if kind == "lstm" else 1))]
    parameters = [ops.parameter(list(shape), np.float32) for shape in shapes]
    rows = GATES[kind] * hidden
    weights = map(ops.constant, (number(rows, WIDTH), number(rows, hidden), number(rows)))
    make = {"lstm": ops.lstm_cell, "gru": ops.gru_cell, "rnn": ops.rnn_cell}[kind]
    options: list[Any] = [STANDARD[kind], [], []] if kind == "rnn" else []
    layer = make(*parameters, *weights, hidden, *options)
    model = ov.Model([ops.result(port) for port in layer.outputs()], parameters, kind)
    ov.save_model(model, tmp_path / "m.xml", False)
    require_close(tmp_path / "m.xml", [number(*shape) for shape in shapes])


@pytest.mark.parametrize(("lengths", "has_kernel"), [(np.array([6, 6]), True), (None, True), (np.array([7, 6]), False)])
def test_which_have_kernels(lengths: Array | None, has_kernel: bool, tmp_path: Path) -> None:
    build("gru", tmp_path / "m.xml", 2, 4, lengths)
    model = Core().read_model(tmp_path / "m.xml")
    plan = make_plan(model, {node: node.operation.infer() for node in model.parameters}, 2**30)
    have_kernel = [step.kernel is not None for step in plan.steps if step.op.type == "GRUSequence"]
    assert have_kernel == [has_kernel]


def test_weights_of_the_run_are_evaluated_plainly(tmp_path: Path) -> None:
    shapes = {"x": (2, WIDTH), "h": (2, 4), "w": (12, WIDTH), "r": (12, 4), "b": (12,)}
    parameters = [ops.parameter(list(shape), np.float32, name=name) for name, shape in shapes.items()]
    ov.save_model(ov.Model([ops.result(ops.gru_cell(*parameters, 4))], parameters, "m"), tmp_path / "m.xml", False)
    require_close(tmp_path / "m.xml", [number(*shape) for shape in shapes.values()])
