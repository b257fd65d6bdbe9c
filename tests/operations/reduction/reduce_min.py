"""Samples of ReduceMin-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(24)
DATA = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)
WHOLE = RNG.integers(-9, 10, (2, 3, 4))
KEEP = {"keep_dims": True}
SHAPES = [["?,3,1..4,5"], ["?,?,?,?"], ["..."]]
UNKNOWN = [["?,3,4", "2"], ["2,3,4", "?"], ["2,3,4", ""], ["2,3,4", "1"], ["...", "2"], ["2,3,4", "..."], ["", "1"]]
CPU = "OpenVINO's CPU cannot reduce over unknown axes, or over none"


def reduce(data: Any, axes: Any) -> Any:
    axes = tuple(np.atleast_1d(axes).tolist())
    return np.min(data, axes)


def reduce_whole(data: Any, axes: Any) -> Any:
    axes = tuple(np.atleast_1d(axes).tolist())
    return np.min(data, axes)


SAMPLES = [
    Sample("ReduceMin", 1, [param(DATA), const([2, 3])], oracle=reduce, shapes=SHAPES),
    Sample("ReduceMin", 1, [param(DATA), const([2, -1])], KEEP, shapes=SHAPES),
    Sample("ReduceMin", 1, [param(DATA), const(-2, "i32")], {"keep_dims": False}, oracle=reduce, shapes=SHAPES),
    Sample("ReduceMin", 1, [param(DATA), const([0, 1, 2, 3])], oracle=reduce, rtol=1e-4),
    Sample("ReduceMin", 1, [param(DATA), const(np.zeros(0, np.int64))], oracle=lambda data, _axes: data, openvino=CPU),
    Sample("ReduceMin", 1, [param(DATA[0]), param([1, 2])], oracle=reduce, openvino=CPU, shapes=UNKNOWN[:-1]),
    Sample(
        "ReduceMin",
        1,
        [param(DATA[0]), param([0])],
        KEEP,
        oracle=lambda data, axes: reduce(data, axes)[None],
        openvino=CPU,
        shapes=UNKNOWN,
    ),
    Sample("ReduceMin", 1, [param(DATA, "f16"), const([2, 3])], atol=0.05, rtol=1e-2),
    Sample("ReduceMin", 1, [param(DATA, "bf16"), const([2, 3])], atol=0.1, rtol=2e-2),
    Sample("ReduceMin", 1, [param(DATA, "f64"), const([2, 3])], oracle=reduce),
    Sample("ReduceMin", 1, [param(WHOLE, "i32"), const([1])], oracle=reduce_whole),
    Sample("ReduceMin", 1, [param(WHOLE), const([0, 2])], oracle=reduce_whole),
    Sample("ReduceMin", 1, [param(abs(WHOLE), "u8"), const([1])], oracle=reduce_whole, openvino="OpenVINO saturates"),
    Sample(
        "ReduceMin",
        1,
        [param(np.zeros((2, 0), np.float32)), const([1])],
        expected=[np.inf, np.inf],
        openvino="OpenVINO's CPU gives the largest finite number",
    ),
    Sample("ReduceMin", 1, [param(np.zeros((0, 3), np.int32)), const([1])]),
    Sample(
        "ReduceMin", 1, [param([1.0, np.nan, 2.0]), const([0])], expected=np.nan, openvino="OpenVINO's CPU ignores NaN"
    ),
]

ERRORS = [
    ErrorSample("ReduceMin", 1, ["f32[2,3,4]", const([3])], part="axes", says="[-3, 2]"),
    ErrorSample("ReduceMin", 1, ["f32[2,3,4]", const([1, -2])], part="axes", says="twice"),
    ErrorSample("ReduceMin", 1, ["f32[2,3,4]", const([[1]])], part="axes", says="1-D"),
    ErrorSample("ReduceMin", 1, ["f32[2,3,4]", "f32[1]"], part="axes", says="f32"),
    ErrorSample("ReduceMin", 1, ["boolean[2,3,4]", const([1])], part="data", says="boolean"),
    ErrorSample("ReduceMin", 1, ["f32[]", const([0])], part="axes", says="scalar"),
]
