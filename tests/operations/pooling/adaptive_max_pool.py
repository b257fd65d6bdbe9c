"""Samples of AdaptiveMaxPool-8."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(43)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def largest(data: Any, lengths: Any) -> Any:
    best = np.zeros((*data.shape[:2], *lengths), np.float64)
    indices = np.zeros(best.shape, np.int64)
    for at in np.ndindex(*best.shape):
        spans = zip(at[2:], data.shape[2:], lengths, strict=True)
        region = [range(i * n // m, -(-(i + 1) * n // m)) for i, n, m in spans]
        candidates = [(float(data[at[:2] + position]), position) for position in product(*region)]
        best[at] = max(value for value, _ in candidates)
        first = next(position for value, position in candidates if value == best[at])
        indices[at] = np.ravel_multi_index(first, data.shape[2:])
    return [best, indices]


SHAPES = [["?,3..4,?,7"], ["..."], ["?,?,?,?"]]
I64 = "OpenVINO's CPU has no places of i64"
SAMPLES = [
    Sample(
        "AdaptiveMaxPool",
        8,
        [param(floats(2, 3, 8, 7)), const([3, 5])],
        {"index_element_type": "i32"},
        outputs=2,
        oracle=largest,
        shapes=SHAPES,
    ),
    Sample(
        "AdaptiveMaxPool",
        8,
        [param(floats(2, 3, 8, 7)), const([1, 1], "i32")],
        {"index_element_type": "i32"},
        outputs=2,
        oracle=largest,
    ),
    Sample(
        "AdaptiveMaxPool",
        8,
        [param(floats(2, 3, 7)), const([9])],
        {"index_element_type": "i64"},
        outputs=2,
        openvino=I64,
        oracle=largest,
    ),
    Sample(
        "AdaptiveMaxPool",
        8,
        [param(floats(1, 2, 5, 6, 7)), const([2, 3, 4])],
        {"index_element_type": "i32"},
        outputs=2,
        oracle=largest,
    ),
    Sample(
        "AdaptiveMaxPool",
        8,
        [param(floats(1, 2, 5, 6)), param([2, 3])],
        outputs=2,
        openvino=I64,
        oracle=largest,
        shapes=[["1,3,8,8", "?"], ["1,3,8,8", "..."], ["...", "2"], ["2,3,8,8", "2..3"]],
    ),
    Sample(
        "AdaptiveMaxPool",
        8,
        [param(floats(1, 2, 5, 6), "f16"), const([2, 3])],
        {"index_element_type": "i32"},
        outputs=2,
    ),
    Sample("AdaptiveMaxPool", 8, [param(floats(0, 2, 5, 6)), const([2, 3])], {"index_element_type": "i32"}, outputs=2),
]

ERRORS = [
    ErrorSample("AdaptiveMaxPool", 8, ["f32[1,3,8,8]", const([2])], outputs=2, part="output_shape", says="1 values"),
    ErrorSample("AdaptiveMaxPool", 8, ["f32[1,3,8,8]", const([2, -2])], outputs=2, part="output_shape", says="-2"),
    ErrorSample("AdaptiveMaxPool", 8, ["f32[1,3]", const([2])], outputs=2, part="data", says="rank 2"),
    ErrorSample("AdaptiveMaxPool", 8, ["string[1,3,8]", const([2])], outputs=2, part="data", says="string"),
    ErrorSample("AdaptiveMaxPool", 8, ["f32[1,3,8]", "string[1]"], outputs=2, part="output_shape", says="string"),
    ErrorSample("AdaptiveMaxPool", 8, ["f32[1,3,0]", const([1])], outputs=2, part="data"),
]
