"""Samples of BatchNormInference-5 and BatchNormInference-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

RNG = np.random.default_rng(55)
DATA = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)
EPS = {"epsilon": 1e-3}


def known(type: str = "") -> list[In]:
    values = [RNG.standard_normal(3).astype(np.float32) for _ in range(3)] + [np.array([0.5, 1, 2], np.float32)]
    return [const(value, type) for value in values]


def naive(data: Any, gamma: Any, beta: Any, mean: Any, variance: Any) -> Any:
    result = np.zeros(data.shape)
    for c in range(data.shape[1]):
        wide = data[:, c].astype(np.float64)
        result[:, c] = gamma[c] * (wide - mean[c]) / np.sqrt(variance[c] + 1e-3) + beta[c]
    return result


def first(type: str = "") -> list[In]:
    """Return the inputs of version 1 as OpenVINO orders them."""
    gamma, beta, mean, variance = known(type)
    return [gamma, beta, param(DATA, type), mean, variance]


SAMPLES = [
    Sample(
        "BatchNormInference",
        5,
        [param(DATA), *known()],
        EPS,
        oracle=naive,
        atol=1e-5,
        shapes=[["?,?,4"], ["..."], ["?,2..5,?,?"]],
    ),
    Sample("BatchNormInference", 5, [param(DATA[:, :, 0, 0]), *known()], EPS, oracle=naive, atol=1e-5),
    Sample("BatchNormInference", 5, [param(DATA, "f16"), *known("f16")], EPS, atol=3e-2),
    Sample("BatchNormInference", 5, [param(DATA, "bf16"), *known("bf16")], EPS, atol=0.1),
    Sample(
        "BatchNormInference",
        5,
        [
            param(DATA),
            param(DATA[0, :, 0, 0]),
            param(DATA[1, :, 0, 0]),
            param(DATA[0, :, 1, 0]),
            param([0.5, 1.0, 2.0]),
        ],
        EPS,
        oracle=naive,
        atol=1e-5,
        shapes=[["?,2..5,?", "3..9", "?", "?", "4.."], ["?,2..5,?", "...", "...", "...", "..."]],
    ),
    Sample(
        "BatchNormInference",
        1,
        first(),
        EPS,
        atol=1e-5,
        shapes=[["?,?,4"], ["..."], ["?,2..5,?,?"]],
        oracle=lambda gamma, beta, data, mean, variance: naive(data, gamma, beta, mean, variance),
    ),
    Sample("BatchNormInference", 1, first("f16"), EPS, atol=3e-2),
    Sample(
        "BatchNormInference",
        1,
        [param(DATA), *known()],
        EPS,
        oracle=naive,
        atol=1e-5,
        openvino="OpenVINO has `data` third",
        openvino_shapes="OpenVINO has `data` third",
    ),
    Sample(
        "BatchNormInference",
        1,
        [param(DATA[:, :, 0]), *known()],
        EPS,
        oracle=naive,
        atol=1e-5,
        openvino="OpenVINO has `data` third",
        openvino_shapes="OpenVINO has `data` third",
    ),
]

ERRORS = [
    ErrorSample("BatchNormInference", 5, ["f32[1,3,4]", "f32[3]", "f32[3]", "f32[3]", "f32[4]"], EPS, part="variance"),
    ErrorSample("BatchNormInference", 5, ["f32[3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"], EPS, part="data"),
    ErrorSample("BatchNormInference", 5, ["f32[1,3]", "f32[1,3]", "f32[3]", "f32[3]", "f32[3]"], EPS, part="gamma"),
    ErrorSample("BatchNormInference", 5, ["f32[1,0]", "f32[0]", "f32[0]", "f32[0]", "f32[0]"], EPS, part="data"),
    ErrorSample("BatchNormInference", 5, ["i32[1,3]", "i32[3]", "i32[3]", "i32[3]", "i32[3]"], EPS, says="i32"),
    ErrorSample("BatchNormInference", 5, ["f32[1,3]", "f32[3]", "f32[3]", "f32[3]", "f16[3]"], EPS, says="f16"),
    ErrorSample("BatchNormInference", 5, ["f32[1,3]"] + ["f32[3]"] * 4, {"epsilon": -1.0}, part="epsilon", says="-1"),
    ErrorSample("BatchNormInference", 1, ["f32[3]", "f32[3]", "f32[1,4]", "f32[3]", "f32[3]"], EPS, says="3 values"),
]
