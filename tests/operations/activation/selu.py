"""Samples of Selu-1."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

VALUES = [[-6.0, -1.5, -0.1], [0.3, 0.0, 9.0]]


def oracle(data: Array, alpha: Array, scale: Array) -> Array:
    a, s = float(alpha.flat[0]), float(scale.flat[0])
    return np.array([s * x if x > 0 else s * a * math.expm1(x) for x in map(float, data.flat)]).reshape(data.shape)


SAMPLES = [
    Sample("Selu", 1, [param(VALUES, "f32"), const([1.67]), const([1.05])], oracle=oracle, shapes=[["?,1..4"]]),
    Sample("Selu", 1, [const(VALUES, "f32"), const([1.5]), const([2.0])], oracle=oracle),
    Sample("Selu", 1, [param(VALUES, "f16"), const([1.5], "f16"), const([2.0], "f16")], oracle=oracle),
    Sample("Selu", 1, [param(VALUES, "bf16"), const([1.5], "bf16"), const([2.0], "bf16")], oracle=oracle),
    Sample("Selu", 1, [param(VALUES, "f32"), param([1.5]), param([2.0])], oracle=oracle, openvino="wants constants"),
    Sample("Selu", 1, [param([np.inf, -np.inf, np.nan]), const([3.0]), const([2.0])], expected=[np.inf, -6, np.nan]),
    Sample("Selu", 1, [param(np.zeros((0, 2), np.float32)), const([3.0]), const([2.0])]),
]

ERRORS = [
    ErrorSample("Selu", 1, ["f32[2]", "f32[2]", "f32[1]"], part="alpha", says="one element"),
    ErrorSample("Selu", 1, ["f32[2]", "f32[1]", "f32[3]"], part="lambda", says="one element"),
    ErrorSample("Selu", 1, ["f32[2]", "f32[1]", "f16[1]"], part="input 2", says="f16"),
    ErrorSample("Selu", 1, ["i32[2]", "i32[1]", "i32[1]"], part="data", says="i32"),
]
