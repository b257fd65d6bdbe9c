"""Samples of AdaptiveAvgPool-8."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(42)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def mean(data: Any, lengths: Any) -> Any:
    result = np.zeros((*data.shape[:2], *lengths), np.float64)
    for position in np.ndindex(*lengths):
        spans = zip(position, data.shape[2:], lengths, strict=True)
        region = tuple(slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in spans)
        batch_and_channels = (slice(None), slice(None))
        result[batch_and_channels + position] = data[batch_and_channels + region].mean(tuple(range(2, data.ndim)))
    return result


SHAPES = [["?,3..4,?,7"], ["..."], ["?,?,?,?"]]
SAMPLES = [
    Sample("AdaptiveAvgPool", 8, [param(floats(2, 3, 8, 7)), const([3, 5])], oracle=mean, shapes=SHAPES),
    Sample("AdaptiveAvgPool", 8, [param(floats(2, 3, 8, 7)), const([1, 1], "i32")], oracle=mean),
    Sample("AdaptiveAvgPool", 8, [param(floats(2, 3, 7)), const([9])], oracle=mean),
    Sample("AdaptiveAvgPool", 8, [param(floats(1, 2, 5, 6, 7)), const([2, 3, 4])], oracle=mean),
    Sample(
        "AdaptiveAvgPool",
        8,
        [param(floats(1, 2, 5, 6)), param([2, 3])],
        oracle=mean,
        shapes=[["1,3,8,8", "?"], ["1,3,8,8", "..."], ["...", "2"], ["2,3,8,8", "2..3"]],
    ),
    Sample("AdaptiveAvgPool", 8, [param(floats(1, 2, 5, 6), "f16"), const([2, 3])], atol=1e-2),
]

ERRORS = [
    ErrorSample("AdaptiveAvgPool", 8, ["f32[1,3,8,8]", const([2])], part="output_shape", says="1 values"),
    ErrorSample("AdaptiveAvgPool", 8, ["f32[1,3,8,8]", const([2, -2])], part="output_shape", says="-2"),
    ErrorSample("AdaptiveAvgPool", 8, ["f32[1,3]", const([2])], part="data", says="rank 2"),
    ErrorSample("AdaptiveAvgPool", 8, ["string[1,3,8]", const([2])], part="data", says="string"),
    ErrorSample("AdaptiveAvgPool", 8, ["f32[1,3,8]", "string[1]"], part="output_shape", says="string"),
    ErrorSample("AdaptiveAvgPool", 8, ["f32[1,3,0]", const([1])], part="data"),
]
