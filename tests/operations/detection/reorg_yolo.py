"""Samples of ReorgYolo-2."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param


def data(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


SAMPLES = [
    Sample("ReorgYolo", 2, [param(data(2, 8, 4, 6))], {"stride": 2}, shapes=[["?,8,?,?"], ["1..3,4..8,2..5,?"]]),
    Sample("ReorgYolo", 2, [param(data(1, 9, 3, 6))], {"stride": 3}),
    Sample("ReorgYolo", 2, [param(data(1, 64, 2, 2), "f16")], {"stride": 2}),
    Sample("ReorgYolo", 2, [param(data(1, 4, 2, 2), "i32")], {"stride": 2}),
    Sample("ReorgYolo", 2, [param(data(3, 2, 1, 5))], {"stride": 1}, expected=data(3, 2, 1, 5)),
]

ERRORS = [
    ErrorSample("ReorgYolo", 2, ["f32[1,3,4,4]"], {"stride": 2}, part="data", says="dimension 1"),
    ErrorSample("ReorgYolo", 2, ["f32[1,1..3,4,4]"], {"stride": 2}, part="data", says="at least 4"),
    ErrorSample("ReorgYolo", 2, ["f32[1,8,3,4]"], {"stride": 2}, part="data", says="dimension 2"),
    ErrorSample("ReorgYolo", 2, ["f32[8,4,4]"], {"stride": 2}, part="data", says="rank must be 4"),
    ErrorSample("ReorgYolo", 2, ["f32[1,8,4,4]"], {"stride": 0}, part="stride", says="positive"),
]
