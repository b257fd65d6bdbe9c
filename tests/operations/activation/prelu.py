"""Samples of PRelu-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)
CHANNELS = np.array([0.5, -1.0, 2.0], np.float32)


def by_channel(data: Array, slope: Array) -> Array:
    result = data.astype(np.float64)
    for channel, factor in enumerate(slope):
        part = result[:, channel]
        part[part < 0] *= float(factor)
    return result


def broadcast(data: Array, slope: Array) -> Array:
    return np.maximum(data, 0).astype(np.float64) + slope.astype(np.float64) * np.minimum(data, 0)


SAMPLES = [
    Sample("PRelu", 1, [param(CUBE), const(CHANNELS)], oracle=by_channel, shapes=[["?,3,1..4"]]),
    Sample("PRelu", 1, [param(CUBE), param(CHANNELS)], oracle=by_channel, shapes=[["?,3,4", "3"]]),
    Sample("PRelu", 1, [param(CUBE), const([0.25])], oracle=broadcast),
    Sample("PRelu", 1, [param(CUBE), const([0.25, 0.5, 1.0, 2.0])], oracle=broadcast),
    Sample("PRelu", 1, [param(CUBE), const(CHANNELS.reshape(1, 3, 1))], oracle=broadcast),
    Sample("PRelu", 1, [param(-2.0), const([0.25])], expected=-0.5),
    Sample("PRelu", 1, [param([-2.0, 3.0]), param([[0.25]])], expected=[-0.5, 3]),
    Sample("PRelu", 1, [param(CUBE), const([[[[0.25]]]])], oracle=lambda data, slope: broadcast(data, slope[0])),
    Sample("PRelu", 1, [param(CUBE[:, :, 0]), const(CHANNELS)], oracle=by_channel),
    Sample("PRelu", 1, [param([-1.0, 2.0, -3.0]), const(CHANNELS)], expected=[-0.5, 2, -6]),
    Sample("PRelu", 1, [param(np.ones((2, 3, 3), np.float32) * -1), const(CHANNELS)], oracle=by_channel),
    Sample("PRelu", 1, [param(CUBE, "f16"), const(CHANNELS, "f16")], oracle=by_channel, atol=1e-3),
    Sample("PRelu", 1, [param(CUBE, "bf16"), const(CHANNELS, "bf16")], oracle=by_channel, atol=1e-2),
    Sample("PRelu", 1, [param(np.zeros((0, 3), np.float32)), const(CHANNELS)]),
]

ERRORS = [
    ErrorSample("PRelu", 1, ["f32[2,3,4]", "f32[5]"], part="slope", says="cannot be broadcast"),
    ErrorSample("PRelu", 1, ["f32[3]", "f32[2,3]"], part="slope", says="cannot be broadcast"),
    ErrorSample("PRelu", 1, ["f32[2,3]", "string[3]"], part="slope", says="string"),
    ErrorSample("PRelu", 1, ["string[2,3]", "string[3]"], part="data", says="string"),
    ErrorSample("PRelu", 1, ["f32[2,3]", "string[3]"], part="slope", says="string"),
]
