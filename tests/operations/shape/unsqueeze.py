"""Samples of Unsqueeze-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(13)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


SAMPLES = [
    Sample("Unsqueeze", 1, [param(floats(2, 3)), const([0, 3])], shapes=[["?,1..3"], ["..."], ["?,?"]]),
    Sample("Unsqueeze", 1, [param(np.float32(2)), const([0])]),
    Sample("Unsqueeze", 1, [param(np.float32(2)), const([0, 1])]),
    Sample("Unsqueeze", 1, [param(floats(2, 3)), const(-1)]),
    Sample("Unsqueeze", 1, [param(floats(2, 3)), const([2, -1], "i32")]),
    Sample(
        "Unsqueeze",
        1,
        [param(floats(2, 3)), param([1])],
        openvino="OpenVINO's CPU cannot run outputs of unknown rank",
        oracle=lambda data, _axes: data[:, None],
        shapes=[["2,3", "2"], ["2,3", "?"], ["2,3", ""], ["2,3", "..."]],
    ),
    Sample("Unsqueeze", 1, [param(floats(2, 0), "bf16"), const([1])]),
    Sample("Unsqueeze", 1, [param(np.array(["a", "b"], object), "string"), const([1])]),
]

SAMPLES += [
    Sample("Unsqueeze", 1, [param(floats(2, 3)), const(axes)], oracle=lambda data, _, to=shape: data.reshape(to))
    for axes, shape in [
        ([0, 0], (1, 2, 3)),
        ([0, -4], (1, 2, 3)),
        ([-1, -1, 0], (1, 2, 3, 1)),
        ([3, -1], (2, 3, 1)),
        ([1, 1, 1, 1], (2, 1, 3)),
    ]
]

ERRORS = [
    ErrorSample("Unsqueeze", 1, [param([1.0]), param([0, 4])], code="IR701", says="axes 4"),
    ErrorSample("Unsqueeze", 1, ["f32[2,3]", const([5])], part="axes", says="[-3, 2]"),
    ErrorSample("Unsqueeze", 1, ["f32[2,3]", const([3, 3])], part="axes", says="[-3, 2]"),
    ErrorSample("Unsqueeze", 1, ["f32[2,3]", const([[0]])], part="axes", says="1-D"),
    ErrorSample("Unsqueeze", 1, ["f32[2,3]", "string[1]"], part="axes", says="string"),
    ErrorSample("Unsqueeze", 1, ["f32[2,3]", const(np.zeros(0, np.int64))], part="axes", says="empty"),
]
