"""Samples of RegionYolo-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

RANDOM = np.random.default_rng(0)
ANCHORS = [10.0, 14.0, 23.0, 27.0]


def attributes(**more: object) -> dict[str, object]:
    return {
        "axis": 1,
        "coords": 4,
        "classes": 3,
        "end_axis": 3,
        "num": 2,
        "do_softmax": False,
        "mask": [0, 1],
        "anchors": ANCHORS,
        **more,
    }


def data(*shape: int) -> np.ndarray:
    return (4 * RANDOM.normal(size=shape)).astype(np.float32)


WITHOUT_SOFTMAX = {key: value for key, value in attributes().items() if key != "do_softmax"}

SAMPLES = [
    Sample("RegionYolo", 1, [param(data(1, 16, 3, 4))], attributes(), shapes=[["?,16,?,?"], ["1..3,?,2..5,?"]]),
    Sample(
        "RegionYolo",
        1,
        [param(data(2, 16, 3, 4))],
        attributes(do_softmax=True),
        shapes=[["?,16,?,?"], ["1..3,16,2..5,4"]],
    ),
    Sample("RegionYolo", 1, [param(data(2, 16, 3, 4))], attributes(do_softmax=True, axis=-2, end_axis=-1)),
    Sample("RegionYolo", 1, [param(data(1, 24, 2, 2))], WITHOUT_SOFTMAX, name="do_softmax is not written"),
    Sample("RegionYolo", 1, [param(data(2, 16, 3, 4))], attributes(do_softmax=True, axis=0, end_axis=1)),
    Sample("RegionYolo", 1, [param(data(1, 255, 2, 2))], attributes(classes=80, mask=[3, 4, 5], num=6)),
    Sample("RegionYolo", 1, [param(data(1, 18, 2, 2))], attributes(coords=5, mask=[1, 2])),
    Sample("RegionYolo", 1, [param(data(1, 24, 2, 2))], attributes()),
    Sample("RegionYolo", 1, [param(data(1, 16, 2, 2), "f16")], attributes(), atol=1e-3),
    Sample("RegionYolo", 1, [param(data(1, 16, 2, 2), "bf16")], attributes(do_softmax=True), atol=1e-2),
    Sample(
        "RegionYolo",
        1,
        [param(np.zeros((1, 2, 1, 1), np.float32))],
        attributes(coords=0, classes=1, mask=[0], do_softmax=True, num=1),
        expected=[[0.5, 1.0]],
        openvino="the CPU takes coordinates that are not there",
    ),
]

ERRORS = [
    ErrorSample("RegionYolo", 1, ["f32[1,16,3]"], attributes(), part="data", says="rank must be 4"),
    ErrorSample("RegionYolo", 1, ["i32[1,16,3,3]"], attributes(), part="data", says="i32"),
    ErrorSample("RegionYolo", 1, ["f32[1,16,3,3]"], attributes(coords=-9), part="coords", says="coords is -9; it must"),
    ErrorSample("RegionYolo", 1, ["f32[1,16,3,3]"], attributes(classes=-9), part="classes", says="is -9; it must not"),
    ErrorSample("RegionYolo", 1, ["f32[1,16,3,3]"], attributes(do_softmax=True, num=-2), part="num", says="num is -2"),
    ErrorSample("RegionYolo", 1, ["f32[1,15,3,3]"], attributes(), part="data", says="15 channels"),
    ErrorSample("RegionYolo", 1, ["f32[1,16,3,3]"], attributes(do_softmax=True, axis=4), part="axis", says="[-4, 3]"),
    ErrorSample(
        "RegionYolo",
        1,
        ["f32[1,16,3,3]"],
        attributes(do_softmax=True, axis=3, end_axis=2),
        part="end_axis",
        says="before",
    ),
]
