"""Samples of FakeConvert-13."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import to_type
from tests.support.sample import ErrorSample, Sample, const, param

VALUES = np.array([[0.1, 1.06, 449.0, -3.0], [0.002, 0.0005, -20.3, 77.7]])
E4M3, E5M2 = {"destination_type": "f8e4m3"}, {"destination_type": "f8e5m2"}


def to_e4m3(data: Array, scale: Array, shift: Array | float = 0.0) -> Array:
    scaled = np.clip(data.astype(np.float32) * scale.astype(np.float32) - np.float32(shift), -448, 448)
    result: Array = (to_type(scaled, ElementType.f8e4m3).astype(np.float32) + shift) / scale
    return result


def to_e5m2(data: Array, scale: Array, shift: Array | float = 0.0) -> Array:
    scaled = data.astype(np.float32) * scale.astype(np.float32) - np.float32(shift)
    result: Array = (to_type(scaled, ElementType.f8e5m2).astype(np.float32) + shift) / scale
    return result


SAMPLES = [
    Sample("FakeConvert", 13, [param(VALUES, "f32"), const([1.0])], E4M3, oracle=to_e4m3, shapes=[["?,1..4"]]),
    Sample("FakeConvert", 13, [param(VALUES, "f32"), const([1.0])], E5M2, oracle=to_e5m2),
    Sample("FakeConvert", 13, [param(VALUES, "f32"), const([3.0]), const([1.5])], E4M3, oracle=to_e4m3),
    Sample(
        "FakeConvert", 13, [param(VALUES, "f32"), const([[2.0], [0.5]]), const([[0.0], [1.0]])], E5M2, oracle=to_e5m2
    ),
    Sample(
        "FakeConvert",
        13,
        [param(VALUES, "f16"), const([1.0], "f16")],
        E4M3,
        oracle=lambda d, a: to_e4m3(d, a.astype(np.float32)),
    ),
    Sample(
        "FakeConvert",
        13,
        [param(VALUES, "bf16"), const([1.0], "bf16")],
        E5M2,
        oracle=lambda d, a: to_e5m2(d, a.astype(np.float32)),
    ),
    Sample(
        "FakeConvert", 13, [param([1e6, np.inf, -np.inf, 470.0]), const([1.0])], E4M3, expected=[448, 448, -448, 448]
    ),
    Sample(
        "FakeConvert",
        13,
        [param([1e6, np.inf, -np.inf, 61440.0]), const([1.0])],
        E5M2,
        expected=[57344, 57344, -57344, 57344],
    ),
    Sample(
        "FakeConvert",
        13,
        [param([np.nan]), const([1.0])],
        E4M3,
        expected=[np.nan],
        openvino="gives the lowest number for NaN",
    ),
]

ERRORS = [
    ErrorSample("FakeConvert", 13, ["f64[2]", "f64[1]"], E4M3, part="data", says="f64"),
    ErrorSample("FakeConvert", 13, ["f32[1,3]", "f32[2,3]"], E4M3, part="scale", says="cannot be broadcast"),
    ErrorSample("FakeConvert", 13, ["f32[2,3]", "f32[1,3]", "f32[1]"], E4M3, part="shift", says="must be equal"),
    ErrorSample("FakeConvert", 13, ["f32[2,3]", "f16[1,3]"], E4M3, part="scale", says="f16"),
]
