"""Samples of MVN-6 and MVN-2."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(50)
DATA = (3 * RNG.standard_normal((2, 3, 4, 5)) + 1).astype(np.float32)
SHAPES = [["?,1..3,4,5"], ["..."], ["?,?,?,?"]]
EPS = 1e-3


def six(mode: str = "inside_sqrt", variance: bool = True) -> Any:
    return {"eps": EPS, "eps_mode": mode, "normalize_variance": variance}


def two(across: bool = False, variance: bool = True, **more: object) -> Any:
    return {"eps": EPS, "across_channels": across, "normalize_variance": variance} | more


def normal(*axes: int, inside: bool = True) -> Any:
    """Return an oracle that uses NumPy's mean and variance in f64."""

    def normalize(data: Any, *_: Any) -> Any:
        wide = data.astype(np.float64)
        variance = wide.var(axes, keepdims=True)
        return (wide - wide.mean(axes, keepdims=True)) / (
            np.sqrt(variance + EPS) if inside else np.sqrt(variance) + EPS
        )

    return normalize


CPU = "OpenVINO's CPU has none for these axes"
SAMPLES = [
    Sample("MVN", 6, [param(DATA), const([2, 3])], six(), oracle=normal(2, 3), shapes=SHAPES, atol=1e-5),
    Sample(
        "MVN",
        6,
        [param(DATA), const([-2, 3, 1], "i32")],
        six("outside_sqrt"),
        oracle=normal(1, 2, 3, inside=False),
        atol=1e-5,
    ),
    Sample("MVN", 6, [param(DATA), const([2, 3])], six(variance=False), atol=1e-5),
    Sample("MVN", 6, [param(DATA), const([-1])], six("INSIDE_SQRT"), oracle=normal(3), atol=1e-5),
    Sample("MVN", 6, [param(DATA), const([0, 2])], six(), oracle=normal(0, 2), atol=1e-5),
    Sample("MVN", 6, [param(DATA), param([2, 3])], six(), oracle=normal(2, 3), openvino=CPU, shapes=[["?,3,4", "?"]]),
    Sample("MVN", 6, [param(DATA, "f16"), const([2, 3])], six(), atol=1e-2),
    Sample("MVN", 6, [param(DATA, "bf16"), const([2, 3])], six(), atol=3e-2),
    Sample("MVN", 6, [param(DATA, "f64"), const([2, 3])], six(), oracle=normal(2, 3), atol=1e-5),
    Sample("MVN", 6, [param(np.zeros((2, 0), np.float32)), const([0])], six(), expected=np.zeros((2, 0)), openvino=CPU),
    Sample("MVN", 2, [param(DATA)], two(), oracle=normal(2, 3), shapes=SHAPES, atol=1e-5),
    Sample("MVN", 2, [param(DATA)], two(True), oracle=normal(1, 2, 3), atol=1e-5),
    Sample("MVN", 2, [param(DATA)], two(variance=False), atol=1e-5),
    Sample(
        "MVN",
        2,
        [param(DATA)],
        {"eps": EPS, "normalize_variance": True, "reduction_axes": [2, 3]},
        oracle=normal(2, 3),
        atol=1e-5,
    ),
    Sample("MVN", 2, [param(DATA[:, :, 0])], two(), oracle=normal(2), atol=1e-5),
    Sample("MVN", 2, [param(DATA, "f16")], two(True), atol=1e-2),
]

SAMPLES += [
    Sample("MVN", 6, [param(DATA), axes], six(), oracle=normal(1), atol=1e-5)
    for axes in (const([1, 1]), const([1, -3, 1]), param([-3, 1]))
]

ERRORS = [
    ErrorSample("MVN", 6, ["f32[2,3,4]", const([3])], six(), part="axes", says="[-3, 2]"),
    ErrorSample("MVN", 6, ["f32[2,3,4]", const(1)], six(), part="axes", says="1-D"),
    ErrorSample("MVN", 6, ["f32[2,3,4]", "i64[4]"], six(), part="axes", says="4 values"),
    ErrorSample("MVN", 6, ["f32[2,3,4]", "string[1]"], six(), part="axes", says="string"),
    ErrorSample("MVN", 6, ["string[2,3,4]", const([1])], six(), part="data", says="string"),
    ErrorSample("MVN", 2, ["f32[2]"], two(), part="data"),
    ErrorSample("MVN", 2, ["string[2,3,4]"], two(), part="data", says="string"),
    ErrorSample(
        "MVN", 2, ["f32[2,3,4]"], {"eps": EPS, "normalize_variance": True, "reduction_axes": [3]}, part="reduction_axes"
    ),
]
