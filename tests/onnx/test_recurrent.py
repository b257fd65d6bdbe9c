"""LSTM, GRU and RNN with random attributes, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.onnx.runtime import assert_as_onnxruntime, single

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS = {"LSTM": 3, "GRU": 2, "RNN": 1}
NAMES = (
    "Relu",
    "Tanh",
    "Sigmoid",
    "Affine",
    "LeakyRelu",
    "ThresholdedRelu",
    "ScaledTanh",
    "HardSigmoid",
    "Elu",
    "Softsign",
    "Softplus",
)


def network(type: str, seed: int) -> tuple[Any, dict[str, Any]]:
    """Return a model of one network with random attributes and inputs."""
    rng = np.random.default_rng(seed)
    time, batch, size, hidden = (int(rng.integers(1, 6)) for _ in range(4))
    direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
    directions = 2 if direction == "bidirectional" else 1

    def values(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(np.float32)

    def maybe(*shape: int) -> Any:
        return values(*shape) if rng.random() < 0.5 else None

    rows = GATES[type] * hidden
    inputs: dict[str, Any] = {"X": values(time, batch, size), "W": values(directions, rows, size)}
    inputs |= {"R": values(directions, rows, hidden), "B": maybe(directions, 2 * rows)}
    inputs["lens"] = rng.integers(1, time + 1, batch).astype(np.int32) if rng.random() < 0.5 else None
    inputs["h"] = maybe(directions, batch, hidden)
    if type == "LSTM":
        inputs |= {"c": maybe(directions, batch, hidden), "P": maybe(directions, 3 * hidden)}
    attributes: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if rng.random() < 0.5:
        names = NAMES if rng.random() < 0.5 else NAMES[:3]
        chosen = [str(rng.choice(names)) for _ in range(FUNCTIONS[type] * directions)]
        attributes["activations"] = chosen
        if "ThresholdedRelu" in chosen or rng.random() < 0.5:
            attributes["activation_alpha"] = [0.3] * len(chosen)
            attributes["activation_beta"] = [0.2] * len(chosen)
    if rng.random() < 0.3:
        attributes["clip"] = 0.7
    if type == "LSTM" and rng.random() < 0.2:
        attributes["input_forget"] = 1
    if type == "GRU" and rng.random() < 0.5:
        attributes["linear_before_reset"] = 1
    constants = ("W", "R", "B", "P") if rng.random() < 0.6 else ()
    outputs = 3 if type == "LSTM" else 2
    return single(type, inputs, outputs, constants, "", 14, dynamic=rng.random() < 0.3, **attributes)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("type", GATES)
def test_as_onnxruntime(type: str, seed: int) -> None:
    assert_as_onnxruntime(*network(type, seed))
