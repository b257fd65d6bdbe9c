"""Samples of GenerateProposals-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.detection._anchors import anchors, deltas, scores
from tests.support.sample import ErrorSample, In, Sample, param

GP = "GenerateProposals"


def attributes(**more: object) -> dict[str, object]:
    return {"min_size": 2.0, "nms_threshold": 0.6, "pre_nms_count": 40, "post_nms_count": 10, **more}


def inputs(info: object = ((60, 70, 1), (45, 38, 1.2)), type: str = "f32") -> list[In]:
    image: Array = np.array(info, np.float32)
    return [param(image, type), param(anchors(), type), param(deltas(12, 2), type), param(scores(3, 2), type)]


ONE = [
    param([[100.0, 100.0, 1.0]]),
    param(np.array([[[[10, 10, 30, 30], [10, 10, 30, 29], [50, 50, 60, 70]]]], np.float32)),
    param(np.zeros((1, 12, 1, 1), np.float32)),
    param(np.array([[[[0.5]], [[0.9]], [[0.7]]]], np.float32)),
]
PARTIAL = [
    ["?,3", "?,?,?,4", "?,12,?,?", "?,3,?,?"],
    ["1..3,3", "?,?,?,4", "?,12,?,?", "2..5,3,?,?"],
    ["1..3,3", "4,5,3,4", "?,12,?,?", "?,?,?,?"],
]
SAMPLES = [
    Sample(GP, 9, inputs(), attributes(), outputs=3, shapes=PARTIAL, atol=1e-4),
    Sample(GP, 9, inputs(), attributes(normalized=False, roi_num_type="i32"), outputs=3, atol=1e-4),
    Sample(
        GP,
        9,
        inputs([[45, 38, 1.2, 0.6], [60, 70, 0.7, 1]]),
        attributes(min_size=8.0, pre_nms_count=12),
        outputs=3,
        atol=1e-4,
    ),
    Sample(GP, 9, inputs(), attributes(post_nms_count=100, min_size=9.0), outputs=3, atol=1e-4),
    Sample(GP, 9, inputs(), attributes(min_size=500.0), [np.zeros((0, 4)), np.zeros(0), [0, 0]], outputs=3),
    Sample(GP, 9, ONE, attributes(), [[[10, 10, 30, 29], [50, 50, 60, 70]], [0.9, 0.7], [2]], outputs=3),
    Sample(
        GP,
        9,
        ONE,
        attributes(nms_threshold=0.955, nms_eta=0.99),
        [[[10, 10, 30, 29], [50, 50, 60, 70]], [0.9, 0.7], [2]],
        outputs=3,
        openvino="OpenVINO refuses other values of nms_eta than 1",
        openvino_shapes="the same",
    ),
]

SHAPES = ["f32[2,3]", "f32[4,5,3,4]", "f32[2,12,4,5]", "f32[2,3,4,5]"]
ERRORS = [
    ErrorSample(GP, 9, ["f32[2,5]", *SHAPES[1:]], attributes(), part="im_info", says="3 or 4", outputs=3),
    ErrorSample(
        GP, 9, [SHAPES[0], "f32[60,4]", *SHAPES[2:]], attributes(), part="anchors", says="rank must be 4", outputs=3
    ),
    ErrorSample(
        GP, 9, [SHAPES[0], "f32[4,5,2,4]", *SHAPES[2:]], attributes(), part="scores", says="anchors", outputs=3
    ),
    ErrorSample(
        GP, 9, [*SHAPES[:2], "f32[2,11,4,5]", SHAPES[3]], attributes(), part="scores", says="anchors", outputs=3
    ),
    ErrorSample(GP, 9, [*SHAPES[:3], "f32[1,3,4,5]"], attributes(), part="scores", says="images", outputs=3),
    ErrorSample(GP, 9, SHAPES, attributes(pre_nms_count=0), part="pre_nms_count", says="positive", outputs=3),
]
