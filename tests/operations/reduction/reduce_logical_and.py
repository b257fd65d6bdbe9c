"""Samples of ReduceLogicalAnd-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(30)
DATA = RNG.random((2, 3, 4, 5)) < 0.8
KEEP = {"keep_dims": True}
SHAPES = [["?,3,1..4,5"], ["?,?,?,?"], ["..."]]
UNKNOWN = [["?,3,4", "2"], ["2,3,4", "?"], ["2,3,4", ""], ["2,3,4", "1"], ["...", "2"], ["2,3,4", "..."], ["", "1"]]
CPU = "OpenVINO's CPU cannot reduce over unknown axes, or over none"


def reduce(data: Any, axes: Any) -> Any:
    return np.all(data, tuple(np.atleast_1d(axes).tolist()))


SAMPLES = [
    Sample("ReduceLogicalAnd", 1, [param(DATA), const([2, 3])], oracle=reduce, shapes=SHAPES),
    Sample("ReduceLogicalAnd", 1, [param(DATA), const([2, -1])], KEEP, shapes=SHAPES),
    Sample("ReduceLogicalAnd", 1, [param(DATA), const(1, "i32")], oracle=reduce),
    Sample("ReduceLogicalAnd", 1, [param(DATA[0]), param([1, 2])], oracle=reduce, openvino=CPU, shapes=UNKNOWN[:-1]),
    Sample(
        "ReduceLogicalAnd",
        1,
        [param(DATA), const(np.zeros(0, np.int64))],
        oracle=lambda data, _axes: data,
        openvino=CPU,
    ),
    Sample("ReduceLogicalAnd", 1, [param(np.zeros((2, 0), bool)), const([1])]),
    Sample("ReduceLogicalAnd", 1, [param(DATA), const([0, 1, 2, 3])], oracle=reduce),
]

ERRORS = [
    ErrorSample("ReduceLogicalAnd", 1, ["boolean[2,3,4]", const([3])], part="axes", says="[-3, 2]"),
    ErrorSample("ReduceLogicalAnd", 1, ["boolean[2,3,4]", const([1, -2])], part="axes", says="twice"),
    ErrorSample("ReduceLogicalAnd", 1, ["boolean[2,3,4]", const([[1]])], part="axes", says="1-D"),
    ErrorSample("ReduceLogicalAnd", 1, ["boolean[2,3,4]", "f32[1]"], part="axes", says="f32"),
    ErrorSample("ReduceLogicalAnd", 1, ["f32[2,3,4]", const([1])], part="data", says="f32"),
    ErrorSample("ReduceLogicalAnd", 1, ["boolean[]", const([0])], part="axes", says="scalar"),
]
