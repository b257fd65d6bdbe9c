"""Samples of Gelu-7 and Gelu-2."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

VALUES = np.array([[-6.0, -1.5, -0.1, 0.0], [0.3, 1.0, 3.0, 20.0]])
ERF = {"approximation_mode": "erf"}
TANH = {"approximation_mode": "tanh"}


def exact(data: Array) -> Array:
    return np.array([0.5 * x * math.erfc(-x / math.sqrt(2)) for x in map(float, data.flat)]).reshape(data.shape)


def by_tanh(data: Array) -> Array:
    inner = [math.sqrt(2 / math.pi) * (x + 0.044715 * x**3) for x in map(float, data.flat)]
    return np.array([0.5 * x * (1 + math.tanh(y)) for x, y in zip(data.flat, inner, strict=True)]).reshape(data.shape)


SAMPLES = [
    Sample("Gelu", 7, [param(VALUES, "f32")], ERF, oracle=exact, shapes=[["?,1..4"]]),
    Sample("Gelu", 7, [param(VALUES, "f32")], {"approximation_mode": "ERF"}, oracle=exact),
    Sample("Gelu", 7, [const(VALUES, "f32")], TANH, oracle=by_tanh),
    Sample("Gelu", 7, [param(VALUES, "f32")], {"approximation_mode": "TANH"}, oracle=by_tanh),
    Sample("Gelu", 7, [param(VALUES, "f16")], ERF, oracle=exact, atol=1e-3),
    Sample("Gelu", 7, [param(VALUES, "bf16")], TANH, oracle=by_tanh, atol=1e-2),
    Sample("Gelu", 7, [param(VALUES)], ERF, oracle=exact, rtol=1e-13, atol=0, openvino="computes f64 in f32"),
    Sample("Gelu", 7, [param(np.zeros((0, 2), np.float32))]),
    Sample("Gelu", 2, [param(VALUES, "f32")], oracle=exact, shapes=[["?,1..4"]]),
    Sample("Gelu", 2, [const(VALUES, "f32")], oracle=exact),
    Sample("Gelu", 2, [param(VALUES, "f16")], oracle=exact, atol=1e-3),
    Sample("Gelu", 2, [param(np.float32(1))], oracle=exact),
    Sample("Gelu", 2, [param(VALUES, "bf16")], oracle=exact, atol=1e-2),
    Sample("Gelu", 2, [param(VALUES.reshape(1, 2, 2, 2), "f32")], shapes=[["1,?,2,2"], ["..."]]),
    Sample("Gelu", 2, [param(np.zeros((0, 3), np.float32))]),
]

ERRORS = [
    ErrorSample("Gelu", 7, ["i32[2]"], ERF, part="data", says="i32"),
    ErrorSample("Gelu", 2, ["boolean[2]"], part="data", says="boolean"),
]
