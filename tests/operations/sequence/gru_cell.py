"""Samples of GRUCell-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def inputs(size: int = 3, hidden: int = 4, type: str = "f32", constant: bool = False, linear: bool = False) -> list[In]:
    random = np.random.default_rng(size + hidden)
    make = const if constant else param
    states = [param(random.standard_normal(shape), type) for shape in [(2, size), (2, hidden)]]
    shapes = [(3 * hidden, size), (3 * hidden, hidden), ((4 if linear else 3) * hidden,)]
    return [*states, *(make(random.standard_normal(shape), type) for shape in shapes)]


def naive(X: Array, H: Array, W: Array, R: Array, B: Array) -> Array:
    """Compute the cell one gate after the other, with or without linear_before_reset by the size of B."""
    (wz, wr, wh), (rz, rr, rh) = np.split(W, 3), np.split(R, 3)
    bz, br, bh, *hidden_bias = np.split(B, B.size // H.shape[1])
    z, r = (1 / (1 + np.exp(-(X @ w.T + H @ m.T + b))) for w, m, b in ((wz, rz, bz), (wr, rr, br)))
    h = np.tanh(X @ wh.T + bh + (r * (H @ rh.T + hidden_bias[0]) if hidden_bias else (r * H) @ rh.T))
    result: Array = (1 - z) * h + z * H
    return result


HIDDEN = {"hidden_size": 4}
LINEAR = HIDDEN | {"linear_before_reset": True}

SAMPLES = [
    Sample("GRUCell", 3, inputs(), HIDDEN, oracle=naive),
    Sample("GRUCell", 3, inputs(constant=True), HIDDEN, oracle=naive),
    Sample("GRUCell", 3, inputs(linear=True), LINEAR, oracle=naive),
    Sample("GRUCell", 3, inputs(1, 2, constant=True), {"hidden_size": 2, "clip": 0.25}),
    Sample("GRUCell", 3, inputs(linear=True, constant=True), LINEAR | {"clip": 0.25}),
    Sample("GRUCell", 3, inputs(constant=True), HIDDEN | {"activations": "tanh,relu", "clip": 0.0}),
    Sample("GRUCell", 3, inputs(type="f16"), HIDDEN, rtol=2e-3, atol=2e-3),
    Sample("GRUCell", 3, inputs(), HIDDEN, name="merged", shapes=[("?,3", "?,?", "12,3", "?,?", "?")]),
]

TEXTS = ["f32[2,3]", "f32[2,4]", "f32[12,3]", "f32[12,4]", "f32[12]"]

ERRORS = [
    ErrorSample("GRUCell", 3, list(TEXTS), LINEAR, "B", "it must be [16]"),
    ErrorSample("GRUCell", 3, [*TEXTS[:4], "f32[16]"], HIDDEN, "B", "it must be [12]"),
    ErrorSample("GRUCell", 3, ["f32[3,3]", *TEXTS[1:]], HIDDEN, "initial_hidden_state", "the batch size is 2"),
    ErrorSample("GRUCell", 3, ["boolean[2,3]", *TEXTS[1:]], HIDDEN, "X", "floating-point"),
    ErrorSample("GRUCell", 3, list(TEXTS), HIDDEN | {"activations": "softmax,tanh"}, "activations", "softmax"),
]
