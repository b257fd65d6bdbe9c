"""Samples of GroupNormalization-12."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(54)
DATA = (2 * RNG.standard_normal((2, 6, 4, 5)) + 3).astype(np.float32)
SCALE, BIAS = RNG.standard_normal((2, 6)).astype(np.float32)


def groups(count: int, epsilon: float = 1e-3) -> Any:
    return {"num_groups": count, "epsilon": epsilon}


def naive(count: int) -> Any:
    def normalize(data: Any, scale: Any, bias: Any) -> Any:
        result = np.zeros(data.shape)
        size = data.shape[1] // count
        for n, g in np.ndindex(data.shape[0], count):
            part = data[n, g * size : (g + 1) * size].astype(np.float64)
            result[n, g * size : (g + 1) * size] = (part - part.mean()) / np.sqrt(part.var() + 1e-3)
        shape = (1, -1) + (1,) * (data.ndim - 2)
        return result * scale.reshape(shape) + bias.reshape(shape)

    return normalize


SAMPLES = [
    Sample(
        "GroupNormalization",
        12,
        [param(DATA), const(SCALE), const(BIAS)],
        groups(3),
        oracle=naive(3),
        atol=1e-5,
        shapes=[["2,?,4,4"], ["..."], ["?,5..7,?,?"]],
    ),
    Sample(
        "GroupNormalization",
        12,
        [param(DATA), param(SCALE), param(BIAS)],
        groups(6),
        oracle=naive(6),
        atol=1e-5,
        shapes=[["2,?,4,4", "?", "6..8"], ["?,4..8", "7", "..."], ["...", "6", "6"]],
    ),
    Sample("GroupNormalization", 12, [param(DATA), const(SCALE), const(BIAS)], groups(1), oracle=naive(1), atol=1e-5),
    Sample(
        "GroupNormalization",
        12,
        [param(DATA[:, :, 0, 0]), const(SCALE), const(BIAS)],
        groups(2),
        oracle=naive(2),
        atol=1e-5,
        openvino="OpenVINO's CPU needs spatial axes where shapes are dynamic",
    ),
    Sample(
        "GroupNormalization", 12, [param(DATA, "f16"), const(SCALE, "f16"), const(BIAS, "f16")], groups(2), atol=2e-2
    ),
    Sample(
        "GroupNormalization",
        12,
        [param(DATA, "bf16"), const(SCALE, "bf16"), const(BIAS, "bf16")],
        groups(2),
        oracle=naive(2),
        atol=6e-2,
        openvino="OpenVINO's CPU has none for bf16",
    ),
]

ERRORS = [
    ErrorSample("GroupNormalization", 12, ["f32[2,6,4]", "f32[5]", "f32[6]"], groups(3), part="scale", says="5 values"),
    ErrorSample("GroupNormalization", 12, ["f32[2,?,4]", "f32[6]", "f32[9]"], groups(3), part="bias", says="9 values"),
    ErrorSample("GroupNormalization", 12, ["f32[2,6,4]", "f32[6]", "f32[6]"], groups(4), part="num_groups", says="4"),
    ErrorSample("GroupNormalization", 12, ["f32[2,6,4]", "f32[6]", "f32[6]"], groups(12), part="num_groups"),
    ErrorSample("GroupNormalization", 12, ["f32[2,6,4]", "f32[6]", "f32[6]"], groups(0), part="num_groups", says="0"),
    ErrorSample("GroupNormalization", 12, ["f32[6]", "f32[6]", "f32[6]"], groups(1), part="data"),
    ErrorSample("GroupNormalization", 12, ["f32[2,6]", "f32[1,6]", "f32[6]"], groups(2), part="scale", says="rank 2"),
    ErrorSample("GroupNormalization", 12, ["f32[2,6]", "f32[6]", "string[6]"], groups(2), says="string"),
    ErrorSample("GroupNormalization", 12, ["i32[2,6]", "i32[6]", "i32[6]"], groups(2), part="data", says="i32"),
]
