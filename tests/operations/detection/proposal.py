"""Samples of Proposal-4 and Proposal-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operations.detection._anchors import deltas, scores
from tests.support.sample import ErrorSample, In, Sample, param


def attributes(**more: object) -> dict[str, object]:
    return {
        "base_size": 16,
        "pre_nms_topn": 40,
        "post_nms_topn": 10,
        "nms_thresh": 0.6,
        "feat_stride": 8,
        "min_size": 4,
        "ratio": [0.5, 1.0, 2.0],
        "scale": [0.5, 1.0],
        **more,
    }


def inputs(images: int = 1, *info: float, type: str = "f32") -> list[In]:
    image = np.array(info or (60, 70, 1), np.float32)
    return [param(scores(12, images), type), param(deltas(24, images), type), param(image, type)]


def sample(
    version: int, operands: list[In], expected: object = None, openvino: str = "", atol: float = 1e-4, **more: object
) -> Sample:
    return Sample(
        "Proposal",
        version,
        operands,
        attributes(**more),
        expected,
        openvino=openvino,
        outputs=2 if version == 4 else 1,
        atol=atol,
    )


def all_of(version: int) -> list[Sample]:
    return [
        sample(version, inputs()),
        sample(version, inputs(2, 45, 38, 1.2), normalize=True, nms_thresh=0.3),
        sample(version, inputs(1, 60, 70, 1.5, 0.8), clip_before_nms=False),
        sample(
            version, inputs(2, 45, 38, 1), clip_before_nms=False, clip_after_nms=True, pre_nms_topn=12, post_nms_topn=4
        ),
        sample(version, inputs(), box_size_scale=5.0, box_coordinate_scale=10.0),
        sample(version, inputs(2), framework="tensorflow"),
        sample(version, inputs(1, 30, 44, 1), framework="tensorflow", clip_after_nms=True, min_size=1),
        sample(
            version,
            inputs(1, 60, 70, 1),
            framework="tensorflow",
            normalize=True,
            clip_after_nms=True,
            clip_before_nms=False,
            box_size_scale=5.0,
        ),
    ]


ONE = [
    param(np.array([[[[0.1]], [[0.9]]]], np.float32)),
    param(np.zeros((1, 4, 1, 1), np.float32)),
    param([32, 32, 1], "f32"),
]
SINGLE: dict[str, Any] = {"ratio": [1.0], "scale": [1.0], "post_nms_topn": 3}
KEPT = [[0, 0, 0, 16, 16], [-1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
ROOMY = [param(scores(20, 1)), param(deltas(40, 1)), param([60, 70, 1], "f32")]
WORD = "the CPU reads other words and does not run them"
SAMPLES = [
    sample(4, ROOMY),
    sample(1, ROOMY, framework="tensorflow"),
    sample(4, ONE, [KEPT, [0.9, 0, 0]], WORD, framework="caffe", **SINGLE),
    *all_of(4),
    *all_of(1),
    sample(4, inputs(type="f16"), atol=0.2, nms_thresh=0.6, post_nms_topn=3),
    sample(4, ONE, [KEPT, [0.9, 0, 0]], openvino="the rows after the end are not determined", **SINGLE),
    sample(4, ONE, [KEPT, [0, 0, 0]], openvino="the rows after the end are not determined", **SINGLE, min_size=18),
    sample(1, ONE, KEPT, openvino="the rows after the end are not determined", **SINGLE),
]

SHAPES = ["f32[1,12,4,5]", "f32[1,24,4,5]", "f32[3]"]
ERRORS = [
    ErrorSample("Proposal", 4, [*SHAPES[:2], "f32[5]"], attributes(), part="image_shape", says="[5]", outputs=2),
    ErrorSample(
        "Proposal", 4, ["f32[1,11,4,5]", *SHAPES[1:]], attributes(), part="class_probs", says="11 channels", outputs=2
    ),
    ErrorSample(
        "Proposal",
        4,
        [SHAPES[0], "f32[1,20,4,5]", SHAPES[2]],
        attributes(),
        part="bbox_deltas",
        says="are 24",
        outputs=2,
    ),
    ErrorSample("Proposal", 1, ["f32[2,12,4,5]", *SHAPES[1:]], attributes(), part="bbox_deltas", says="images"),
    ErrorSample("Proposal", 1, ["f32[1,12,3,5]", *SHAPES[1:]], attributes(), part="bbox_deltas", says="height"),
    ErrorSample("Proposal", 1, SHAPES, attributes(post_nms_topn=0), part="post_nms_topn", says="positive"),
]
