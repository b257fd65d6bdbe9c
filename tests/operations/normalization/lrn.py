"""Samples of LRN-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(52)
DATA = RNG.standard_normal((2, 7, 4, 5)).astype(np.float32)
SHAPES = [["?,1..3,4,5"], ["..."], ["?,?,?,?"]]


def lrn(size: int = 3, alpha: float = 0.5, beta: float = 0.75, bias: float = 2.0) -> Any:
    return {"size": size, "alpha": alpha, "beta": beta, "bias": bias}


def naive(*axes: int, size: int = 3, bias: float = 2.0) -> Any:
    def normalize(data: Any, _axes: Any) -> Any:
        result = np.zeros(data.shape)
        for at in np.ndindex(*data.shape):
            region = tuple(
                slice(max(0, i - (size - 1) // 2), i + (size - 1) // 2 + 1) if axis in axes else i
                for axis, i in enumerate(at)
            )
            total = np.square(data[region].astype(np.float64)).sum()
            result[at] = data[at] / (bias + 0.5 / size ** len(axes) * total) ** 0.75
        return result

    return normalize


CPU = "OpenVINO's CPU finds no implementation"

SAMPLES = [
    Sample("LRN", 1, [param(DATA), const([1])], lrn(), oracle=naive(1), shapes=SHAPES),
    Sample("LRN", 1, [param(DATA), const([2, 3])], lrn(), oracle=naive(2, 3), openvino=CPU),
    Sample("LRN", 1, [param(DATA), const([1])], lrn(5), oracle=naive(1, size=5), openvino=CPU),
    Sample("LRN", 1, [param(DATA), const([1])], lrn(1), oracle=naive(1, size=1)),
    *(Sample("LRN", 1, [param(DATA), const([1])], lrn(even), oracle=naive(1, size=even)) for even in (2, 4, 6)),
    Sample("LRN", 1, [param(DATA[:1]), const([-1])], lrn(9), oracle=naive(3, size=9), openvino=CPU),
    Sample(
        "LRN",
        1,
        [param(DATA), const([1])],
        lrn(bias=1.5),
        oracle=naive(1, bias=1.5),
        openvino="OpenVINO's CPU cuts bias to a whole number",
    ),
    Sample("LRN", 1, [param(DATA, "f16"), const([1])], lrn(), atol=1e-2),
    Sample("LRN", 1, [param(DATA, "bf16"), const([1], "i32")], lrn(), atol=2e-2),
]

ERRORS = [
    ErrorSample("LRN", 1, ["f32[2,3,4]", const([3])], lrn(), part="axes", says="[-3, 2]"),
    ErrorSample("LRN", 1, ["f32[2,3,4]", const([1, 1])], lrn(), part="axes", says="twice"),
    ErrorSample("LRN", 1, ["f32[2,3,4]", const(1)], lrn(), part="axes", says="1-D"),
    ErrorSample("LRN", 1, ["f32[2,3,4]", const([1])], lrn(0), part="size", says="0"),
    ErrorSample("LRN", 1, ["string[2,3,4]", const([1])], lrn(), part="data", says="string"),
]
