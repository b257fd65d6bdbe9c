"""Samples of Squeeze-15 and Squeeze-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(12)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


FEW = [["1,?,1..3,2"], ["?,?,?,?"], ["..."], ["2..3,4,5,6"], ["1,3,4..,2"]]
UNKNOWN = [
    ["1,3,1", ""],
    ["1,3,1", "1"],
    ["1,3,1", "?"],
    ["1,3,1", "..."],
    ["2..3,4,5", "1"],
    ["?,1..2,3", "1"],
    ["...", "1"],
    ["1,1,1", "2"],
    ["3,4,5", "2"],
]

RANK = "OpenVINO's CPU cannot run outputs of unknown rank"
KEPT = "OpenVINO's CPU cannot run a dynamic dimension that turns out not to be 1"

SAMPLES = [
    Sample("Squeeze", 15, [param(floats(1, 3, 1, 2)), const([0, 2])], shapes=FEW),
    Sample("Squeeze", 15, [param(floats(1, 3, 1, 2))], shapes=FEW, oracle=np.squeeze, openvino=RANK),
    Sample(
        "Squeeze",
        15,
        [param(floats(1, 3, 1, 2)), const([-4, 1, 3])],
        shapes=FEW,
        openvino=KEPT,
        oracle=lambda data, _axes: data[0],
    ),
    Sample(
        "Squeeze",
        15,
        [param(floats(1, 3, 1, 2)), const([0, 2])],
        {"allow_axis_skip": True},
        shapes=FEW,
        oracle=lambda data, _axes: np.squeeze(data),
        openvino=RANK,
    ),
    Sample(
        "Squeeze",
        15,
        [param(floats(1, 3, 1, 2)), const(np.zeros(0, np.int64))],
        {"allow_axis_skip": False},
        shapes=FEW,
        oracle=lambda data, _axes: np.squeeze(data),
        openvino=RANK,
    ),
    Sample(
        "Squeeze",
        15,
        [param(floats(1, 3, 1)), param(np.array([2]))],
        shapes=UNKNOWN,
        oracle=lambda data, _axes: data[:, :, 0],
        openvino=RANK,
    ),
    Sample("Squeeze", 15, [param(floats(1)), const(0)]),
    Sample("Squeeze", 15, [param(2.5), const(0)], expected=2.5),
    Sample("Squeeze", 1, [param(2.5), const([-1, 0])], expected=2.5),
    Sample("Squeeze", 15, [param(np.array([[True]])), const([0])]),
    Sample("Squeeze", 1, [param(floats(1, 3, 1, 2)), const([0, 2])], shapes=FEW),
    Sample("Squeeze", 1, [param(floats(1, 3, 1, 2))], shapes=FEW, oracle=np.squeeze, openvino=RANK),
    Sample(
        "Squeeze",
        1,
        [param(floats(1, 3, 1, 2)), const([1, -2], "i32")],
        shapes=FEW,
        openvino=KEPT,
        oracle=lambda data, _axes: data[:, :, 0],
    ),
    Sample(
        "Squeeze",
        1,
        [param(floats(1, 3, 1)), param(np.array([0]))],
        shapes=UNKNOWN,
        oracle=lambda data, _axes: data[0],
        openvino=RANK,
    ),
    Sample("Squeeze", 1, [param(floats(1, 3, 0), "f16"), const(-3)]),
    Sample("Squeeze", 1, [param(floats(1)), const([0])]),
    Sample("Squeeze", 1, [param(np.array([["a"], ["b"]], object), "string"), const([1])]),
    Sample("Squeeze", 1, [param(floats(1, 3, 1)), const([0])], shapes=[["1,?,1..3"]]),
    Sample("Squeeze", 1, [param(floats(3, 1, 1, 2)), const(np.array([1, 2], np.int32))]),
    Sample("Squeeze", 1, [param(np.arange(6).reshape(1, 6)), const(0)]),
    Sample("Squeeze", 15, [param(floats(1, 3, 1)), const([-1])], shapes=[["1,?,1"]]),
    Sample("Squeeze", 15, [param(floats(3, 1, 1, 2)), const(np.array([1, 2], np.int32))], {"allow_axis_skip": True}),
    Sample("Squeeze", 15, [param(np.arange(6).reshape(1, 6)), const(0)]),
    Sample("Squeeze", 15, [param(floats(1, 1, 4), "f16"), const([0, 1])]),
]

ERRORS = [
    ErrorSample("Squeeze", 15, [param([[1.0]]), param([0, 4])], code="IR701", says="axes 4"),
    ErrorSample("Squeeze", 15, ["f32[1,3]", const([5])], part="axes", says="[-2, 1]"),
    ErrorSample("Squeeze", 15, ["f32[1,3]", const([[0]])], part="axes", says="1-D"),
    ErrorSample("Squeeze", 15, ["f32[]", const([1])], part="axes", says="scalar"),
    ErrorSample("Squeeze", 1, ["f32[1,3]", "string[1]"], part="axes", says="string"),
    ErrorSample("Squeeze", 1, ["f32[1,3]", const(-3)], part="axes"),
]
