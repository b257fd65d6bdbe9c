"""Samples of LSTMCell-4 and LSTMCell-1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def inputs(size: int = 3, hidden: int = 4, batch: int = 2, type: str = "f32", constant: bool = False) -> list[In]:
    random = np.random.default_rng(size + hidden)
    make = const if constant else param
    states = [param(random.standard_normal(shape), type) for shape in [(batch, size), (batch, hidden), (batch, hidden)]]
    shapes = [(4 * hidden, size), (4 * hidden, hidden), (4 * hidden,)]
    return [*states, *(make(random.standard_normal(shape), type) for shape in shapes)]


def peepholes(hidden: int = 4) -> In:
    return const(np.random.default_rng(9).standard_normal(3 * hidden), "f32")


def sigmoid(data: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-data.astype(np.float64)))
    return result


def naive(order: str) -> Callable[..., list[Array]]:
    """Return the cell with gates in this order, one gate and one batch after the other."""

    def compute(X: Array, H: Array, C: Array, W: Array, R: Array, B: Array, _P: Array | None = None) -> list[Array]:
        size = H.shape[1]
        states: tuple[list[Array], list[Array]] = ([], [])
        for x, h, c in zip(X, H, C, strict=True):
            gate = {}
            for position, name in enumerate(order):
                rows = slice(position * size, (position + 1) * size)
                gate[name] = W[rows] @ x + R[rows] @ h + B[rows]
            cell = sigmoid(gate["f"]) * c + sigmoid(gate["i"]) * np.tanh(gate["c"])
            states[0].append(sigmoid(gate["o"]) * np.tanh(cell))
            states[1].append(cell)
        return [np.array(states[0], np.float32), np.array(states[1], np.float32)]

    return compute


HIDDEN = {"hidden_size": 4}
RELU = HIDDEN | {"activations": "relu,sigmoid,relu"}
HARD = HIDDEN | {"activations": "hardsigmoid,tanh,tanh", "activations_alpha": "0.3", "activations_beta": "0.4"}


def hard(X: Array, H: Array, C: Array, W: Array, R: Array, B: Array) -> list[Array]:
    forget, enter, candidate, leave = np.split(X @ W.T + H @ R.T + B, 4, axis=1)

    def f(gate: Array) -> Array:
        return np.minimum(np.maximum(0.3 * gate + 0.4, 0), 1)

    cell = f(forget) * C + f(enter) * np.tanh(candidate)
    return [f(leave) * np.tanh(cell), cell]


SAMPLES = [
    Sample("LSTMCell", 4, inputs(), HIDDEN, outputs=2, oracle=naive("fico")),
    Sample("LSTMCell", 4, inputs(constant=True), HIDDEN, outputs=2),
    Sample("LSTMCell", 4, inputs(5, 1, 1), {"hidden_size": 1, "clip": 0.3}, outputs=2),
    Sample("LSTMCell", 4, inputs(constant=True), HIDDEN | {"clip": 0.0}, outputs=2),
    Sample("LSTMCell", 4, inputs(constant=True), RELU, outputs=2),
    Sample("LSTMCell", 4, inputs(type="f16"), HIDDEN, outputs=2, rtol=2e-3, atol=2e-3),
    Sample("LSTMCell", 4, inputs(type="bf16"), HIDDEN, outputs=2, rtol=2e-2, atol=2e-2),
    Sample("LSTMCell", 4, inputs(), HARD, outputs=2, oracle=hard, openvino="the CPU knows no hardsigmoid here"),
    Sample(
        "LSTMCell", 4, inputs(), HIDDEN, outputs=2, name="merged",
        shapes=[("?,3", "?,?", "?,4", "16,3", "?,?", "?"), ("1..3,3", "2..5,?", "?,?", "...", "...", "...")],
    ),
    Sample("LSTMCell", 1, inputs(), HIDDEN, outputs=2, oracle=naive("fico")),
    Sample("LSTMCell", 1, inputs(), HIDDEN | {"weights_format": "fico"}, outputs=2),
    *(
        Sample(
            "LSTMCell", 1, inputs(constant=True), HIDDEN | {"weights_format": order}, outputs=2, oracle=naive("fico"),
        )
        for order in ("ifco", "icof", "ifoc", "iofc")
    ),
    Sample("LSTMCell", 1, [*inputs(), peepholes()], HIDDEN, outputs=2, oracle=naive("fico")),
    Sample(
        "LSTMCell", 1, inputs(), HIDDEN | {"input_forget": True}, outputs=2, oracle=naive("fico"),
    ),
    Sample("LSTMCell", 1, inputs(constant=True)[:5], HIDDEN, outputs=2),
    Sample("LSTMCell", 1, inputs(constant=True), RELU | {"clip": 0.5}, outputs=2),
]  # fmt: skip

TEXTS = ["f32[2,3]", "f32[2,4]", "f32[2,4]", "f32[16,3]", "f32[16,4]", "f32[16]"]


def wrong(index: int, text: str) -> list[In | str]:
    return [text if position == index else shape for position, shape in enumerate(TEXTS)]


ERRORS = [
    ErrorSample("LSTMCell", 4, wrong(0, "f32[3,3]"), HIDDEN, "initial_hidden_state", "the batch size is 2", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(2, "f32[2,5]"), HIDDEN, "initial_cell_state", "the hidden size is 5", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(3, "f32[15,3]"), HIDDEN, "W", "it must be [16,3]", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(3, "f32[16,5]"), HIDDEN, "W", "it must be [16,3]", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(4, "f32[12,4]"), HIDDEN, "R", "it must be [16,4]", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(5, "f32[15]"), HIDDEN, "B", "it must be [16]", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(5, "f32[1,16]"), HIDDEN, "B", "the rank must be 1", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(0, "f32[2,3,1]"), HIDDEN, "X", "the rank must be 2", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(0, "f16[2,3]"), HIDDEN, "input 1", "f32", outputs=2),
    ErrorSample("LSTMCell", 4, wrong(0, "string[2,3]"), HIDDEN, "X", "floating-point", outputs=2),
    ErrorSample("LSTMCell", 4, list(TEXTS), {"hidden_size": 5}, "hidden_size", "have 4", outputs=2),
    ErrorSample("LSTMCell", 4, list(TEXTS), {"hidden_size": 0}, "hidden_size", "positive", outputs=2),
    ErrorSample("LSTMCell", 4, list(TEXTS), HIDDEN | {"clip": -1.0}, "clip", "positive", outputs=2),
    ErrorSample("LSTMCell", 4, list(TEXTS), HIDDEN | {"activations": "tanh"}, "activations", "of 3", outputs=2),
    ErrorSample("LSTMCell", 4, list(TEXTS), HIDDEN | {"activations": "tanh,elu,relu"}, "activations", "elu", outputs=2),
    ErrorSample("LSTMCell", 1, [*TEXTS, "f32[13]"], HIDDEN, "P", "it must be [12]", outputs=2),
    ErrorSample("LSTMCell", 1, [*TEXTS, "string[12]"], HIDDEN, "P", "string", outputs=2),
]  # fmt: skip
