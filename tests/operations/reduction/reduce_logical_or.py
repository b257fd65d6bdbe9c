"""Samples of ReduceLogicalOr-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(31)
DATA = RNG.random((2, 3, 4, 5)) < 0.2
KEEP = {"keep_dims": True}
SHAPES = [["?,3,1..4,5"], ["?,?,?,?"], ["..."]]
UNKNOWN = [["?,3,4", "2"], ["2,3,4", "?"], ["2,3,4", ""], ["2,3,4", "1"], ["...", "2"], ["2,3,4", "..."], ["", "1"]]
CPU = "OpenVINO's CPU cannot reduce over unknown axes, or over none"


def reduce(data: Any, axes: Any) -> Any:
    return np.any(data, tuple(np.atleast_1d(axes).tolist()))


SAMPLES = [
    Sample("ReduceLogicalOr", 1, [param(DATA), const([2, 3])], oracle=reduce, shapes=SHAPES),
    Sample("ReduceLogicalOr", 1, [param(DATA), const([2, -1])], KEEP, shapes=SHAPES),
    Sample("ReduceLogicalOr", 1, [param(DATA), const(1, "i32")], oracle=reduce),
    Sample("ReduceLogicalOr", 1, [param(DATA[0]), param([1, 2])], oracle=reduce, openvino=CPU, shapes=UNKNOWN[:-1]),
    Sample(
        "ReduceLogicalOr", 1, [param(DATA), const(np.zeros(0, np.int64))], oracle=lambda data, _axes: data, openvino=CPU
    ),
    Sample("ReduceLogicalOr", 1, [param(np.zeros((2, 0), bool)), const([1])]),
    Sample("ReduceLogicalOr", 1, [param(DATA), const([0, 1, 2, 3])], oracle=reduce),
]

ERRORS = [
    ErrorSample("ReduceLogicalOr", 1, ["boolean[2,3,4]", const([3])], part="axes", says="[-3, 2]"),
    ErrorSample("ReduceLogicalOr", 1, ["boolean[2,3,4]", const([1, -2])], part="axes", says="twice"),
    ErrorSample("ReduceLogicalOr", 1, ["boolean[2,3,4]", const([[1]])], part="axes", says="1-D"),
    ErrorSample("ReduceLogicalOr", 1, ["boolean[2,3,4]", "f32[1]"], part="axes", says="f32"),
    ErrorSample("ReduceLogicalOr", 1, ["f32[2,3,4]", const([1])], part="data", says="f32"),
    ErrorSample("ReduceLogicalOr", 1, ["boolean[]", const([0])], part="axes", says="scalar"),
]
