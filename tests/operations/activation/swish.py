"""Samples of Swish-4."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

VALUES = [[-6.0, -1.5, -0.1], [0.3, 0.0, 9.0]]


def oracle(data: Array, beta: Array | None = None) -> Array:
    factor = 1.0 if beta is None else float(beta.flat[0])
    return np.array([x / (1 + math.exp(-factor * x)) for x in map(float, data.flat)]).reshape(data.shape)


SAMPLES = [
    Sample("Swish", 4, [param(VALUES, "f32")], oracle=oracle, shapes=[["?,1..4"]]),
    Sample("Swish", 4, [param(VALUES, "f32"), const(0.5)], oracle=oracle),
    Sample("Swish", 4, [const(VALUES, "f32"), const(2.0)], oracle=oracle),
    Sample("Swish", 4, [param(VALUES, "f16"), const(0.5, "f16")], oracle=oracle),
    Sample("Swish", 4, [param(VALUES, "bf16")], oracle=oracle),
    Sample("Swish", 4, [param(VALUES, "f32"), param(np.float32(0.5))], oracle=oracle, shapes=[["?,?", ""]]),
    Sample("Swish", 4, [param([-200.0, 200.0])], expected=[0, 200]),
    Sample("Swish", 4, [param(np.zeros((0, 2), np.float32))]),
]

ERRORS = [
    ErrorSample("Swish", 4, ["f32[2]", "f32[1]"], part="beta", says="rank"),
    ErrorSample("Swish", 4, ["f16[2]", "f32[]"], part="beta", says="f32"),
    ErrorSample("Swish", 4, ["i32[2]"], part="data", says="i32"),
]
