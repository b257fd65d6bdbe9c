"""Samples of ExperimentalDetectronPriorGridGenerator-6."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

TYPE = "ExperimentalDetectronPriorGridGenerator"
GIVEN = [
    param(np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)),
    param(np.zeros((1, 8, 2, 3), np.float32)),
    param(np.zeros((1, 3, 20, 36), np.float32)),
]
PART = [
    param([[1.0, 2.0, 3.0, 4.0]]),
    param(np.zeros((1, 1, 1, 2), np.float32)),
    param(np.zeros((1, 3, 4, 6), np.float32)),
]


def attributes(**more: object) -> dict[str, object]:
    return {"flatten": True, "h": 0, "w": 0, "stride_x": 0.0, "stride_y": 0.0, **more}


PARTIAL = [["?,4", "?,?,?,?", "?,?,?,?"], ["2..4,4", "1,8,2..3,4..5", "1,3,20,36"], ["3,4", "1,8,2..3,?", "1,3,?,?"]]
SAMPLES = [
    Sample(TYPE, 6, GIVEN, attributes(), shapes=PARTIAL),
    Sample(TYPE, 6, GIVEN, attributes(flatten=False), shapes=PARTIAL),
    Sample(TYPE, 6, GIVEN, attributes(stride_x=5.0, stride_y=4.0)),
    Sample(TYPE, 6, GIVEN, attributes(stride_x=5.0, h=2, w=3)),
    Sample(
        TYPE,
        6,
        PART,
        attributes(h=1, w=1),
        expected=[[4, 4, 6, 6], [0, 0, 0, 0]],
        openvino="the rows after the grid are not determined",
    ),
]

SHAPES = ["f32[3,4]", "f32[1,8,2,3]", "f32[1,3,20,36]"]
ERRORS = [
    ErrorSample(TYPE, 6, ["f32[3,5]", *SHAPES[1:]], attributes(), part="priors", says="must be 4"),
    ErrorSample(TYPE, 6, [SHAPES[0], "f32[2,8,2,3]", SHAPES[2]], attributes(), part="image", says="images"),
    ErrorSample(TYPE, 6, [SHAPES[0], "f32[8,2,3]", SHAPES[2]], attributes(), part="feature_map", says="rank must be 4"),
    ErrorSample(TYPE, 6, SHAPES, attributes(h=3), part="h", says="[0, 2]"),
]
