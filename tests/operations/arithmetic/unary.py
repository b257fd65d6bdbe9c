"""Samples of the arithmetic operations of one operand."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

SMALL = np.array([[-0.9, -0.5, -0.1], [0.0, 0.3, 0.95]])
WIDE = np.array([[-3.7, -1.5, -0.2], [0.0, 0.5, 2.5]])
POSITIVE = np.array([[0.01, 0.5, 1.0], [2.5, 30.0, 1e4]])
ABOVE_1 = np.array([[1.0, 1.25, 2.0], [2.5, 30.0, 1e4]])

TABLE: dict[str, tuple[int, Callable[[float], float], Array]] = {
    "Abs": (1, abs, WIDE),
    "Negative": (1, lambda x: -x, WIDE),
    "Sign": (1, lambda x: float((x > 0) - (x < 0)), WIDE),
    "Floor": (1, math.floor, WIDE),
    "Ceiling": (1, math.ceil, WIDE),
    "Sqrt": (1, math.sqrt, POSITIVE),
    "Log": (1, math.log, POSITIVE),
    "Sin": (1, math.sin, WIDE),
    "Cos": (1, math.cos, WIDE),
    "Tan": (1, math.tan, WIDE),
    "Asin": (1, math.asin, SMALL),
    "Acos": (1, math.acos, SMALL),
    "Atan": (1, math.atan, WIDE),
    "Sinh": (1, math.sinh, WIDE),
    "Cosh": (1, math.cosh, WIDE),
    "Tanh": (1, math.tanh, WIDE),
    "Asinh": (4, math.asinh, WIDE),
    "Acosh": (4, math.acosh, ABOVE_1),
    "Atanh": (4, math.atanh, SMALL),
    "Erf": (1, math.erf, WIDE),
    "ErfInv": (17, lambda x: NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2), SMALL),
}


def naive(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda data: np.array([function(float(value)) for value in data.flat], np.float64).reshape(data.shape)


def halves_up(oracle: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda data: np.floor(oracle(data) + 0.5).astype(data.dtype)


def samples() -> list[Sample]:
    collected = []
    for type, (version, function, values) in TABLE.items():
        oracle = naive(function)
        collected += [
            Sample(type, version, [param(values.astype(np.float32))], oracle=oracle, shapes=[["?,3"], ["1..4,..7"]]),
            Sample(type, version, [param(values.astype(np.float16))], oracle=oracle),
            Sample(type, version, [param(values, "bf16")], oracle=oracle),
            Sample(
                type,
                version,
                [param(values)],
                oracle=oracle,
                rtol=1e-12,
                atol=1e-13,
                openvino="computes f64 in f32",
                name=f"f64 {type}",
            ),
            Sample(type, version, [const(values.astype(np.float32))], oracle=oracle),
            Sample(type, version, [param(np.float32(values[1, 1]))], oracle=oracle),
            Sample(type, version, [param(np.zeros((2, 0), np.float32))]),
        ]
        if type != "ErfInv":
            whole = (
                np.maximum(np.rint(values), 1 if type in ("Log", "Sqrt", "Acosh") else -1)
                .clip(max=1000)
                .astype(np.int32)
            )
            if type == "Atanh":
                whole[:] = 0
            collected.append(Sample(type, version, [param(whole)], oracle=halves_up(oracle)))
    return collected


SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0]
LARGE = np.array([0, 1, 2, 3, 2**52 - 1, 2**62, (2**31) ** 2 - 2**31 + 1, 2**63 - 1])

SAMPLES = [
    *samples(),
    Sample("Abs", 1, [param([-128, 127, -1], "i8")], expected=[-128, 127, 1], openvino="saturates"),
    Sample("Abs", 1, [param([0, 200], "u8")], expected=[0, 200]),
    Sample("Negative", 1, [param([0, 1, 255], "u8")], expected=[0, 255, 1], openvino="fails on unsigned types"),
    Sample("Sign", 1, [param([-(2**62), 0, 5])], expected=[-1, 0, 1], openvino="cuts 64 bits to 32"),
    Sample("Sign", 1, [param(SPECIAL, "f32")], expected=[np.nan, 1, -1, 0, 0]),
    Sample("Floor", 1, [param([2**62 + 1, -3])], expected=[2**62 + 1, -3], openvino="cuts 64 bits to 32"),
    Sample("Ceiling", 1, [param([2**62 + 1, -3])], expected=[2**62 + 1, -3], openvino="cuts 64 bits to 32"),
    Sample("Sqrt", 1, [param(SPECIAL, "f32")], expected=[np.nan, np.inf, np.nan, -0.0, 0]),
    Sample("Sqrt", 1, [param([0, 1, 2, 3, 6, 7, 12, 13], "i32")], expected=[0, 1, 1, 2, 2, 3, 3, 4]),
    Sample(
        "Sqrt", 1, [param(LARGE)], oracle=lambda data: [_nearest_root(int(x)) for x in data], openvino="computes in f32"
    ),
    Sample(
        "Sqrt", 1, [param([2**64 - 1, 2**64 - 2**32], "u64")], expected=[2**32, 2**32 - 1], openvino="computes in f32"
    ),
    Sample("Log", 1, [param([0.0, -1.0, np.inf])], expected=[-np.inf, np.nan, np.inf]),
    Sample("Tanh", 1, [param([-1, 0, 1, 5], "i32")], expected=[-1, 0, 1, 1]),
    Sample("Erf", 1, [param(SPECIAL, "f32")], expected=[np.nan, 1, -1, 0, 0]),
    Sample(
        "Erf",
        1,
        [param(np.linspace(-7, 7, 1501))],
        oracle=naive(math.erf),
        openvino="computes f64 in f32",
        rtol=0,
        atol=1e-15,
    ),
    Sample(
        "Erf",
        1,
        [param(np.linspace(-7, 7, 1501, dtype=np.float32))],
        oracle=naive(math.erf),
        rtol=0,
        atol=1.5e-7,
        openvino="approximates",
    ),
    Sample("ErfInv", 17, [param([0.0, 1.0, -1.0, 1.5, np.nan])], expected=[0, np.inf, -np.inf, np.nan, np.nan]),
    Sample(
        "ErfInv",
        17,
        [param(np.array([math.erf(x) for x in np.linspace(-3.5, 3.5, 71)]))],
        expected=np.linspace(-3.5, 3.5, 71),
        rtol=1e-10,
        atol=1e-14,
        openvino="computes f64 in f32",
    ),
]


def _nearest_root(value: int) -> int:
    root = math.isqrt(value)
    return root + (value - root * root > root)


ERRORS = [
    *[ErrorSample(type, version, ["boolean[2]"], part="data", says="boolean") for type, (version, *_) in TABLE.items()],
    ErrorSample("ErfInv", 17, ["i32[2]"], part="data", says="i32"),
    ErrorSample("Sqrt", 1, [param([4, -4], "i8")], code="IR701", says="data[1] is -4"),
    ErrorSample("Log", 1, [param([1, 0], "i8")], code="IR701", says="result[1] is -inf"),
]
