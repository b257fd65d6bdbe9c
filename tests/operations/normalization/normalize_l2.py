"""Samples of NormalizeL2-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(51)
DATA = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)
SHAPES = [["?,1..3,4,5"], ["..."], ["?,?,?,?"]]


def l2(eps: float = 1e-2, mode: str = "add") -> Any:
    return {"eps": eps, "eps_mode": mode}


def unit(*axes: int, eps: float = 1e-2) -> Any:
    def normalize(data: Any, _axes: Any) -> Any:
        wide = data.astype(np.float64)
        return wide / np.sqrt(np.square(wide).sum(axes, keepdims=True) + eps)

    return normalize


SAMPLES = [
    Sample("NormalizeL2", 1, [param(DATA), const([1])], l2(), oracle=unit(1), shapes=SHAPES),
    Sample("NormalizeL2", 1, [param(DATA), const([1, 2, 3])], l2(), oracle=unit(1, 2, 3)),
    Sample("NormalizeL2", 1, [param(DATA), const(-3, "i32")], l2(5.0, "max")),
    Sample("NormalizeL2", 1, [param(DATA), const([2, -1])], l2(), oracle=unit(2, 3)),
    Sample(
        "NormalizeL2", 1, [param(DATA), const(np.zeros(0, np.int64))], l2(0.1), oracle=lambda data, _axes: data != 0
    ),
    Sample(
        "NormalizeL2",
        1,
        [param([[-2.0, 0.0, 3.0, np.nan, -np.inf]]), const(np.zeros(0, np.int64))],
        l2(1.0, "max"),
        expected=[[1, 0, 1, 1, 1]],
    ),
    Sample(
        "NormalizeL2",
        1,
        [param([[-2.0, 0.0, 3.0]]), param(np.zeros(0, np.int64))],
        l2(1.0),
        expected=[[1, 0, 1]],
        openvino="the CPU divides by the norm where axes are no constant",
        openvino_shapes="unknown axes may be any",
    ),
    Sample(
        "NormalizeL2",
        1,
        [param(DATA), param([1])],
        l2(),
        oracle=unit(1),
        shapes=[["?,3,4", "?"]],
        openvino="OpenVINO's CPU needs constant axes",
    ),
    Sample("NormalizeL2", 1, [param(DATA, "f16"), const([1])], l2(), atol=1e-2),
    Sample("NormalizeL2", 1, [param(DATA, "bf16"), const([1])], l2(), atol=2e-2),
]

SAMPLES += [Sample("NormalizeL2", 1, [param(DATA), const(axes)], l2(), oracle=unit(1)) for axes in ([1, 1], [-3, 1])]

ERRORS = [
    ErrorSample("NormalizeL2", 1, ["f32[2,3,4]", const([3])], l2(), part="axes", says="[-3, 2]"),
    ErrorSample("NormalizeL2", 1, ["f32[2,3,4]", const([[1]])], l2(), part="axes", says="1-D"),
    ErrorSample("NormalizeL2", 1, ["string[2,3,4]", const([1])], l2(), part="data", says="string"),
    ErrorSample("NormalizeL2", 1, ["f32[2,3,4]", "string[1]"], l2(), part="axes", says="string"),
]
