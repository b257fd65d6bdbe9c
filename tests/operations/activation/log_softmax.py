"""Samples of LogSoftmax-5."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.linspace(-4, 5, 24, dtype=np.float32).reshape(2, 3, 4) ** 2


def along(axis: int) -> Callable[[Array], Array]:
    def line(values: Array) -> Array:
        total = math.log(math.fsum(math.exp(float(value)) for value in values))
        return np.array([float(value) - total for value in values])

    return lambda data: np.apply_along_axis(line, axis, data.astype(np.float64))


SAMPLES = [
    Sample("LogSoftmax", 5, [param(CUBE)], {"axis": 1}, oracle=along(1), shapes=[["?,3,1..4"]]),
    Sample("LogSoftmax", 5, [param(CUBE)], oracle=along(1)),
    Sample("LogSoftmax", 5, [param(CUBE)], {"axis": -1}, oracle=along(2)),
    Sample("LogSoftmax", 5, [const(CUBE)], {"axis": 0}, oracle=along(0)),
    Sample("LogSoftmax", 5, [param(CUBE.astype(np.float16))], {"axis": 2}, oracle=along(2), atol=1e-2),
    Sample("LogSoftmax", 5, [param(CUBE, "bf16")], {"axis": 2}, oracle=along(2), atol=0.1),
    Sample(
        "LogSoftmax",
        5,
        [param([1000.0, 1001.0])],
        {"axis": 0},
        expected=[-math.log(1 + math.e), 1 - math.log(1 + math.e)],
    ),
    Sample("LogSoftmax", 5, [param(np.zeros((2, 0), np.float32))], {"axis": 1}),
    Sample("LogSoftmax", 5, [param(2.5)], {"axis": 0}, expected=0),
    Sample("LogSoftmax", 5, [param(2.5)], {"axis": -1}, expected=0),
]

ERRORS = [
    ErrorSample("LogSoftmax", 5, ["f32[2,3]"], {"axis": 2}, part="axis", says="[-2, 1]"),
    ErrorSample("LogSoftmax", 5, ["f32[]"], {"axis": 1}, part="axis", says="scalar"),
    ErrorSample("LogSoftmax", 5, ["string[2,3]"], {"axis": 1}, part="data", says="string"),
]
