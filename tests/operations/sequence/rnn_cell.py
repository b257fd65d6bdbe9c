"""Samples of RNNCell-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def inputs(size: int = 3, hidden: int = 4, type: str = "f32", constant: bool = False) -> list[In]:
    random = np.random.default_rng(size + hidden)
    make = const if constant else param
    states = [param(random.standard_normal(shape), type) for shape in [(2, size), (2, hidden)]]
    return [
        *states,
        *(make(random.standard_normal(shape), type) for shape in [(hidden, size), (hidden, hidden), (hidden,)]),
    ]


def naive(X: Array, H: Array, W: Array, R: Array, B: Array) -> Array:
    result: Array = np.tanh(X @ W.T + H @ R.T + B)
    return result


HIDDEN = {"hidden_size": 4}

SAMPLES = [
    Sample("RNNCell", 1, inputs(), HIDDEN, oracle=naive),
    Sample("RNNCell", 1, inputs(constant=True), HIDDEN, oracle=naive),
    Sample("RNNCell", 1, inputs(1, 1), {"hidden_size": 1, "clip": 0.25}),
    Sample("RNNCell", 1, inputs(constant=True), HIDDEN | {"activations": "relu", "clip": 0.0}),
    Sample("RNNCell", 1, inputs(constant=True), HIDDEN | {"activations": "sigmoid"}),
    Sample("RNNCell", 1, inputs(type="f16"), HIDDEN, rtol=2e-3, atol=2e-3),
    Sample("RNNCell", 1, inputs(), HIDDEN, name="merged", shapes=[("?,3", "?,?", "4,3", "?,?", "?")]),
]

TEXTS = ["f32[2,3]", "f32[2,4]", "f32[4,3]", "f32[4,4]", "f32[4]"]

ERRORS = [
    ErrorSample("RNNCell", 1, [*TEXTS[:4], "f32[8]"], HIDDEN, "B", "it must be [4]"),
    ErrorSample("RNNCell", 1, ["f32[2,7]", *TEXTS[1:]], HIDDEN, "W", "it must be [4,7]"),
    ErrorSample("RNNCell", 1, list(TEXTS), {"hidden_size": 3}, "hidden_size", "hidden_size is 3"),
]
