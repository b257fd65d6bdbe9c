"""Samples of the activation functions without attributes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

VALUES = np.array([[-7.5, -3.0, -1.25, -0.3], [0.0, 0.4, 2.0, 8.0]])

TABLE: dict[str, tuple[int, Callable[[float], float]]] = {
    "Exp": (1, math.exp),
    "Relu": (1, lambda x: x if x > 0 else 0),
    "Sigmoid": (1, lambda x: 1 / (1 + math.exp(-x))),
    "HSwish": (4, lambda x: x * min(max(x + 3, 0), 6) / 6),
    "HSigmoid": (5, lambda x: min(max(x + 3, 0), 6) / 6),
    "SoftPlus": (4, lambda x: math.log(1 + math.exp(x))),
    "Mish": (4, lambda x: x * math.tanh(math.log(1 + math.exp(x)))),
    "SoftSign": (9, lambda x: x / (1 + abs(x))),
}


def naive(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda data: np.array([function(float(value)) for value in data.flat], np.float64).reshape(data.shape)


def samples() -> list[Sample]:
    collected = []
    for type, (version, function) in TABLE.items():
        oracle = naive(function)
        collected += [
            Sample(type, version, [param(VALUES.astype(np.float32))], oracle=oracle, shapes=[["?,4"], ["1..4,..7"]]),
            Sample(type, version, [param(VALUES.astype(np.float16))], oracle=oracle, atol=1e-3),
            Sample(type, version, [param(VALUES, "bf16")], oracle=oracle, atol=1e-2),
            Sample(
                type, version, [param(VALUES)], oracle=oracle, rtol=1e-12, atol=1e-14, openvino="computes f64 in f32"
            ),
            Sample(type, version, [const(VALUES.astype(np.float32))], oracle=oracle),
            Sample(type, version, [param(np.float32(-0.5))], oracle=oracle),
            Sample(type, version, [param(np.zeros((2, 0, 3), np.float32))]),
        ]
    return collected


SAMPLES = [
    *samples(),
    Sample(
        "Exp",
        1,
        [param([-np.inf, np.inf, np.nan, 1000.0])],
        expected=[0, np.inf, np.nan, np.inf],
        openvino="gives infinity for NaN",
    ),
    Sample("Exp", 1, [param([0, 1, 2, 3], "i32")], expected=[1, 3, 7, 20]),
    Sample(
        "Relu", 1, [param([np.nan, -np.inf, np.inf, -0.0])], expected=[np.nan, 0, np.inf, 0], openvino="gives 0 for NaN"
    ),
    Sample("Relu", 1, [param([-5, 0, 2**62 + 1])], expected=[0, 0, 2**62 + 1], openvino="cuts 64 bits to 32"),
    Sample("Relu", 1, [param([3, 250], "u8")], expected=[3, 250]),
    Sample("Sigmoid", 1, [param([-np.inf, np.inf, np.nan, -200.0, 200.0])], expected=[0, 1, np.nan, 0, 1]),
    Sample("Sigmoid", 1, [param([-5, 0, 5], "i32")], expected=[0, 0, 1]),
    Sample("HSwish", 4, [param([-1000.0, 1000.0])], expected=[0, 1000]),
    Sample(
        "SoftPlus",
        4,
        [param([-200.0, -20.0, 25.0, 1000.0])],
        expected=[0, math.exp(-20), 25, 1000],
        openvino="gives -1.9e-6 for -20",
    ),
    Sample("Mish", 4, [param([-1000.0, -30.0, 30.0, 1000.0])], expected=[0, -30 * math.exp(-30), 30, 1000]),
    Sample("SoftSign", 9, [param([-1000.0, 3.0])], expected=[-1000 / 1001, 0.75]),
]

ERRORS = [
    *[ErrorSample(type, version, ["boolean[2]"], part="data", says="boolean") for type, (version, _) in TABLE.items()],
    ErrorSample("SoftPlus", 4, ["i32[2]"], part="data", says="i32"),
    ErrorSample("Exp", 1, [param([1, 100], "i8")], code="IR701", says="result[1]"),
]
