"""Samples of ExperimentalDetectronGenerateProposalsSingleImage-6."""

from __future__ import annotations

import numpy as np

from tests.operations.detection._anchors import anchors, deltas, scores
from tests.support.sample import ErrorSample, In, Sample, param

TYPE = "ExperimentalDetectronGenerateProposalsSingleImage"


def attributes(**more: object) -> dict[str, object]:
    return {"min_size": 0.0, "nms_threshold": 0.6, "pre_nms_count": 40, "post_nms_count": 10, **more}


def inputs(*info: float, type: str = "f32") -> list[In]:
    image = np.array(info or (60, 70, 1), np.float32)
    return [
        param(image, type),
        param(anchors().reshape(-1, 4), type),
        param(deltas(12)[0], type),
        param(scores(3)[0], type),
    ]


ONE = [
    param([100.0, 100.0, 1.0]),
    param(np.array([[10, 10, 30, 30], [10, 10, 30, 29], [50, 50, 60, 70]], np.float32)),
    param(np.zeros((12, 1, 1), np.float32)),
    param(np.array([[[0.5]], [[0.9]], [[0.7]]], np.float32)),
]
SAMPLES = [
    Sample(TYPE, 6, inputs(), attributes(), outputs=2, atol=1e-4),
    Sample(TYPE, 6, inputs(45, 38, 1.2), attributes(nms_threshold=0.3), outputs=2, atol=1e-4),
    Sample(TYPE, 6, inputs(), attributes(pre_nms_count=12, post_nms_count=5, min_size=8.0), outputs=2, atol=1e-4),
    Sample(TYPE, 6, inputs(), attributes(post_nms_count=100), outputs=2, atol=1e-4),
    Sample(
        TYPE,
        6,
        ONE,
        attributes(post_nms_count=3),
        [[[10, 10, 30, 29], [50, 50, 60, 70], [0] * 4], [0.9, 0.7, 0]],
        outputs=2,
    ),
    Sample(
        TYPE,
        6,
        ONE,
        attributes(post_nms_count=2, min_size=12.0),
        outputs=2,
        name="a box below min_size has the score 0",
    ),
]

SHAPES = ["f32[3]", "f32[60,4]", "f32[12,4,5]", "f32[3,4,5]"]
ERRORS = [
    ErrorSample(TYPE, 6, ["f32[4]", *SHAPES[1:]], attributes(), part="im_info", says="[4]", outputs=2),
    ErrorSample(
        TYPE, 6, [SHAPES[0], "f32[60,5]", *SHAPES[2:]], attributes(), part="anchors", says="must be 4", outputs=2
    ),
    ErrorSample(
        TYPE, 6, [*SHAPES[:2], "f32[11,4,5]", SHAPES[3]], attributes(), part="scores", says="anchors", outputs=2
    ),
    ErrorSample(TYPE, 6, [*SHAPES[:3], "f32[3,4,6]"], attributes(), part="scores", says="width", outputs=2),
    ErrorSample(
        TYPE, 6, [SHAPES[0], "f32[50,4]", *SHAPES[2:]], attributes(), part="anchors", says="50 rows", outputs=2
    ),
    ErrorSample(TYPE, 6, SHAPES, attributes(post_nms_count=-1), part="post_nms_count", says="-1", outputs=2),
]
