"""Samples of Softmax-8 and Softmax-1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.linspace(-4, 5, 24, dtype=np.float32).reshape(2, 3, 4) ** 2


def along(axis: int) -> Callable[[Array], Array]:
    def line(values: Array) -> Array:
        exponentials = [math.exp(float(value)) for value in values]
        return np.array([value / math.fsum(exponentials) for value in exponentials])

    return lambda data: np.apply_along_axis(line, axis, data.astype(np.float64))


SAMPLES = [
    Sample("Softmax", 8, [param(CUBE)], {"axis": 1}, oracle=along(1), shapes=[["?,3,1..4"]]),
    Sample("Softmax", 8, [param(CUBE)], {"axis": -1}, oracle=along(2)),
    Sample("Softmax", 8, [const(CUBE)], {"axis": -3}, oracle=along(0)),
    Sample("Softmax", 8, [param(CUBE.astype(np.float16))], {"axis": 2}, oracle=along(2), atol=1e-3),
    Sample("Softmax", 8, [param(CUBE, "bf16")], {"axis": 2}, oracle=along(2), atol=1e-2),
    Sample(
        "Softmax",
        8,
        [param(CUBE.astype(np.float64))],
        {"axis": 2},
        oracle=along(2),
        rtol=1e-12,
        atol=1e-14,
        openvino="computes f64 in f32",
    ),
    Sample(
        "Softmax",
        8,
        [param([1000.0, 1001.0, -np.inf])],
        {"axis": 0},
        expected=[1 / (1 + math.e), math.e / (1 + math.e), 0],
    ),
    Sample("Softmax", 8, [param(np.zeros((2, 0), np.float32))], {"axis": 1}),
    Sample("Softmax", 8, [param(2.5)], {"axis": 0}, expected=1),
    Sample("Softmax", 8, [const(2.5)], {"axis": -1}, expected=1),
    Sample("Softmax", 1, [param(2.5)], {"axis": 0}, expected=1),
    Sample("Softmax", 1, [param(CUBE)], {"axis": 1}, oracle=along(1), shapes=[["?,3,1..4"]]),
    Sample("Softmax", 1, [param(CUBE)], {"axis": 0}, oracle=along(0)),
    Sample("Softmax", 1, [const(CUBE[0])], oracle=along(0)),
    Sample("Softmax", 1, [param(CUBE[0, 0])]),
    Sample("Softmax", 1, [param(CUBE.astype(np.float16))], {"axis": 2}, oracle=along(2), atol=1e-3),
    Sample("Softmax", 1, [param(CUBE.reshape(2, 3, 2, 2))], {"axis": 3}, oracle=along(3), shapes=[["2,?,2,2"]]),
    Sample("Softmax", 1, [param(CUBE, "bf16")], {"axis": 2}, oracle=along(2), atol=1e-2),
    Sample("Softmax", 1, [const(CUBE[0])], {"axis": 1}, oracle=along(1)),
]

ERRORS = [
    ErrorSample("Softmax", 8, ["f32[2,3]"], {"axis": 2}, part="axis", says="[-2, 1]"),
    ErrorSample("Softmax", 8, ["f32[2,3]"], {"axis": -3}, part="axis", says="[-2, 1]"),
    ErrorSample("Softmax", 8, ["f32[]"], {"axis": -2}, part="axis", says="scalar"),
    ErrorSample("Softmax", 8, ["string[2,3]"], {"axis": 1}, part="data", says="string"),
    ErrorSample("Softmax", 1, ["f32[2,3]"], {"axis": 2}, part="axis", says="axis 2"),
    ErrorSample("Softmax", 1, ["f32[2,3]"], {"axis": -1}, part="axis", says="negative"),
]
