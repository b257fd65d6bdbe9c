"""Recurrent sequences of open lengths: one plan for all, with the numbers of OpenVINO and of the plain evaluation."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, Error
from tests.support.planned import PROVIDERS

WIDTH, SIZE = 5, 7
GATES = {"lstm_sequence": 4, "gru_sequence": 3, "rnn_sequence": 1}
LENGTHS = [(1, 6), (2, 9), (2, 3), (1, 1), (1, 40), (2, 9), (3, 12)]


def network(kind: str, direction: str, path: Path, size: int = SIZE) -> tuple[Path, Any]:
    """Write a network whose hidden states and last states are read, and return random inputs of a batch and length."""
    rng, count = np.random.default_rng(5), 2 if direction == "bidirectional" else 1
    x, ends = ops.parameter([-1, -1, WIDTH], np.float32), ops.parameter([-1], np.int64)
    states = [ops.parameter([-1, count, size], np.float32) for _ in range(1 + (kind == "lstm_sequence"))]
    rows = GATES[kind] * size
    weights = [
        ops.constant((rng.standard_normal((count, *shape)) * 0.4).astype(np.float32))
        for shape in ((rows, WIDTH), (rows, size), (rows,))
    ]
    y = getattr(ops, kind)(x, *states, ends, *weights, size, direction)
    dense = ops.matmul(y.output(1), ops.constant(rng.standard_normal((size, 3)).astype(np.float32)), False, False)
    model = ov.Model([ops.tanh(y.output(0)), dense], [x, *states, ends], "m")
    ov.save_model(model, path, compress_to_fp16=False)

    def inputs(batch: int, time: int, ragged: bool) -> list[Any]:
        lengths = rng.integers(1, time + 1, batch) if ragged else np.full(batch, time)
        shapes = [(batch, time, WIDTH), *[(batch, count, size)] * len(states)]
        return [*(rng.standard_normal(shape).astype(np.float32) for shape in shapes), lengths]

    return path, inputs


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", GATES)
def test_open_plans_give_the_numbers_of_openvino(kind: str, direction: str, provider: str, tmp_path: Path) -> None:
    path, inputs = network(kind, direction, tmp_path / "m.xml")
    compiled = Core().compile_model(path, config={"PROVIDER": provider})
    plain = Core().compile_model(path, config={"OPTIMIZE": False})
    theirs = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    for batch, time in LENGTHS:
        for ragged in (False, True):
            arrays = inputs(batch, time, ragged)
            expected, reference = theirs(arrays), plain(arrays)
            for number, array in enumerate(compiled(arrays).to_tuple()):
                if not ragged:  # OpenVINO's CPU computes on behind the end of a sequence
                    np.testing.assert_allclose(array, expected[number], rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(array, reference[number], rtol=1e-4, atol=1e-5)
    steps = [step for plan in compiled._engine._plans.values() for step in plan.steps]
    assert "steps, open" in {step.variant for step in steps}
    assert len(compiled._engine._plans) < len(set(LENGTHS))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_hundred_lengths_need_one_plan(provider: str, tmp_path: Path) -> None:
    path, inputs = network("gru_sequence", "forward", tmp_path / "m.xml")
    compiled = Core().compile_model(path, config={"PROVIDER": provider})
    for time in range(2, 102):
        compiled(inputs(1, time, False))
        assert len(compiled._engine._plans) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("kind", GATES)
def test_another_length_packs_no_weights(kind: str, provider: str, tmp_path: Path) -> None:
    size = 256
    path, inputs = network(kind, "forward", tmp_path / "m.xml", size)
    compiled = Core().compile_model(path, config={"PROVIDER": provider})
    for time in (2, 3):
        compiled(inputs(1, time, False))
    arrays = inputs(1, 5, False)
    tracemalloc.start()
    try:
        compiled(arrays)
        assert tracemalloc.get_traced_memory()[1] < 4 * size * size / 2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_lengths_beyond_the_data_are_refused(provider: str, tmp_path: Path) -> None:
    path, inputs = network("lstm_sequence", "forward", tmp_path / "m.xml")
    compiled = Core().compile_model(path, config={"PROVIDER": provider})
    for time in (3, 4, 5, 6):
        arrays = inputs(2, time, False)
        compiled(arrays)
        with pytest.raises(Error, match="LSTMSequence"):
            compiled([*arrays[:-1], np.array([time, time + 1])])
