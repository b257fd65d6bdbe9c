"""Samples of FakeQuantize-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param

LINE = np.array([-3, -0.9, 0.1, 0.7, 1.3, 2.6, 3.9, 9], np.float32)
CUBE = np.linspace(-4, 4, 24, dtype=np.float32).reshape(2, 3, 4)
NONE = {"auto_broadcast": "none"}
PDPD = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 1}


def one(x: float, low: float, high: float, out_low: float, out_high: float, levels: int) -> float:
    if x <= min(low, high):
        return out_low
    if x > max(low, high):
        return out_high
    return round((x - low) / (high - low) * (levels - 1)) / (levels - 1) * (out_high - out_low) + out_low


def naive(data: Array, *limits: Array, levels: int) -> Array:
    arrays = np.broadcast_arrays(data, *limits)
    rows = zip(*(array.astype(np.float64).flat for array in arrays), strict=True)
    return np.array([one(x, a, b, c, d, levels) for x, a, b, c, d in rows]).reshape(data.shape)


def fake(
    data: In, limits: list[object], levels: int, type: str = "f32", shape: tuple[int, ...] = (), **more: Any
) -> Sample:
    """Return a sample whose oracle broadcasts the limits, reshaped to `shape` if not empty, as NumPy does."""
    inputs = [data, *[const(limit, type) for limit in limits]]
    attributes = {"levels": levels, **more.pop("attributes", {})}

    def oracle(x: Array, *bounds: Array) -> Array:
        return naive(x, *(bound.reshape(shape) if shape else bound for bound in bounds), levels=levels)

    return Sample("FakeQuantize", 1, inputs, attributes, oracle=oracle, **more)


BY_CHANNEL = [[[[-3], [-2], [-1]]], [[[3], [2], [1.5]]], [[[-3], [0], [-1]]], [[[3], [2], [2]]]]

SAMPLES = [
    fake(param(LINE), [0, 4, 0, 4], 5, shapes=[["?"], ["1..9"], ["..."]]),
    fake(param(LINE), [[0], [4], [-1], [1]], 256),
    fake(param(1.23), [0, 2.55, 0, 2.55], 256, shapes=[["..."]]),
    fake(param(1.23), [[0], [2.55], [0], [2.55]], 256, openvino="returns [1], though it infers []"),
    fake(const(1.23), [[[0]], 2.55, [0], [2.55]], 256),
    fake(param(CUBE), [[[[[-3]]]], [[[[3]]]], -3, 3], 16),
    fake(param(CUBE[0]), [[[[-3], [-2], [-1]]], [[[3], [2], [1.5]]], -3, 3], 16),
    fake(param(LINE), [[-2], [2], [-2], [2]], 255),
    fake(param(LINE), [[1], [1], [0], [10]], 2),
    fake(param(LINE), [[2], [-2], [0], [10]], 5),
    fake(param(LINE), [[-2], [2], [10], [0]], 5),
    fake(param(CUBE), BY_CHANNEL, 16, shapes=[["?,3,1..4"]]),
    fake(param(CUBE), [[-2, -1, -3, -4], [2], [[0]], [4, 3, 2, 1]], 16, openvino="mixes up limits of different ranks"),
    fake(param(CUBE.astype(np.float16)), [-4, 4, -4, 4], 9, "f16"),
    fake(param(CUBE, "bf16"), [-4, 4, -4, 4], 9, "bf16"),
    fake(param(CUBE.astype(np.float64)), [-4, 4, -4, 4], 9, "f64"),
    fake(const(CUBE), [-4, 4, -4, 4], 9),
    fake(param(CUBE), [np.full((2, 3, 4), v) for v in (-3, 3, -3, 3)], 7, attributes=NONE),
    fake(
        param(CUBE),
        [[-3, -2, -1], [3, 2, 1], [-3, -2, -1], [3, 2, 1]],
        7,
        shape=(3, 1),
        attributes=PDPD,
        openvino="broadcasts by NumPy's rule",
    ),
    Sample(
        "FakeQuantize",
        1,
        [param([np.nan, np.inf, -np.inf]), const(0.0), const(1.0), const(2.0), const(3.0)],
        {"levels": 4},
        expected=[np.nan, 3, 2],
        openvino="gives output_low for NaN",
    ),
    Sample(
        "FakeQuantize",
        1,
        [param([0.5, 1.5, 2.5]), const(0.0), const(4.0), const(0.0), const(4.0)],
        {"levels": 5},
        expected=[0, 2, 2],
    ),
    Sample(
        "FakeQuantize",
        1,
        [param(LINE), param([-1.0]), param([1.0]), param([0.0]), param([5.0])],
        {"levels": 6},
        oracle=lambda *arrays: naive(*arrays, levels=6),
    ),
    Sample(
        "FakeQuantize",
        1,
        [param(np.zeros((0, 2), np.float32)), const(0.0), const(1.0), const(2.0), const(3.0)],
        {"levels": 4},
    ),
]

SAMPLES += [
    Sample("FakeQuantize", 1, [param(LINE), const(-1.0), const(1.0), const(0.0), const(5.0)], {"levels": levels})
    for levels in (-3, -1, 0)
]
SAMPLES += [
    Sample("FakeQuantize", 1, [param(LINE), param([-1.0]), param([1.0]), param([0.0]), param([5.0])], {"levels": 1})
]

LIMITS = ["f32[1]", "f32[1]", "f32[1]"]

ERRORS = [
    ErrorSample("FakeQuantize", 1, ["f32[2]", "f32[3]", *LIMITS], {"levels": 4}, part="input_low", says="[3]"),
    ErrorSample(
        "FakeQuantize", 1, ["f32[3]", "f32[2,1]", *LIMITS], {"levels": 4}, part="input_low", says="would become"
    ),
    ErrorSample("FakeQuantize", 1, ["f32[2]", "string[1]", *LIMITS], {"levels": 4}, part="input_low", says="string"),
    ErrorSample("FakeQuantize", 1, ["string[2]", "f32[1]", *LIMITS], {"levels": 4}, part="data", says="string"),
    ErrorSample("FakeQuantize", 1, ["f32[2]", "f32[1]", *LIMITS], {"levels": 4, **NONE}, part="input_low"),
]
