"""Samples of Elu-1."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

VALUES = [[-3.0, -0.5, 0.0], [0.25, 2.0, -9.0]]


def oracle(data: Array, alpha: float = 1.0) -> Array:
    return np.array([x if x > 0 else alpha * math.expm1(x) for x in map(float, data.flat)]).reshape(data.shape)


SAMPLES = [
    Sample("Elu", 1, [param(VALUES, "f32")], {"alpha": 1.0}, oracle=oracle, shapes=[["?,3"]]),
    Sample("Elu", 1, [param(VALUES, "f32")], {"alpha": 0.5}, oracle=lambda data: oracle(data, 0.5)),
    Sample("Elu", 1, [const(VALUES, "f32")], {"alpha": 0.0}, oracle=lambda data: oracle(data, 0)),
    Sample("Elu", 1, [param(VALUES, "f16")], {"alpha": 2.0}, oracle=lambda data: oracle(data, 2)),
    Sample("Elu", 1, [param(VALUES, "bf16")], {"alpha": 2.0}, oracle=lambda data: oracle(data, 2)),
    Sample(
        "Elu",
        1,
        [param(VALUES, "f64")],
        {"alpha": 2.0},
        oracle=lambda data: oracle(data, 2),
        rtol=1e-12,
        atol=1e-14,
        openvino="computes f64 in f32",
    ),
    Sample("Elu", 1, [param([np.nan, np.inf, -np.inf])], {"alpha": 3.0}, expected=[np.nan, np.inf, -3]),
    Sample("Elu", 1, [param(np.zeros((0, 3), np.float32))], {"alpha": 1.0}),
]

ERRORS = [ErrorSample("Elu", 1, ["string[2]"], {"alpha": 1.0}, part="data", says="string")]
